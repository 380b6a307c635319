"""The exception of a run that was stopped from outside and can be continued."""

from __future__ import annotations

import logging
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from nmt.run_files import last_checkpoint

logger = logging.getLogger(__name__)


class Interrupted(Exception):
    """The run was asked to stop, and last.ckpt in `folder` holds its state after `update`.

    `number` is the signal that stopped it.
    """

    def __init__(self, number: int, update: int, folder: Path) -> None:
        super().__init__(f"{signal.Signals(number).name}, update {update} is saved in {folder}")
        self.number = number
        self.update = update
        self.folder = folder


@contextmanager
def interruptible(folder: Path, saved_update: Callable[[], int]) -> Iterator[None]:
    """Turn Ctrl-C into `Interrupted` if `folder` has a last.ckpt, otherwise into KeyboardInterrupt.

    `saved_update` returns the update of last.ckpt.
    """
    try:
        yield
    except (KeyboardInterrupt, SystemExit, Interrupted) as stop:  # Lightning turns KeyboardInterrupt into SystemExit
        if not last_checkpoint(folder).is_file():
            raise KeyboardInterrupt from stop
        logger.info(f"stopped; update {saved_update():,} is saved")
        if isinstance(stop, Interrupted):
            raise
        raise Interrupted(signal.SIGINT, saved_update(), folder) from stop
