"""A run that went on after an evaluation: its translations of before are not compared."""

from __future__ import annotations

from pathlib import Path

import pytest

from nmt.errors import UserError
from nmt.lab.cli import compare as program
from nmt.system.run_files import best_checkpoint
from tests.finished_runs import write_run, write_translations

LINES = [f"sentence {number}" for number in range(30)]
LABEL = "test.beam3.lp1.aaaaaaaa"


def test_translations_of_older_weights_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    place = f"data.test={Path('news.tsv').resolve()}"
    for name, update in (("one", 200), ("two", 100)):
        run = write_translations(write_run(Path(name), updates=200), LINES, LINES, LINES, update=200)
        write_translations(run, LINES[:20], LINES[:20], LINES[:20], label=LABEL, data=place, update=update)
    words = ["one", "two", "data.test=news.tsv", "bootstrap=10", "shuffles=10"]
    with pytest.raises(UserError, match=r"two: holds no translations of news\.tsv .*split=test data\.test=news\.tsv"):
        program.main(words)
    best_checkpoint(Path("two")).unlink()  # as in docs/results
    with pytest.raises(
        UserError, match=r"two: holds no translations of news\.tsv .*, and no checkpoint to make them with"
    ):
        program.main(words)
    write_translations(Path("two"), LINES[:20], LINES[:20], LINES[:20], label=LABEL, data=place, update=200)
    program.main(words)
