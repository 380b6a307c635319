"""`scripts/benchmark.py doubts`: the table of planted faults."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from nmt.errors import UserError
from nmt.lab.attention import detachment
from scripts import benchmark
from scripts.benchmarks import doubts as doubts_benchmark
from tests.tiny_run import make_run


def test_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doubts_benchmark, "SENTENCES", 6)
    monkeypatch.setattr(doubts_benchmark, "FEWEST", 1)
    monkeypatch.setattr(detachment, "FEWEST", 5)
    run = make_run(tmp_path)
    (tmp_path / "Korean.txt").write_text("개가 해변에서 달립니다.\n\n" * 20, "utf-8")
    benchmark.main(["doubts", f"ckpt={run.folder}", f"data.path={run.data}", f"foreign={tmp_path / 'Korean.txt'}"])
    head, _, columns, _, *rows = capsys.readouterr().out.splitlines()
    assert head.startswith("hardware: ") and head.endswith("; 6 sentences, beam3.lp1, seed 1")
    cells = {row.split(" | ")[0].strip("| "): row.strip("|").split(" | ") for row in rows if row}
    expected = ["own", "own, better half", "references", "noise", "Korean", "one word", "headings", "swapped"]
    expected += ["repeated", "doubled", "noise before"]
    assert list(cells) == expected, "no translation has two words that could be divided"
    assert cells["Korean"][1:4] == ["6", "100.0 %", "100.0 %"] and columns.startswith("| kind | translations | doubted")
    assert columns.endswith(" AUC | Wass-to-Unif | Wass-to-Data | Wass-Combo | detached |")
    assert all(0 <= float(area) <= 1 for area in cells["swapped"][-4:-1])


def test_the_area_is_the_probability_of_the_right_order() -> None:
    draw = np.random.default_rng(1)
    sound, faulty = draw.integers(0, 9, 30).astype(float), draw.integers(-3, 6, 20).astype(float)
    order = [1.0 if a > b else 0.5 if a == b else 0.0 for a in sound for b in faulty]
    assert doubts_benchmark.auc(sound, faulty) == pytest.approx(sum(order) / len(order))
    assert doubts_benchmark.auc(sound, sound) == 0.5 and doubts_benchmark.auc(sound, sound - 99) == 1


@pytest.mark.parametrize("arguments", [[], ["ckpt=run", "faults=3"], ["ckpt=run", "seed=one"]], ids=str)
def test_other_arguments_are_an_error(arguments: list[str]) -> None:
    with pytest.raises(UserError, match=r"benchmark.py doubts: got .*, expected ckpt=RUN \["):
        doubts_benchmark.run(arguments)
