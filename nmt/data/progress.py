"""Shows the progress of a long pass over sentences: reading, encoding, translating."""

from __future__ import annotations

import logging
import sys
import time
from dataclasses import KW_ONLY, dataclass
from types import TracebackType
from typing import TYPE_CHECKING

from nmt.system.launch import independent_launch

if TYPE_CHECKING:
    from nmt.data.bar import Bar

QUIET_SECONDS = 2.0  # on a terminal, a shorter pass shows no bar
LINE_SECONDS = 30.0  # between two lines of the log if there is no terminal

logger = logging.getLogger(__name__)


@dataclass(eq=False)
class PassProgress:
    """Shows a bar on a terminal, and a log line every half minute elsewhere, while the `with` block lasts.

    `activity` is its name ("encoding"), `total` the number of its units (None if unknown), and `unit` their name.
    `done` units were done before. The bar is on standard output, or on standard error if `stderr`. With `quiet`,
    nothing is shown.
    """

    activity: str
    total: int | None = None
    _: KW_ONLY
    unit: str = "pairs"
    done: int = 0
    stderr: bool = False
    quiet: bool = False

    def __post_init__(self) -> None:
        self._before = self.done
        self._bar: Bar | None = None

    def __enter__(self) -> PassProgress:
        self._started = time.monotonic()
        self._next = self._started + (QUIET_SECONDS if self._on_terminal() else LINE_SECONDS)
        return self

    def advance(self, count: int) -> None:
        """Add `count` to the number of finished units. Update the bar, or log a line if enough time has passed."""
        self.done += count
        if self._bar is not None:
            self._update(self._bar)
        elif not self.quiet and time.monotonic() >= self._next:
            self._next = time.monotonic() + LINE_SECONDS
            if self._on_terminal():
                self._start_bar()
            else:
                logger.info(f"{self.activity}: {', '.join(filter(None, self._figures()))}")

    def _on_terminal(self) -> bool:
        return independent_launch().rank == 0 and (sys.stderr if self.stderr else sys.stdout).isatty()

    def _start_bar(self) -> None:
        from nmt.data.bar import Bar

        self._bar = Bar(stderr=self.stderr)
        self._update(self._bar)
        self._bar.start()

    def _update(self, bar: Bar) -> None:
        figures = self._figures()
        share = self.done / self.total if self.total else 0.0
        bar.update(share, [f"{self.activity}: {figures[0]}", *figures[1:]], dispensable=figures[1:2])

    def _figures(self) -> list[str]:
        """Return the count, the rate and the time left; the last is empty if the total or the rate is not known."""
        seconds = time.monotonic() - self._started
        total = "" if self.total is None else f" of {self.total:,}"
        rate = (self.done - self._before) / seconds
        left = f"{clock((self.total - self.done) / rate)} left" if self.total is not None and rate else ""
        return [f"{self.done:,}{total} {self.unit}", f"{rate:,.{0 if rate >= 10 else 1}f} {self.unit}/s", left]

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


def clock(seconds: float) -> str:
    """Return a duration as h:mm:ss."""
    whole = int(seconds)
    return f"{whole // 3600}:{whole // 60 % 60:02}:{whole % 60:02}"
