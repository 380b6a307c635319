"""`scripts/benchmark.py translation`: its table, and the Transformer in CTranslate2."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from nmt.errors import UserError
from scripts import benchmark
from scripts.benchmarks import translation as translation_benchmark
from tests.tiny_run import Run, make_run


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Run]:
    yield make_run(tmp_path_factory.mktemp("speed"))


def test_the_report(run: Run, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    monkeypatch.setattr(translation_benchmark, "WARMUP", 1)
    monkeypatch.setattr(translation_benchmark, "ROUNDS", 1)
    benchmark.main(["translation", f"ckpt={run.folder}", f"recurrent={run.folder}", f"data.path={run.data}"])
    said = capsys.readouterr().out
    assert "CTranslate2 is left out, because it is not installed: pip install" in said
    assert "; 12 sentences\n" in said
    for name, beam, share in (("Transformer", 1, "1.00"), ("recurrent", 1, ""), ("Transformer", 5, "1.00")):
        assert re.search(rf"^\| {name} \| {beam} \| [\d.]+ \| [\d,]+ \| {share}", said, re.M), said


@pytest.mark.parametrize("arguments", [[], ["ckpt=run", "model=rnn"]], ids=str)
def test_other_arguments_are_an_error(arguments: list[str]) -> None:
    with pytest.raises(UserError, match=r"benchmark.py translation: got .*, expected ckpt=TRANSFORMER \["):
        translation_benchmark.run(arguments)


def test_a_checkpoint_that_is_missing_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="nowhere"):
        translation_benchmark.run([f"ckpt={tmp_path}/nowhere"])
