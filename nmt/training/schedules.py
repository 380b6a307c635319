"""The limits of a run, and learning-rate schedules, whose factor multiplies the peak learning rate.

A schedule is called with the number of finished updates and the progress of the run, which is `Limits.share`.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Annotated

from nmt.config.settings import TrainerConfig
from nmt.parameters import NonNegativeInt, Range

ShareOfRun = Annotated[float, Range(above=0, high=1)]


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
        """Return these limits; if there is none, a number of epochs for this many training pairs.

        There are 30 epochs for the 29,000 pairs of Multi30k, and always at least 3 and at most 300. The number of
        epochs falls with the square root of the number of pairs, so the number of updates grows with this root.
        """
        epochs = min(300, max(3, round(30 * math.sqrt(29_000 / max(1, pairs)))))
        return Limits(epochs=epochs) if self == Limits() else self

    def __str__(self) -> str:
        """Return the limits as "at most 30 epochs or 8,000 updates"."""
        units = ((self.epochs, "epochs"), (self.updates, "updates"), (self.seconds, "seconds"))
        return "at most " + " or ".join(f"{limit:,.0f} {unit}" for limit, unit in units if limit is not None)

    def share(self, *, updates: int, epochs: float, seconds: float) -> float:
        """Return the share of the run that is done, from 0 to 1: the largest used share of any limit."""
        pairs = ((updates, self.updates), (epochs, self.epochs), (seconds, self.seconds))
        shares = [done / limit if limit else 1.0 for done, limit in pairs if limit is not None]
        return min(1.0, max(shares, default=0.0))


@dataclass(kw_only=True, eq=False)
class Schedule(ABC):
    """A linear warm-up, multiplied by `decay`.

    The warm-up ends after `warmup_updates` updates or after the share `warmup_share` of the run, whichever comes first.
    So a short run reaches the peak learning rate too. With `Cosine`, it reaches about 95 % of the peak, because the
    decay begins with the run.
    """

    warmup_updates: NonNegativeInt = 0
    warmup_share: ShareOfRun = 0.15

    def __call__(self, update: int, progress: float) -> float:
        """Return the factor for the next update, after `update` finished updates."""
        return self.warmup(update, progress) * self.decay(update, min(1.0, progress))

    def warmup(self, update: int, progress: float) -> float:
        """Return the factor of the warm-up alone, which is 1 after it."""
        if not self.warmup_updates:
            return 1.0
        return min(1.0, max((update + 1) / self.warmup_updates, progress / self.warmup_share))

    @abstractmethod
    def decay(self, update: int, progress: float) -> float:
        """Return the factor without the warm-up."""


class Constant(Schedule):
    """The peak learning rate after the warm-up."""

    def decay(self, update: int, progress: float) -> float:
        return 1.0


class InverseSquareRoot(Schedule):
    """Decay with the inverse square root of the updates, from 1 at the end of the warm-up (arXiv:1706.03762, eq. 3).

    If `warmup_share` ends the warm-up, the share of the run takes the place of the updates.
    """

    def decay(self, update: int, progress: float) -> float:
        warmups = max((update + 1) / max(1, self.warmup_updates), progress / self.warmup_share)
        return 1 / math.sqrt(max(1.0, warmups))


@dataclass(kw_only=True, eq=False)
class Cosine(Schedule):
    """Half a period of a cosine from 1 to `final` over the complete run (arXiv:1608.03983, eq. 5, without restarts)."""

    final: Annotated[float, Range(low=0, high=1)] = 0.0

    def decay(self, update: int, progress: float) -> float:
        return self.final + (1 - self.final) * (1 + math.cos(math.pi * progress)) / 2


@dataclass(kw_only=True, eq=False)
class WarmupStableDecay(Schedule):
    """The constant peak, then a decay to 0 in the last `decay_share` of the run (arXiv:2404.06395).

    The factor of the decay is 1 - sqrt(x), where x is the share of the decay that is done (arXiv:2405.18392).
    """

    decay_share: ShareOfRun = 0.2

    def decay(self, update: int, progress: float) -> float:
        done = 1 - (1 - progress) / self.decay_share
        return 1 - math.sqrt(max(0.0, done))
