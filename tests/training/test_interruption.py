"""A signal stops a run at any time."""

from __future__ import annotations

import os
import signal
import time

import pytest

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
