"""Whether translations are as long as their references."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from nmt.evaluation.metrics.base import Lines, Metric


@dataclass(frozen=True, kw_only=True)
class LengthRatio(Metric):
    """Characters of the translations for each 100 characters of the references. The best value is near 100."""

    label = "length"
    unit: ClassVar[str] = "characters per 100"
    higher_is_better: ClassVar[bool | None] = None

    def statistics(self, hypotheses: Lines, references: Lines, *, sources: Lines = ()) -> list[tuple[int, int]]:
        return [(100 * len(h), len(r)) for h, r in zip(hypotheses, references, strict=True)]
