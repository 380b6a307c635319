"""What the notes below a comparison say."""

from __future__ import annotations

import pytest

from nmt.lab.compare.table import cautions


@pytest.mark.parametrize(
    ("runs", "words"),
    [
        ([(1000, 3.0, False), (1040, 3.1, False)], []),
        ([(87, 1.5, False), (256, 2.0, False)], ["made 87 to 256 updates"]),
        ([(100, 0.9, False), (100, 1.0, False)], ["1 of 2 runs have learned too little"]),
        ([(10, 5.0, True), (11, 0.5, False)], ["made 10 to 11 updates", "2 of 2 runs have learned too little"]),
    ],
)
def test_a_table_says_why_its_runs_cannot_be_compared(runs: list[tuple[int, float, bool]], words: list[str]) -> None:
    notes = cautions([dict(zip(("updates", "epochs", "by_chance"), run, strict=True)) for run in runs])
    assert len(notes) == len(words) and all(word in note for word, note in zip(words, notes, strict=True))
