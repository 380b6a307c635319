"""The benchmark of training."""

from __future__ import annotations

import pytest

from scripts.benchmark import with_defaults
from scripts.benchmarks import training as timings


def test_matmul_peak_counts_two_operations_a_multiplication(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter([0.0, 2.0, 10.0, 11.0, 20.0, 24.0])  # seconds: three products of 2, 1 and 4
    monkeypatch.setattr("time.perf_counter", lambda: next(clock))
    monkeypatch.setattr(timings, "PEAK_WIDTH", 8)
    monkeypatch.setattr(timings, "PEAK_PRODUCTS", 3)
    assert timings.matmul_peak("cpu") == 2 * 8**3


def test_a_recipe_keeps_its_own_sizes() -> None:
    assert with_defaults(["experiment=demo"]) == ["trainer.log_every_n_steps=10", "experiment=demo"]
    assert "data.batch_tokens=4096" in with_defaults(["data.path=x"])
