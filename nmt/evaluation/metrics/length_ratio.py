"""Whether translations are as long as their references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nmt.evaluation.metrics.base import Lines, Metric, Score


@dataclass(frozen=True, kw_only=True)
class LengthRatio(Metric):
    """Characters of the translations for each 100 characters of the references. The best value is near 100."""

    label = "length"
    unit: ClassVar[str] = "characters per 100"
    higher_is_better: ClassVar[bool | None] = None

    def score(self, hypotheses: Lines, references: Lines, *, sources: Lines = (), bootstrap: int = 0) -> Score:
        lengths = [sum(map(len, lines)) for lines in (hypotheses, references)]
        return Score(100.0 * lengths[0] / max(lengths[1], 1))
