"""Shows the progress of a long pass over a corpus."""

from __future__ import annotations

import logging
import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress

QUIET_SECONDS = 2.0  # on a terminal, a shorter pass shows no bar
LINE_SECONDS = 30.0  # between two lines of the log if there is no terminal

logger = logging.getLogger(__name__)


class PassProgress:
    """Shows a bar on a terminal, and a log line every half minute elsewhere, while the `with` block lasts."""

    def __init__(self, activity: str, total: int | None = None) -> None:
        """Take the name of the activity ("encoding") and the number of pairs (None if it is not known)."""
        self.activity = activity
        self.total = total
        self.done = 0
        self._bar: Progress | None = None

    def __enter__(self) -> PassProgress:
        self._started = time.monotonic()
        self._next = self._started + (QUIET_SECONDS if sys.stdout.isatty() else LINE_SECONDS)
        return self

    def advance(self, pairs: int) -> None:
        """Add `pairs` to the count. Update the bar, or log a line if enough time has passed."""
        self.done += pairs
        if self._bar is not None:
            self._bar.update(self._bar.tasks[0].id, completed=self.done)
        elif time.monotonic() >= self._next:
            self._next = time.monotonic() + LINE_SECONDS
            if sys.stdout.isatty():
                self._start_bar()
            else:
                rate = self.done / (time.monotonic() - self._started)
                total = "" if self.total is None else f" of {self.total:,}"
                logger.info(f"{self.activity}: {self.done:,}{total} pairs, {rate:,.0f} pairs/s")

    def _start_bar(self) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (TextColumn("{task.description}"), BarColumn(bar_width=None))
        self._bar = Progress(*columns, MofNCompleteColumn(), TimeRemainingColumn(), expand=True)
        self._bar.add_task(self.activity, total=self.total, completed=self.done)
        self._bar.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
