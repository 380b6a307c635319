"""How a run is stopped from outside: Ctrl-C, SIGTERM and SIGHUP do the same, at any time."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from nmt.run_files import last_checkpoint

logger = logging.getLogger(__name__)

SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]  # Windows has no SIGHUP


class Stopped(KeyboardInterrupt):
    """The program was asked to stop by the signal `number`."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


class Interrupted(Exception):
    """The run was asked to stop, and last.ckpt in `folder` holds its state after `update`.

    `number` is the signal that stopped it.
    """

    def __init__(self, number: int, update: int, folder: Path) -> None:
        super().__init__(f"{signal.Signals(number).name}, update {update} is saved in {folder}")
        self.number = number


def handled() -> list[int]:
    """Return the signals other than Ctrl-C that stop a run. A signal that is ignored, as by nohup, stays ignored."""
    return [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Raise `Stopped` when SIGTERM or SIGHUP arrives in the block, as Python raises KeyboardInterrupt for Ctrl-C.

    A signal that arrives while an object is destroyed is sent again, because Python drops exceptions there.
    """

    def stop(number: int, frame: FrameType | None) -> None:
        raise Stopped(number)

    def again(dropped: sys.UnraisableHookArgs) -> None:
        if isinstance(dropped.exc_value, KeyboardInterrupt):
            threading.Timer(0.1, os.kill, (os.getpid(), _number(dropped.exc_value))).start()
        else:
            hook(dropped)

    hook, sys.unraisablehook = sys.unraisablehook, again  # Python drops what is raised while it destroys an object
    before = {number: signal.signal(number, stop) for number in handled()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        sys.unraisablehook = hook


@contextmanager
def interruptible(folder: Path, saved_update: Callable[[], int]) -> Iterator[None]:
    """Turn a stop into `Interrupted` if `folder` has a last.ckpt, otherwise into `Stopped`.

    `saved_update` returns the update of last.ckpt.
    """
    try:
        yield
    except (KeyboardInterrupt, SystemExit, Interrupted) as stop:  # Lightning turns KeyboardInterrupt into SystemExit
        if not last_checkpoint(folder).is_file():
            raise Stopped(_number(stop)) from stop
        logger.info(f"stopped; update {saved_update():,} is saved")
        if isinstance(stop, Interrupted):
            raise
        raise Interrupted(_number(stop), saved_update(), folder) from stop


def _number(stop: BaseException | None) -> int:
    """Return the signal behind an exception, which Lightning may have replaced by another one."""
    while stop is not None:
        if isinstance(stop, Stopped | Interrupted):
            return stop.number
        stop = stop.__context__
    return signal.SIGINT
