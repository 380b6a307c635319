"""Learning-rate schedules: the share of the peak rate at an update.

A schedule is called with the number of updates done and the run's progress from 0 to 1: the largest of the shares of
its limits (updates, epochs, time) that are used up, so that a limit in time is honoured like one in updates.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod

from nmt.errors import ParameterError


class Schedule(ABC):
    """Linear warm-up over `warmup_updates`, then `decay`."""

    def __init__(self, *, warmup_updates: int = 0) -> None:
        if warmup_updates < 0:
            raise ParameterError("warmup_updates", f"got {warmup_updates}, expected 0 or more")
        self.warmup_updates = warmup_updates

    def __call__(self, update: int, progress: float) -> float:
        """Return the factor of the peak learning rate for the update after `update` finished ones."""
        warmup = min(1.0, (update + 1) / self.warmup_updates) if self.warmup_updates else 1.0
        return warmup * self.decay(update, min(1.0, progress))

    @abstractmethod
    def decay(self, update: int, progress: float) -> float:
        """Return the factor apart from warm-up."""


class Constant(Schedule):
    """The peak rate after the warm-up."""

    def decay(self, update: int, progress: float) -> float:
        return 1.0


class InverseSquareRoot(Schedule):
    """Falls with the root of the updates, 1 at the end of the warm-up (arXiv:1706.03762, eq. 3)."""

    def decay(self, update: int, progress: float) -> float:
        warmup = max(1, self.warmup_updates)
        return math.sqrt(warmup / max(warmup, update + 1))


class Cosine(Schedule):
    """Half a cosine from 1 to `final` over the whole run (arXiv:1608.03983, eq. 5, without restarts)."""

    def __init__(self, *, warmup_updates: int = 0, final: float = 0.0) -> None:
        super().__init__(warmup_updates=warmup_updates)
        if not 0.0 <= final <= 1.0:
            raise ParameterError("final", f"got {final}, expected a share between 0 and 1")
        self.final = final

    def decay(self, update: int, progress: float) -> float:
        return self.final + (1 - self.final) * (1 + math.cos(math.pi * progress)) / 2
