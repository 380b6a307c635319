"""Argos Translate and LibreTranslate: a Transformer in CTranslate2, packed with its tokenizer and a sentence splitter.

https://github.com/argosopentech/argos-translate; the package's layout is that of its `argostranslate/package.py`.
"""

from __future__ import annotations

import json
import tempfile
import time
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Annotated, Any, ClassVar

from nmt.checkpoint import LoadedModel
from nmt.deploy.export.base import SOURCE, TARGET, Exportable
from nmt.deploy.export.ctranslate2 import CTranslate2, CTranslate2Translator, Quantization
from nmt.errors import UserError
from nmt.parameters import Form
from nmt.system.atomic import replacing
from nmt.text.languages import english_name
from nmt.translation.loading import ManifestFile

MODEL, TOKENIZER = "model", "sentencepiece.model"
SPLITTER = Path(__file__).with_name("splitter.onnx")  # scripts/recipes/sentence_splitter.py writes it
ARGOS_VERSION = "1.9.0"  # the oldest one that reads such a package
DATE = (1980, 1, 1, 0, 0, 0)  # of each file in the package, so that the same model gives the same bytes


@dataclass(frozen=True, kw_only=True)
class Argos(CTranslate2):
    """A package for Argos Translate, whose search is fixed. `quantization` is the type of the weights in it.

    `package_version` is three numbers, such as 2026.11.25; None is the day of the export. LibreTranslate replaces a
    package by the public one of the same languages if that has a higher version: so far these begin with 1.
    """

    name: ClassVar[str] = "argos"
    weights: ClassVar[str] = "translate.argosmodel"
    library: ClassVar[str] = "argos-translate"
    fixed_search: ClassVar[Mapping[str, Any]] = {"beam_size": 4, "length_penalty": 0.2, "min_length": 2}
    quantization: Quantization = "int8"
    package_version: Annotated[str, Form(r"\d+\.\d+\.\d+", "three numbers, as in 2026.11.25")] | None = None

    def require(self, loaded: LoadedModel) -> None:
        """Raise UserError for a model that CTranslate2 cannot compute, or one with two vocabularies."""
        super().require(loaded)
        if not loaded.tokenizer.joint:
            raise UserError(
                "ckpt: format=argos holds a joint vocabulary only, because a package has one SentencePiece model for "
                "both languages; train with tokenizer.joint=true, or use format=ctranslate2"
            )

    def write(self, model: Exportable, folder: Path) -> None:
        version = self.package_version or time.strftime("%Y.%m.%d")
        languages = "_".join(model.languages)
        top = f"translate-{languages}-{version.replace('.', '_')}"
        with tempfile.TemporaryDirectory(dir=folder) as name:
            place = Path(name)
            super().write(model, place)
            (place / TARGET).unlink()
            contents = {f"{MODEL}/{path.name}": path.read_bytes() for path in sorted(place.iterdir())}
        contents[TOKENIZER] = contents.pop(f"{MODEL}/{SOURCE}")
        contents[f"minisbd/{SPLITTER.name}"] = SPLITTER.read_bytes()
        contents["metadata.json"] = json.dumps(_metadata(model, version), indent=2, ensure_ascii=False).encode()
        with replacing(folder / self.weights) as file, zipfile.ZipFile(file, "w") as archive:
            for path, content in contents.items():
                entry = zipfile.ZipInfo(f"{top}/{path}", DATE)
                entry.external_attr = 0o644 << 16
                archive.writestr(entry, content, zipfile.ZIP_DEFLATED)

    @property
    def translator(self) -> dict[str, Any] | None:
        return None

    def open(self, folder: Path, manifest: ManifestFile) -> CTranslate2Translator:
        with tempfile.TemporaryDirectory() as name, zipfile.ZipFile(folder / self.weights) as archive:
            place = Path(name)
            for path in map(PurePath, archive.namelist()):
                names = (SOURCE, TARGET) if path.name == TOKENIZER else (path.name,) * (path.parent.name == MODEL)
                for file in names:
                    (place / file).write_bytes(archive.read(str(path)))
            return super().open(place, manifest)  # which reads the files once

    def example(self, model: Exportable) -> str:
        sample = json.dumps(model.sample, ensure_ascii=False)
        source, target = model.languages
        return EXAMPLE.format(sample=sample, source=source, target=target, package=self.weights)


EXAMPLE = """
```python
# pip install argos-translate-lt
import argostranslate.package
import argostranslate.translate

argostranslate.package.install_from_path("{package}")
print(argostranslate.translate.translate({sample}, "{source}", "{target}"))
```

LibreTranslate reads the packages that are installed: `libretranslate --load-only {source},{target}`. No network is
needed. Argos Translate writes a space for each `_` of a translation.
"""


def _metadata(model: Exportable, version: str) -> dict[str, str]:
    source, target = model.languages
    return {
        "package_version": version,
        "argos_version": ARGOS_VERSION,
        "from_code": source,
        "from_name": english_name(source),
        "to_code": target,
        "to_name": english_name(target),
    }
