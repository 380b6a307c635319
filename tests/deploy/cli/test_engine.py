"""The programs that translate, with an exported model: the same lines, scores and files as with the run."""

from __future__ import annotations

import functools
import itertools
import json
import math
import operator
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nmt.cli import translate
from nmt.deploy.cli import export
from nmt.errors import UserError
from nmt.translation.loading import load
from tests.tiny_run import Run, sentences

pytest.importorskip("ctranslate2")
POWER = ("search.normalization=power", "search.length_penalty=0.6")


@pytest.fixture(scope="module")
def folder(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model exported to CTranslate2."""
    out = tmp_path_factory.mktemp("out") / "model"
    export.main([f"ckpt={run.folder}", f"out={out}", "format=ctranslate2", "sentences=5"])
    return out


def test_a_file_has_the_same_lines(run: Run, folder: Path, tmp_path: Path) -> None:
    lines = tmp_path / "lines.en"
    lines.write_text("".join(f"{line}\n" for line in ["", *sentences(30, seed=8)]), "utf-8")
    form = [f"input={lines}", "format=jsonl", "search.beam_size=1", *POWER]
    translate.main([f"ckpt={run.folder}", f"output={tmp_path / 'ours'}", *form])
    translate.main([f"ckpt={folder}", f"output={tmp_path / 'theirs'}", *form])
    ours, theirs = (
        [json.loads(line) for line in (tmp_path / name).read_text("utf-8").splitlines()] for name in ("ours", "theirs")
    )
    assert [row["text"] for row in ours] == [row["text"] for row in theirs]
    for one, two in zip(ours, theirs, strict=True):
        assert one["pieces"] == two["pieces"] and one["cut"] == two["cut"]
        assert two["token_log_probs"] == pytest.approx(one["token_log_probs"], abs=1e-4)
        assert two["score"] == pytest.approx(one["score"], abs=1e-4)


def test_an_exported_model_has_no_attention_maps_and_is_in_no_ensemble(folder: Path) -> None:
    with pytest.raises(UserError, match="an exported model has none"):
        translate.main([f"ckpt={folder}", "text=a dog", "format=jsonl", "with_attention=true"])
    with pytest.raises(UserError, match=r"it has no checkpoints/best\.safetensors.*; it is an exported model"):
        translate.main([f"ckpt=[{folder},{folder}]", "text=a dog"])


ENCODER = "config.model.encoder"
WRONG: list[tuple[str, object, str]] = [
    ("nmt_export", 2, "nmt_export: got 2"),
    ("source_limit", -1, "source_limit: got -1, expected an integer of at least 1"),
    ("target_limit", math.nan, "target_limit: got nan, expected"),
    ("format", {}, "written with format=None for another program"),
    ("format.name", "argos", "written with format=argos for another program"),
    ("format.quantization", "int3", r"format\.quantization: got 'int3', expected one of float32"),
    ("config", {}, r"config\.name: missing"),
    (f"{ENCODER}._target_", "os.system", r"_target_: got 'os\.system', expected a class in nmt\.models"),
    (f"{ENCODER}.layers", -1, "layers: got -1, expected"),
    ("config.spans", {"a": "("}, r"spans\.a: got '\(', which is no regular expression"),
    ("config.data.source_lang", "../x", r"source_lang: got '\.\./x', expected text of at most 32"),
    ("config.data.max_length", math.inf, "max_length: got inf, expected"),
    ("search", {}, "search: got {}, expected a mapping with _target_"),
    ("search.length_penalty", math.nan, "length_penalty: got nan, expected"),
    ("search.utility", {"_target_": "os.system"}, r"got 'os\.system', expected a class in nmt\.search"),
    ("scores", [[[[]]]], "scores: got"),
    ("update", 10**30, "update: got 1000"),
]


@pytest.fixture
def stranger(folder: Path, tmp_path: Path) -> Path:
    """A copy of the exported folder, as a stranger could have changed it."""
    return Path(shutil.copytree(folder, tmp_path / "theirs"))


@pytest.mark.parametrize(("key", "value", "message"), WRONG, ids=[f"{key}={value}" for key, value, _ in WRONG])
def test_a_wrong_value_is_one_line(stranger: Path, key: str, value: object, message: str) -> None:
    manifest: Any = json.loads((stranger / "export.json").read_text("utf-8"))
    *parents, name = key.split(".")
    functools.reduce(operator.getitem, parents, manifest)[name] = value
    (stranger / "export.json").write_text(json.dumps(manifest), "utf-8")
    refused(stranger, message)


def refused(folder: Path, message: str) -> None:
    with pytest.raises(UserError, match=message) as error:
        load(folder)
    assert "\n" not in str(error.value)


def test_only_regular_files_of_a_bounded_size_are_read(stranger: Path) -> None:
    makers: list[tuple[Callable[[Path], object], str]] = [
        (Path.mkdir, "a folder, pipe or device"),
        (os.mkfifo, "a folder, pipe or device"),
        (lambda path: path.symlink_to("/dev/zero"), "a folder, pipe or device"),
        (lambda path: (path.touch(), os.truncate(path, 3 * 10**12)), "more than"),
        (lambda path: path.symlink_to(path), "symbolic links"),
        (lambda path: None, "No such file"),
    ]
    for name, (make, message) in itertools.product(("model.bin", "source.spm"), makers):
        (stranger / name).rename(stranger / "kept")
        make(stranger / name)
        refused(stranger, rf"{name}: missing or damaged \(.*{message}.*; use another copy, or export the model again")
        (stranger / name).rmdir() if (stranger / name).is_dir() else (stranger / name).unlink(missing_ok=True)
        (stranger / "kept").rename(stranger / name)
    (stranger / "vmap.txt").symlink_to("/dev/zero")  # files that the folder does not list, and CTranslate2 would read
    os.mkfifo(stranger / "source_vocabulary.json")
    assert load(stranger, device="cpu")[0].translate(["a dog"])[0].tokens
