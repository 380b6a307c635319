"""What a person sees of a long pass: a bar on a terminal, lines elsewhere."""

from __future__ import annotations

import logging
import re
from types import SimpleNamespace

import pytest

from nmt.data import progress as module
from nmt.data.bar import Bar, fitting
from nmt.data.progress import PassProgress


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    now = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr(module.time, "monotonic", lambda: now.seconds)
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


@pytest.mark.parametrize(("width", "stderr"), [(60, False), (80, False), (160, False), (80, True)])
def test_a_bar_fits_and_ends_with_the_time_left(
    clock: SimpleNamespace,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    width: int,
    stderr: bool,
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr(f"sys.{'stderr' if stderr else 'stdout'}.isatty", lambda: True)
    with PassProgress("translating test", 2000, unit="sentences", stderr=stderr) as progress:
        clock.seconds += 20
        progress.advance(1000)
        clock.seconds += 20
        progress.advance(100)
    drawn = capsys.readouterr()
    shown = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", drawn.err if stderr else drawn.out)
    assert not (drawn.out if stderr else drawn.err)
    lines = [line for line in re.split(r"[\r\n]+", shown) if line]
    assert lines and {len(line) for line in lines} == {width}
    assert lines[-1].endswith("left") and "translating test: 1,100 of 2,000 sentences" in lines[-1]
    assert ("sentences/s" in lines[-1]) == (width > 80)


def test_a_task_of_srun_needs_no_number_of_tasks_on_each_node(
    clock: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Only training needs it. The first task draws the bar."""
    variables = {"NTASKS": "2", "STEP_NUM_TASKS": "2", "LOCALID": "0", "JOB_NAME": "job"}
    for name, value in variables.items():
        monkeypatch.setenv(f"SLURM_{name}", value)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    for rank in (0, 1):
        monkeypatch.setenv("SLURM_PROCID", str(rank))
        with PassProgress("translating", 2000, unit="lines") as progress:
            clock.seconds += 20
            progress.advance(1000)
        assert ("translating" in capsys.readouterr().out) == (rank == 0)


def test_the_cursor_waits_where_a_wrapped_line_begins(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "60")
    bar = Bar()
    bar.start()
    bar.update(0.5, ["half"])
    bar.stop()
    drawn = capsys.readouterr().out.split("\x1b[J")[1:]
    assert drawn and all(part.count("\n") <= 1 and "\r" in part for part in drawn)


def test_figures_are_left_out_in_their_order() -> None:
    figures, dispensable = ["epoch 1", "", "loss 2", "1 s left"], ["loss 2", "epoch 1"]
    assert fitting(figures, dispensable, 25) == "epoch 1  loss 2  1 s left"
    assert fitting(figures, dispensable, 24) == "epoch 1  1 s left"
    assert fitting(figures, dispensable, 3) == "1 s left"
