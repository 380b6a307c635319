"""A signal stops a run at any time."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from nmt.training import interruption
from nmt.training.interruption import Stopped, stopped_by_signals


class Fragile:
    """Gets a signal while it is destroyed."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __del__(self) -> None:
        os.kill(os.getpid(), self.number)


@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_a_signal_is_not_lost_while_an_object_is_destroyed(number: int) -> None:
    with pytest.raises(KeyboardInterrupt) as stop, stopped_by_signals():
        thing = Fragile(number)
        del thing
        for _ in range(100):
            time.sleep(0.05)
    assert isinstance(stop.value, Stopped) and stop.value.number == number


PAIRS = [(signal.SIGTERM, signal.SIGTERM), (signal.SIGINT, signal.SIGTERM), (signal.SIGINT, signal.SIGINT)]


@pytest.mark.usefixtures("default_signals")
@pytest.mark.parametrize(("first", "second"), PAIRS)
def test_signals_that_arrive_together_are_one(first: int, second: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tidied = []
    with pytest.raises(KeyboardInterrupt) as stop, stopped_by_signals():
        try:
            os.kill(os.getpid(), first)
            time.sleep(5)
        finally:
            time.sleep(0.05)
            os.kill(os.getpid(), second)
            time.sleep(0.01)
            tidied.append("inside")
    os.kill(os.getpid(), second)  # until the program has ended
    time.sleep(0.01)
    assert isinstance(stop.value, Stopped) and stop.value.number == first and tidied == ["inside"]
    with pytest.raises(Stopped) as later:
        monkeypatch.setattr(interruption, "_together_until", 0.0)  # half a second later
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)
    assert later.value.number == signal.SIGINT


def test_signals_after_the_end_of_a_program_change_no_status() -> None:
    code = """
import atexit, os, signal
from nmt.cli.program import run

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell ignores it in background jobs

def work(words):
    atexit.register(os.kill, os.getpid(), signal.SIGTERM)
    os.kill(os.getpid(), signal.SIGINT)
    signal.pause()

run(work)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")
