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
from pathlib import Path
from typing import Any, ClassVar

from nmt.deploy.export.base import Exportable
from nmt.deploy.export.ctranslate2 import CTranslate2, CTranslate2Translator, Quantization
from nmt.system.atomic import replacing
from nmt.text.languages import argos_code, bcp47, english_name
from nmt.translation.loading import SOURCE, TARGET, WEIGHTS, ManifestFile

PACKAGE, MODEL, TOKENIZER = "translate.argosmodel", "model", "sentencepiece.model"
SPLITTER = Path(__file__).with_name("splitter.onnx")  # docs/deploying.md says what wrote it

EXAMPLE = """
```python
# pip install argos-translate-lt
import argostranslate.package
import argostranslate.translate

argostranslate.package.install_from_path("translate.argosmodel")
print(argostranslate.translate.translate({sample}, "{codes[0]}", "{codes[1]}"))
```

LibreTranslate reads the packages that are installed: `libretranslate --load-only {codes[0]},{codes[1]}`. No network is
needed. Argos Translate writes a space for each `_` of a translation.
"""


@dataclass(frozen=True, kw_only=True)
class Argos(CTranslate2):
    """A package for Argos Translate, whose search is fixed. `quantization` is the type of the weights in it.

    Its version is the day of the export. LibreTranslate replaces a package by a public one of the same languages if the
    public one has a higher version. So far, public versions begin with 1.
    """

    name: ClassVar[str] = "argos"
    library: ClassVar[str] = "argos-translate"
    example: ClassVar[str] = EXAMPLE
    fixed_search: ClassVar[Mapping[str, Any]] = {"beam_size": 4, "length_penalty": 0.2, "min_length": 2}
    joint_because: ClassVar[str] = "a package has one SentencePiece model for both languages"
    quantization: Quantization = "int8"

    def write(self, model: Exportable, folder: Path) -> None:
        source, target = map(argos_code, model.languages)
        version = time.strftime("%Y.%m.%d")
        top = f"translate-{source}_{target}-{version.replace('.', '_')}"
        metadata = {
            "package_version": version,
            "argos_version": "1.9.0",  # the oldest one that reads such a package
            "from_code": source,
            "from_name": english_name(bcp47(model.languages[0])),
            "to_code": target,
            "to_name": english_name(bcp47(model.languages[1])),
        }
        with tempfile.TemporaryDirectory(dir=folder) as name:
            place = Path(name)
            super().write(model, place)
            (place / TARGET).unlink()
            if model.loaded.tokenizer.tag:  # a package has one direction, so the engine writes the tag before a source
                settings = json.loads((place / "config.json").read_bytes())
                settings |= {"bos_token": f">>{model.languages[1]}<<", "add_source_bos": True}
                (place / "config.json").write_text(json.dumps(settings), "utf-8")
            contents = {f"{MODEL}/{path.name}": path.read_bytes() for path in sorted(place.iterdir())}
        contents[TOKENIZER] = contents.pop(f"{MODEL}/{SOURCE}")
        contents[f"minisbd/{SPLITTER.name}"] = SPLITTER.read_bytes()
        contents["metadata.json"] = json.dumps(metadata, indent=2, ensure_ascii=False).encode()
        with replacing(folder / PACKAGE) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, content in contents.items():
                archive.writestr(f"{top}/{path}", content)

    def open(self, folder: Path, manifest: ManifestFile) -> CTranslate2Translator:
        with tempfile.TemporaryDirectory() as name, zipfile.ZipFile(folder / PACKAGE) as archive:
            top = archive.namelist()[0].partition("/")[0]
            for file, member in ((SOURCE, TOKENIZER), (TARGET, TOKENIZER), (WEIGHTS, f"{MODEL}/{WEIGHTS}")):
                Path(name, file).write_bytes(archive.read(f"{top}/{member}"))
            return super().open(Path(name), manifest)  # after it has read the files, they may go
