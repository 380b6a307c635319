"""The share of translations that equal their reference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nmt.evaluation.metrics.base import Lines, Metric


@dataclass(frozen=True, kw_only=True)
class ExactMatch(Metric):
    """Percentage of translations equal to their reference, ignoring white space at both ends.

    An empty reference is never matched: an empty line is no translation.
    """

    label = "exact match"
    unit: ClassVar[str] = "% of the sentences"
    chance: ClassVar[float | None] = 0.01  # while no sentence is matched, the loss decides

    def statistics(self, hypotheses: Lines, references: Lines, *, sources: Lines = ()) -> list[tuple[int, int]]:
        return [(100 * (h.strip() == r.strip() != ""), 1) for h, r in zip(hypotheses, references, strict=True)]
