"""Stops a run from outside: Ctrl-C, SIGTERM, SIGHUP and SIGUSR1 have the same effect, at any time.

A program may get more than one signal for a single stop: from a terminal and a parent process, or from a queue of jobs.
All signals within `TOGETHER` seconds of the first one belong to it, until the program has ended.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from nmt.system.run_files import last_checkpoint

logger = logging.getLogger(__name__)

# SLURM sends SIGUSR1 before the end of a job if it was told so. Windows has only SIGTERM.
SIGNALS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGUSR1") if hasattr(signal, name)]

TOGETHER = 0.5  # seconds; a signal waits for torch's current operation before it is handled
_together_until = 0.0  # in seconds of time.monotonic


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


def is_another() -> bool:
    """Note a signal that has arrived. Return False if it belongs to an earlier signal."""
    global _together_until
    now = time.monotonic()
    if now < _together_until:
        return False
    _together_until = now + TOGETHER
    return True


def expect_new_signal() -> None:
    """Let the next signal count as a new one."""
    global _together_until
    _together_until = 0.0


def stop(number: int, frame: FrameType | None) -> None:
    """Raise `Stopped`, unless the signal belongs to an earlier signal. This is a signal handler."""
    if is_another():
        for each in (signal.SIGINT, *handled()):  # further signals would end the program before it has tidied up
            signal.signal(each, stop)
        raise Stopped(number)


def stopped_by_ctrl_c() -> None:
    """Let Ctrl-C raise `Stopped`, unless the program ignores it or handles it in another way."""
    expect_new_signal()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, stop)


def ignore_the_rest() -> None:
    """Ignore from now on the signals that belong to the one that stopped the program, also while Python ends."""
    if time.monotonic() < _together_until:
        for number in (signal.SIGINT, *handled()):
            signal.signal(number, signal.SIG_IGN)


@contextmanager
def stopped_by_signals() -> Iterator[None]:
    """Raise `Stopped` when Ctrl-C or one of `SIGNALS` arrives in the block.

    A signal that arrives while an object is destroyed is sent again, because Python drops exceptions there.
    """

    def again(dropped: sys.UnraisableHookArgs) -> None:
        if isinstance(dropped.exc_value, KeyboardInterrupt):
            expect_new_signal()
            threading.Timer(0.1, os.kill, (os.getpid(), _number(dropped.exc_value))).start()
        else:
            hook(dropped)

    hook, sys.unraisablehook = sys.unraisablehook, again  # Python drops exceptions while it destroys an object
    before = {number: signal.signal(number, stop) for number in handled()}
    before[signal.SIGINT] = signal.getsignal(signal.SIGINT)
    stopped_by_ctrl_c()
    try:
        yield
    finally:
        if time.monotonic() >= _together_until:
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
    """Return the signal that caused an exception, which Lightning may have replaced by another exception."""
    while stop is not None:
        if isinstance(stop, Stopped | Interrupted):
            return stop.number
        stop = stop.__context__
    return signal.SIGINT
