"""Whether translations keep what must be kept: URLs, placeholders, tags."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from nmt.data.normalization import normalized
from nmt.errors import ParameterError, UserError
from nmt.evaluation.metrics.base import Lines, Metric, Score, binomial_interval
from nmt.system.lines import digest
from nmt.text.protect import Spans


@dataclass(frozen=True, kw_only=True)
class KeptSpans(Metric):
    """Percentage of the lines with spans whose translation has the same spans, each as often; the order is free.

    A line has spans if its source or its translation has one. Without such a line, the value is 100. Spans that differ
    only in their Unicode form are the same. `patterns` are those of `nmt.text.protect.Spans`.
    """

    patterns: Mapping[str, str | None]

    label = "kept spans"
    unit: ClassVar[str] = "% of the lines with spans"
    reads_sources: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse patterns that cannot be used."""
        try:
            self._spans  # noqa: B018
        except UserError as error:
            raise ParameterError("patterns", str(error)) from error

    @cached_property
    def _spans(self) -> Spans:
        return Spans(self.patterns)

    def score(self, hypotheses: Lines, references: Lines, *, sources: Lines = (), bootstrap: int = 0) -> Score:
        """Return the percentage, with a signature that has the number of lines and a digest of the patterns."""
        spans = [self._spans.find(normalized(source)) for source in sources]
        lines = map(normalized, hypotheses)
        pairs = [(own, self._spans.find(line, known=own)) for own, line in zip(spans, lines, strict=True)]
        kept = [Counter(own) == Counter(found) for own, found in pairs if own or found]
        signature = f"lines:{len(kept)}|patterns:{digest(*map(str, self._spans.patterns.items()))[:8]}"
        if not kept:
            return Score(100.0, signature)
        return Score(100.0 * sum(kept) / len(kept), signature, binomial_interval(sum(kept), len(kept), bootstrap))
