"""scripts/benchmark.py. With `turns`, systems train in turns, and JoeyNMT gets the same sizes, pairs and pieces."""

from __future__ import annotations

from pathlib import Path

import pytest
import sentencepiece
import yaml

from nmt.errors import UserError
from scripts import benchmark
from scripts.benchmarks import turns
from tests.tiny_run import make_run

# Each turn is faster than the one before; bf16-mixed has half the speed.
OURS = """
import sys
from pathlib import Path
turns = Path(__file__).parent / "turns"
turns.write_text(turns.read_text() + "." if turns.exists() else ".")
rate = 1000 * len(turns.read_text()) // (2 if "trainer.precision=bf16-mixed" in sys.argv else 1)
print(f"training: {rate:,} real target tokens/s, 1 GFLOP/s")
"""
JOEYNMT = """#!/bin/sh
echo "$@" | grep -q "^-m joeynmt train .* --skip-test$" || exit 1
cp -r "$(dirname "$4")" "$(dirname "$0")/seen"
for rate in 7 100 140; do echo "Step: 1, Tokens per Sec:      $rate, Lr: 0.1"; done
"""


def test_a_recipe_keeps_its_own_sizes() -> None:
    assert benchmark.with_defaults(["experiment=demo"]) == ["trainer.log_every_n_steps=10", "experiment=demo"]
    assert "data.batch_tokens=4096" in benchmark.with_defaults(["data.path=x"])


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "ours.py").write_text(OURS)
    (tmp_path / "python").write_text(JOEYNMT)
    (tmp_path / "python").chmod(0o755)
    monkeypatch.setattr(turns, "BENCHMARK", tmp_path / "ours.py")
    return tmp_path


def test_the_ratios_are_of_the_turns(programs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    benchmark.main(["turns", "turns=2", "with=trainer.precision=bf16-mixed seed=2", "data=cldr"])
    rows = capsys.readouterr().out.strip().splitlines()[-2:]
    assert rows == [  # 1,000 and 3,000; half of 2,000 and half of 4,000
        "| as it is | 2,000 | 1.00 (1.00 to 1.00) |",
        "| trainer.precision=bf16-mixed seed=2 | 1,500 | 0.83 (0.67 to 1.00) |",
    ]


def test_joeynmt_gets_the_sizes_the_pairs_and_the_pieces(programs: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = make_run(programs)
    words = ["data=files", f"data.path={run.data}", "data.val_size=6", "tokenizer.vocab_size=null"]
    benchmark.main(["turns", "turns=1", f"joeynmt={programs / 'python'}", "model.decoder.layers=2", *words])
    assert "| JoeyNMT | 120 | 0.12 (0.12 to 0.12) |" in capsys.readouterr().out  # without the first updates
    config = yaml.safe_load((programs / "seen/joeynmt.yaml").read_text())
    assert config["model"]["encoder"]["num_layers"] == 4 and config["model"]["decoder"]["num_layers"] == 2
    assert config["training"]["batch_size"] == 4096
    processor = sentencepiece.SentencePieceProcessor(model_file=str(programs / "seen/source.model"))
    pieces = (programs / "seen/source.txt").read_text("utf-8").splitlines()
    lines = (programs / "seen/train.source").read_text("utf-8").splitlines()
    assert lines and {piece for line in lines for piece in processor.encode(line, out_type=str)} <= {*pieces}


def test_a_system_that_fails_is_named(programs: Path) -> None:
    (programs / "ours.py").write_text("raise SystemExit('error: seed: got x')")
    with pytest.raises(UserError, match="as it is: error: seed: got x"):
        benchmark.main(["turns", "turns=1"])
    with pytest.raises(UserError, match="turns: got 0, expected a number of turns"):
        benchmark.main(["turns", "turns=0"])
