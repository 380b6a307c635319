"""How long a batch takes, judged by the latest ones."""

from __future__ import annotations

import pytest

from nmt.deploy.serve import pace as pace_module
from nmt.deploy.serve.pace import LATEST, NEWEST, VALID, Pace


def test_a_batch_takes_as_long_as_the_latest_of_about_its_size() -> None:
    pace = Pace()
    assert pace.seconds(1) == pace.seconds(64) == 0
    for size, seconds in ((1, 0.1), (64, 2.0), (100, 4.0), (127, 3.0)):
        pace.note(size, seconds)
    assert pace.seconds(1) == 0.1
    assert [pace.seconds(size) for size in (64, 90, 127)] == [3.0] * 3


def test_nothing_is_concluded_from_small_batches_but_that_large_ones_take_no_less() -> None:
    pace = Pace()
    pace.note(2, 0.25)
    assert [pace.seconds(size) for size in (1, 2, 3, 64)] == [0, 0.25, 0.25, 0.25]


def test_one_batch_that_took_long_counts_for_little_and_old_ones_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 1000.0
    monkeypatch.setattr(pace_module.time, "monotonic", lambda: now)
    pace = Pace()
    for seconds in (1.0, 1.1, 60.0):
        pace.note(64, seconds)
    assert pace.seconds(64) == 1.1
    for seconds in (*[5.0] * NEWEST, 1.0, 1.0):  # slower soon, faster late
        pace.note(64, seconds)
    assert pace.seconds(64) == 5.0
    for _ in range(LATEST):
        pace.note(64, 1.0)
    assert pace.seconds(64) == 1.0
    now += VALID + 1
    assert pace.seconds(64) == 0
