"""scripts/benchmark.py gpu, with a tiny model on the processor."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from scripts.benchmarks import gpu, training

TINY = ["trainer.accelerator=cpu", "data.batch_tokens=300", "model.encoder.layers=1", "model.encoder.block.heads=2"]
TINY += ["models=base", "model.encoder.block.width=8", "model.encoder.block.feed_forward=8"]


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gpu, "PIECES", 1500)
    monkeypatch.setattr(gpu, "LINES", {"train": 60, "val": 4, "test": 3})
    monkeypatch.setattr(gpu, "WARMUP", 1)
    for name in ("WARMUP", "TIMED"):
        monkeypatch.setattr(training, name, 1)


def test_a_model_trains_and_translates() -> None:
    found = "\n".join(gpu.report(TINY))
    assert re.search(r"^base: training: [\d,]+ real target tokens/s, .* peak memory [\d,]+ MiB$", found, re.MULTILINE)
    assert "base: translation: 3 sentences in " in found


def test_a_profile_has_a_table_of_one_update(tmp_path: Path) -> None:
    table = tmp_path / "table.txt"
    assert list(gpu.report([*TINY, f"profile={table}"])) == [f"base: the table of an update is in {table}"]
    assert re.search(r"^ +aten::\w*mm ", table.read_text("utf-8"), re.MULTILINE)
