"""A package for Argos Translate: its files, the same numbers as ours, and its sentence splitter."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from nmt.checkpoint import load_model
from nmt.data.normalization import normalized
from nmt.deploy.cli import export
from nmt.deploy.export.argos import SPLITTER, Argos
from nmt.errors import UserError
from nmt.text.sentences import split as our_split
from tests.deploy.export.models import exported, loaded, transformer, two_vocabularies
from tests.tiny_run import Run, recurrent

pytest.importorskip("ctranslate2")

SPLIT = [
    'A dog runs. Two men sit! Is it so? He said (no.) "Yes." Then he went.',
    "And e.g. this, 3.14 of it. On 5. May J. Kim came. It was 1999. Then what?",
    "Wait... what? Wait... What?! (Nothing.) one more.",
    "나는 간다. 너는 온다. 그렇지? 응!",
    "我去。你来！「好。」他说。",  # noqa: RUF001
    "Привет. Как дела? да. Ещё.",
    "a.b.C www.example.com. Then",
]
TRANSLATE = """
import json, socket, sys

def refused(*arguments):
    raise OSError("no network")

socket.socket.connect = refused
import argostranslate.package, argostranslate.translate
argostranslate.package.install_from_path(sys.argv[1])
print(json.dumps([argostranslate.translate.translate(line, "en", "de") for line in json.load(sys.stdin)]))
"""


def contents(package: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(package) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_package_is_one_folder_with_all_that_argos_reads(run: Run, tmp_path: Path) -> None:
    exported(Argos(), transformer(run), tmp_path / "model")
    found = contents(tmp_path / "model" / "translate.argosmodel")
    names = {"metadata.json", "sentencepiece.model", "minisbd/splitter.onnx"}
    names |= {"model/config.json", "model/model.bin", "model/shared_vocabulary.json"}
    version = time.strftime("%Y.%m.%d")
    top = f"translate-en_de-{version.replace('.', '_')}"
    assert set(found) == {f"{top}/{name}" for name in names}
    assert json.loads(found[f"{top}/metadata.json"]) == {
        **{"package_version": version, "argos_version": "1.9.0"},
        **{"from_code": "en", "from_name": "English", "to_code": "de", "to_name": "German"},
    }
    assert json.loads(found[f"{top}/model/config.json"])["add_source_eos"] is True
    assert found[f"{top}/sentencepiece.model"] == run.translator.tokenizer.source_model


def test_the_search_is_that_of_argos(run: Run, tmp_path: Path) -> None:
    export.main([f"ckpt={run.folder}", f"out={tmp_path / 'model'}", "format=argos", "sentences=4"])
    search = json.loads((tmp_path / "model" / "export.json").read_text("utf-8"))["search"]
    assert (search["beam_size"], search["length_penalty"], search["normalization"]) == (4, 0.2, "power")
    assert "is fixed in argos-translate" in (tmp_path / "model" / "README.md").read_text("utf-8")


def test_what_a_package_lacks_is_refused(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"one SentencePiece model .*; train with tokenizer\.joint=true"):
        Argos().require(transformer(run, tokenizer=two_vocabularies()))
    with pytest.raises(UserError, match=r"format=argos .* train one with model=transformer"):
        Argos().require(loaded(run, recurrent()))


@pytest.fixture(scope="module")
def split() -> Callable[[str], list[str]]:
    """Split a text with the committed file, as MiniSBD reads it."""
    onnxruntime, numpy = pytest.importorskip("onnxruntime"), pytest.importorskip("numpy")
    session = onnxruntime.InferenceSession(SPLITTER.read_bytes(), providers=["CPUExecutionProvider"])
    ids = json.loads(session.get_modelmeta().custom_metadata_map["vocab"])["_unit2id"]

    def found(text: str) -> list[str]:
        units = numpy.array([[ids.get(unit, ids["<UNK>"]) for unit in text]])
        capitals = numpy.array([[[float(unit.isupper())] for unit in text]], dtype=numpy.float32)
        (scores,) = session.run(None, {"units": units, "features": capitals})
        ends = [place + 1 for place, kind in enumerate(scores[0].argmax(1)) if kind == 2]
        parts = (text[start:end].strip() for start, end in itertools.pairwise([0, *ends, len(text)]))
        return [part for part in parts if part]

    return found


@pytest.mark.parametrize("text", SPLIT)
def test_the_splitter_has_the_rule_of_ours(text: str, split: Callable[[str], list[str]]) -> None:
    assert split(text) == [sentence.text for sentence in our_split(text)]


@pytest.mark.slow
@pytest.mark.skipif("NMT_ARGOS_PYTHON" not in os.environ, reason="NMT_ARGOS_PYTHON: a Python with argos-translate-lt")
def test_argos_translates_as_we_do(root: Path, tmp_path: Path) -> None:
    """It runs without a network, and its translations of 50 lines are those of our search with its settings."""
    model = load_model(root / "examples" / "multi30k_transformer")
    ours, _ = exported(Argos(quantization="float32"), model, tmp_path / "model")
    who = ("A man", "Two women", "A brown dog", "Three children in red shirts", "An old man with a cafe\u0301 cup")
    does = ("sits on a bench", "plays in the snow", "is riding a bicycle", "looks at the camera", "runs over grass")
    lines = [f"{one} {two}{end}" for one, two, end in itertools.product(who, does, (".", " near 3 cars."))]
    places = {name: str(tmp_path) for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME")}
    done = subprocess.run(
        [os.environ["NMT_ARGOS_PYTHON"], "-c", TRANSLATE, str(tmp_path / "model" / "translate.argosmodel")],
        input=json.dumps(lines),
        env={"ARGOS_INTRA_THREADS": "1", **places},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    expected = ours.translate(lines, beam_size=4, length_penalty=0.2, max_length_extra=100)
    assert [normalized(text) for text in json.loads(done.stdout)] == [each.text for each in expected]
