"""The share of translations that equal their reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nmt.evaluation.metrics.base import Lines, Metric, Score, ratio_interval


@dataclass(frozen=True, kw_only=True)
class ExactMatch(Metric):
    """Percentage of translations equal to their reference, ignoring white space at both ends.

    An empty reference is never matched: an empty line is no translation.
    """

    label = "exact match"
    unit: ClassVar[str] = "% of the sentences"
    chance: ClassVar[float | None] = 0.01  # while no sentence is matched, the loss decides

    def score(self, hypotheses: Lines, references: Lines, *, sources: Lines = (), bootstrap: int = 0) -> Score:
        equal = [int(h.strip() == r.strip() != "") for h, r in zip(hypotheses, references, strict=True)]
        interval = ratio_interval(equal, [1] * len(equal), bootstrap)
        return Score(100.0 * sum(equal) / len(equal), interval=interval)
