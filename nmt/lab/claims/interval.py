"""A mean over seeds, and how far it can be off."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

LEVEL = 0.95
STEPS = 2_000  # of Simpson's rule


@dataclass(frozen=True)
class OverSeeds:
    """The mean of a figure over `seeds` seeds; `half_width` is half its 95 % interval (Student's t)."""

    mean: float
    half_width: float
    seeds: int

    @property
    def above_zero(self) -> bool:
        """Whether the whole interval lies above 0."""
        return self.mean > self.half_width

    def __str__(self) -> str:
        return f"{self.mean:.1f} ± {self.half_width:.1f}"


def over_seeds(values: Sequence[float], comparisons: int = 1) -> OverSeeds:
    """Return mean and interval of at least two values, one for each seed.

    Of several `comparisons`, all intervals together hold with a probability of at least 95 % (Bonferroni).
    """
    quantile = student_quantile(1 - (1 - LEVEL) / comparisons, len(values) - 1)
    return OverSeeds(fmean(values), quantile * stdev(values) / len(values) ** 0.5, len(values))


@functools.cache
def student_quantile(level: float, freedom: int) -> float:
    """Return the x for which Student's t with these degrees of freedom lies within ±x with the probability `level`."""
    low, high = 0.0, 1.0
    while _within(high, freedom) < level:
        high *= 2
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < level else (low, middle)
    return high


def _within(x: float, freedom: int) -> float:
    """Return the probability of ±x. With t = sqrt(freedom) tan(angle), the density is a power of the cosine."""
    end = math.atan(x / math.sqrt(freedom))
    width = end / STEPS
    values = [math.cos(step * width) ** (freedom - 1) for step in range(STEPS + 1)]
    integral = width / 3 * (values[0] + 4 * sum(values[1:-1:2]) + 2 * sum(values[2:-1:2]) + values[-1])
    scale = math.gamma((freedom + 1) / 2) / (math.sqrt(math.pi) * math.gamma(freedom / 2))
    return 2 * scale * integral
