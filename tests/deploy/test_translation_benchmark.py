"""`scripts/benchmark.py translation`: the table of runs and exported models."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from nmt.deploy.cli import export
from scripts import benchmark
from scripts.benchmarks import translation as translation_benchmark
from tests.tiny_run import make_run


@pytest.mark.slow
def test_the_report(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ctranslate2")
    for name in ("WARMUP", "ROUNDS", "SINGLE"):
        monkeypatch.setattr(translation_benchmark, name, 1)
    run = make_run(tmp_path)
    export.main([f"ckpt={run.folder}", f"out={tmp_path / 'small'}", "format=ctranslate2", f"data.path={run.data}"])
    capsys.readouterr()
    benchmark.main(["translation", f"model={run.folder}", f"model={tmp_path / 'small'}", f"data.path={run.data}"])
    said = capsys.readouterr().out
    assert "; 12 sentences\n" in said and "| BLEU | equal (%) |" in said
    # CTranslate2 alone does not know our limit of the length of a translation, which an untrained model reaches.
    own = re.escape(run.folder.name)
    rows = {own: r"100\.0", f"{own}, engine=ctranslate2": r"100\.0", f"{own}, CTranslate2 alone": r"[\d.]+"}
    rows |= {"small": r"100\.0", "small, CTranslate2 alone": r"[\d.]+"}
    for name, equal in rows.items():
        ratio = r" [\d.]+ \([\d.]+ to [\d.]+\) \|"
        row = rf"^\| {name} \|( [\d.,]+ \|){{4}} {equal} \|( [\d,]+ \|){{2}}({ratio}){{2}}( [\d.]+ \|){{2}}$"
        assert re.search(row, said, re.M), said
