"""The program that writes a model for another engine, and compares both."""

from __future__ import annotations

import importlib.util
import json
import math
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from nmt.deploy.cli import export
from nmt.errors import UserError
from nmt.translation.loading import load
from tests.tiny_run import Run

pytest.importorskip("ctranslate2")


def words(run: Run, out: Path, *more: str) -> Sequence[str]:
    return [f"ckpt={run.folder}", f"out={out}", "format=ctranslate2", *more]


@pytest.fixture(scope="module")
def folder(run: Run, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An exported model."""
    out = tmp_path_factory.mktemp("out") / "a model"
    export.main(words(run, out))
    return out


def test_a_missing_package_is_named_first(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = importlib.util.find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "ctranslate2" else found(name))
    with pytest.raises(UserError, match=r"^format=ctranslate2 needs ctranslate2, not installed; pip install '.*deploy"):
        export.main(words(run, tmp_path / "model"))
    assert not list(tmp_path.iterdir())


def test_the_folder_has_model_tokenizer_card_and_settings(folder: Path, run: Run) -> None:
    files = {path.name for path in folder.iterdir()}
    assert files >= {"model.bin", "config.json", "source.spm", "target.spm", "README.md", "export.json"}
    assert not [path for path in folder.parent.iterdir() if path != folder], "nothing is left beside it"
    manifest = json.loads((folder / "export.json").read_text("utf-8"))
    assert manifest["search"]["normalization"] == "power" and manifest["format"]["quantization"] == "float32"
    assert str(run.data) not in (folder / "export.json").read_text("utf-8")
    card = (folder / "README.md").read_text("utf-8")
    assert "100.0% of the greedy translations are equal" in card and "en to de" in card
    assert re.search(r"^- `nrefs:1\|case:mixed\|.*\|version:.*`$", card, re.MULTILINE)


def test_the_cards_example_translates_without_torch(folder: Path) -> None:
    """It runs in the folder, with no module but those that it installs."""
    (program,) = re.findall(r"```python\n(.*?)```", (folder / "README.md").read_text("utf-8"), re.S)
    refusing = "import sys; sys.modules['torch'] = sys.modules['nmt'] = None\n"
    done = subprocess.run([sys.executable, "-c", refusing + program], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (sample,) = re.findall(r"lines = (\[.*\])", program)
    (found,) = load(folder, device="cpu")[0].translate(json.loads(sample))
    assert done.stdout[:15] == found.text[:15], "the same as in our program, up to the limit of the length"


@pytest.mark.parametrize("error", [0.01, math.nan])
def test_a_model_that_computes_something_else_is_not_written(
    error: float, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from nmt.deploy.export import ctranslate2

    right = ctranslate2.specification

    def wrong(*arguments: object) -> object:
        spec = right(*arguments)  # type: ignore[arg-type]
        spec.encoder.layer[1].ffn.linear_0.bias += error
        return spec

    monkeypatch.setattr(ctranslate2, "specification", wrong)
    with pytest.raises(UserError, match=r"^check: a log-probability differs by .*, expected at most 0\.0001"):
        export.main(words(run, tmp_path / "model"))
    assert not list(tmp_path.iterdir())


def test_a_format_is_needed_and_nothing_is_overwritten(run: Run, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"^format: not given; add .*format=ctranslate2"):
        export.main([f"ckpt={run.folder}", f"out={tmp_path / 'new'}"])
    (tmp_path / "mine.txt").write_text("mine", "utf-8")
    with pytest.raises(UserError, match=r"^out=.*: exists already; name a new folder"):
        export.main(words(run, tmp_path))
    assert (tmp_path / "mine.txt").read_text("utf-8") == "mine"
