"""scripts/benchmark.py. With `turns`, systems train in turns."""

from __future__ import annotations

from pathlib import Path

import pytest

from nmt.errors import UserError
from scripts import benchmark
from scripts.benchmarks import turns

# Each turn is faster than the one before; one system has half the speed.
OURS = """
import os
import sys
from pathlib import Path
turns = Path(__file__).parent / "turns"
turns.write_text(turns.read_text() + "." if turns.exists() else ".")
rate = 1000 * len(turns.read_text()) // (2 if os.environ.get("HALF") and "seed=2" in sys.argv else 1)
print(f"training: {rate:,} real target tokens/s, 1 GFLOP/s")
"""


def test_a_recipe_keeps_its_own_sizes() -> None:
    assert benchmark.with_defaults(["experiment=demo"]) == ["trainer.log_every_n_steps=10", "experiment=demo"]
    assert "data.batch_tokens=4096" in benchmark.with_defaults(["data.path=x"])


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ours.py").write_text(OURS)
    monkeypatch.setattr(turns, "BENCHMARK", tmp_path / "ours.py")
    return tmp_path


def test_the_ratios_are_of_the_turns(programs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    benchmark.main(["turns", "turns=2", "busy=1", "with=HALF=1 seed=2", "data=cldr"])
    rows = capsys.readouterr().out.strip().splitlines()[-2:]
    assert rows == [  # 1,000 and 3,000; half of 2,000 and half of 4,000
        "| as it is | 2,000 | 1.00 (1.00 to 1.00) |",
        "| HALF=1 seed=2 | 1,500 | 0.83 (0.67 to 1.00) |",
    ]


def test_a_system_that_fails_is_named(programs: Path) -> None:
    (programs / "ours.py").write_text("raise SystemExit('error: seed: got x')")
    with pytest.raises(UserError, match="as it is: error: seed: got x"):
        benchmark.main(["turns", "turns=1"])
    with pytest.raises(UserError, match="turns: got 0, expected a number from 1"):
        benchmark.main(["turns", "turns=0"])
    with pytest.raises(UserError, match="all: got no model, expected model=RUN"):
        benchmark.main(["all", "data=cldr"])
