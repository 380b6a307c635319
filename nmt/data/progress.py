"""Shows the progress of a long pass over sentences: reading, encoding, translating."""

from __future__ import annotations

import datetime
import logging
import sys
import time
from dataclasses import KW_ONLY, dataclass

from tqdm import tqdm

from nmt.system.place import place_of_process

QUIET_SECONDS = 2.0  # on a terminal, a shorter pass shows no bar
LINE_SECONDS = 30.0  # between two lines of the log if there is no terminal

logger = logging.getLogger(__name__)


@dataclass(eq=False)
class PassProgress:
    """Shows a bar on a terminal, and a log line every half minute elsewhere, while the `with` block lasts.

    `activity` is the name of the pass ("encoding"). `total` is the number of units in the pass (None if unknown), and
    `unit` is their name. `done` units were done before. The bar is on standard output, or on standard error if
    `stderr`. With `quiet`, nothing is shown.
    """

    activity: str
    total: int | None = None
    _: KW_ONLY
    unit: str = "pairs"
    done: int = 0
    stderr: bool = False
    quiet: bool = False

    def __enter__(self) -> PassProgress:
        self._before, self._started, self._last = self.done, time.monotonic(), time.monotonic()
        stream = sys.stderr if self.stderr else sys.stdout
        self._on_terminal = place_of_process().rank == 0 and stream.isatty()
        self._bar = tqdm(
            desc=self.activity, total=self.total, unit=f" {self.unit}", initial=self.done, file=stream, leave=False,
            delay=QUIET_SECONDS, dynamic_ncols=True, disable=self.quiet or not self._on_terminal,
        )  # fmt: skip
        return self

    def advance(self, count: int) -> None:
        """Add `count` to the number of finished units. Move the bar, or log a line if enough time has passed."""
        self.done += count
        self._bar.update(count)
        if not self.quiet and not self._on_terminal and time.monotonic() >= self._last + LINE_SECONDS:
            self._last = time.monotonic()
            rate = (self.done - self._before) / (self._last - self._started)
            total = "" if self.total is None else f" of {self.total:,}"
            left = f", {clock((self.total - self.done) / rate)} left" if self.total is not None and rate else ""
            speed = f"{rate:,.{0 if rate >= 10 else 1}f} {self.unit}/s"
            logger.info(f"{self.activity}: {self.done:,}{total} {self.unit}, {speed}{left}")

    def __exit__(self, *error: object) -> None:
        self._bar.close()


def clock(seconds: float) -> str:
    """Return a duration as h:mm:ss."""
    return str(datetime.timedelta(seconds=int(seconds)))
