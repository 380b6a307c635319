"""When a run ends: its limits on updates, epochs and time, and the share of them that is done."""

from __future__ import annotations

import math
from dataclasses import dataclass

from nmt.config.settings import TrainerConfig


@dataclass(frozen=True)
class Limits:
    """When a run ends; None means no limit."""

    updates: int | None = None
    epochs: int | None = None
    seconds: float | None = None

    @classmethod
    def of(cls, settings: TrainerConfig) -> Limits:
        """Return the limits of the settings under `trainer`; max_time is DD:HH:MM:SS."""
        seconds = None
        if settings.max_time is not None:
            days, hours, minutes, rest = map(int, settings.max_time.split(":"))
            seconds = float(((days * 24 + hours) * 60 + minutes) * 60 + rest)
        return cls(settings.max_steps if settings.max_steps > 0 else None, settings.max_epochs, seconds)

    def or_default(self, pairs: int) -> Limits:
        """Return these limits; if there is none, the default number of epochs for this many training pairs."""
        return Limits(epochs=default_epochs(pairs)) if self == Limits() else self

    def __str__(self) -> str:
        """Return the limits as "at most 30 epochs or 8,000 updates"."""
        units = ((self.epochs, "epochs"), (self.updates, "updates"), (self.seconds, "seconds"))
        return "at most " + " or ".join(f"{limit:,.0f} {unit}" for limit, unit in units if limit is not None)

    def share(self, *, updates: int, epochs: float, seconds: float) -> float:
        """Return the share of the run that is done, from 0 to 1: the largest used share of any limit."""
        pairs = ((updates, self.updates), (epochs, self.epochs), (seconds, self.seconds))
        shares = [done / limit if limit else 1.0 for done, limit in pairs if limit is not None]
        return min(1.0, max(shares, default=0.0))


def default_epochs(pairs: int) -> int:
    """Return the number of epochs for a corpus of this many training pairs: 30 for the 29,000 pairs of Multi30k.

    The number falls with the square root of the number of pairs, so the number of updates grows with this root. It is
    at least 3 and at most 300.
    """
    return min(300, max(3, round(30 * math.sqrt(29_000 / max(1, pairs)))))
