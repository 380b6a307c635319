"""A mean over seeds, and how far it can be off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

# The 97.5 % quantiles of Student's t distribution with 1, 2, 3, ... degrees of freedom.
QUANTILES = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262)


@dataclass(frozen=True)
class OverSeeds:
    """The mean of a figure over `seeds` seeds; `half_width` is half its 95 % interval (Student's t)."""

    mean: float
    half_width: float
    seeds: int

    def __str__(self) -> str:
        return f"{self.mean:.1f} ± {self.half_width:.1f}"


def over_seeds(values: Sequence[float]) -> OverSeeds:
    """Return mean and interval of 2 to 10 values, one for each seed."""
    quantile = QUANTILES[len(values) - 2]
    return OverSeeds(fmean(values), quantile * stdev(values) / len(values) ** 0.5, len(values))
