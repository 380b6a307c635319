"""What a person sees of a long pass: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import logging
import time
from types import SimpleNamespace

import pytest

from nmt.data import progress as module
from nmt.data.progress import PassProgress


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    now = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr(module, "time", SimpleNamespace(monotonic=lambda: now.seconds))
    return now


def test_lines_where_there_is_no_terminal(clock: SimpleNamespace, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, logger="nmt")
    with PassProgress("translating test", 2000, unit="sentences") as progress:
        for _ in range(3):
            clock.seconds += 20
            progress.advance(500)
    with PassProgress("reading") as progress:
        clock.seconds += 30
        progress.advance(30_000)
    with PassProgress("translating", 2000, unit="lines", done=1000) as progress:
        clock.seconds += 40
        progress.advance(0)  # a batch may complete no sentence: it may hold parts of a long one
        progress.advance(400)
        clock.seconds += 40
        progress.advance(400)
    assert caplog.messages == [
        "translating test: 1,000 of 2,000 sentences, 25 sentences/s, 0:00:40 left",
        "reading: 30,000 pairs, 1,000 pairs/s",
        "translating: 1,000 of 2,000 lines, 0.0 lines/s",
        "translating: 1,800 of 2,000 lines, 10 lines/s, 0:00:20 left",
    ]


@pytest.mark.parametrize("rank", [0, 1])
def test_a_bar_on_the_terminal_of_the_first_process(
    rank: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(module, "QUIET_SECONDS", 0.0)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr(module, "place_of_process", lambda: SimpleNamespace(rank=rank))
    with PassProgress("translating", 2000, unit="lines", done=1000, stderr=True) as progress:
        time.sleep(0.11)  # tqdm draws ten times a second at most
        progress.advance(500)
    with PassProgress("translating", 2000, stderr=True, quiet=True) as progress:
        progress.advance(500)
    drawn = capsys.readouterr()
    assert ("translating:  75%" in drawn.err and "1500/2000" in drawn.err) == (rank == 0) and not drawn.out
    assert bool(drawn.err) == (rank == 0)
