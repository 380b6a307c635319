"""Ensembles on the command line of evaluate.py: its files, and what it does not overwrite."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from nmt import load_translator
from nmt.cli import evaluate
from nmt.errors import UserError
from nmt.system.lines import as_line
from tests.tiny_run import Run, save_other


@pytest.fixture(scope="module")
def other(run: Run) -> Path:
    return save_other(run, run.folder.parent / "other.safetensors")


@pytest.fixture
def both(run: Run, other: Path) -> str:
    """The argument that names both checkpoints; the path of the first needs quotes."""
    return f'ckpt=["{run.folder}",{other}]'


def test_evaluate_py(run: Run, other: Path, both: str, elsewhere: Path, tmp_path: Path) -> None:
    evaluate.main([both, "device=cpu", "bootstrap=0", f"out={tmp_path}/both", "search.beam_size=1"])
    written = tmp_path / "both" / "translations" / "test.ensemble.beam1.lp1.scores.json"
    facts = json.loads(written.read_text("utf-8"))
    assert facts["checkpoint"] == "ensemble"
    assert facts["members"] == [str(run.folder / "checkpoints" / "best.safetensors"), str(other)]
    texts = (run.data / "test.en").read_text("utf-8").splitlines()
    expected = load_translator([run.folder, other], device="cpu").translate(texts, beam_size=1)
    hypotheses = written.with_name("test.ensemble.beam1.lp1.hyp.de").read_text("utf-8").splitlines()
    assert hypotheses == [as_line(each.text) for each in expected]
    with pytest.raises(UserError, match=r"^out: not given, but an ensemble has no folder of its own; .* out=FOLDER"):
        evaluate.main([both, "device=cpu"])


def test_evaluate_py_keeps_the_results_of_other_checkpoints(run: Run, other: Path, tmp_path: Path) -> None:
    words = ["device=cpu", "bootstrap=0", f"out={tmp_path}", "search.beam_size=1"]
    evaluate.main([f"ckpt={run.folder}", *words])
    evaluate.main([f"ckpt={run.folder}", *words])
    theirs = f"ckpt={save_other(run, run.folder.parent / 'best.safetensors')}"
    for more in ([], ["search.batch_tokens=999"]):  # which is not part of the files' names
        with pytest.raises(UserError, match=r"^out: .*scores\.json is of other checkpoints \(.*best\.safetensors\); "):
            evaluate.main([theirs, *words, *more])
    (scores,) = (tmp_path / "translations").glob("*.scores.json")
    scores.write_text("{", "utf-8")
    with pytest.raises(UserError, match=r"scores\.json: damaged \(.*\); remove it, or name another folder: out="):
        evaluate.main([theirs, *words])
    evaluate.main([f"ckpt={run.folder}", *words[:2], f"out={run.folder}", "search.beam_size=1"])
