"""Whether translations use the terms of a glossary."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import regex

from nmt.data.normalization import normalized
from nmt.errors import ParameterError, UserError
from nmt.evaluation.metrics.base import Lines, Metric, Score, ratio_interval
from nmt.text.protect import Slot, Spans
from nmt.text.terms import Terms, before, behind, read_terms


@dataclass(frozen=True, kw_only=True)
class TermAccuracy(Metric):
    """Percentage of the terms in the sources that are translated as the glossary `file` says.

    Capitals and small letters are not told apart. An ending may follow; after Hangul, only particles may. A term that
    stands twice in a source counts twice, and one inside a span not at all, because a translation keeps the span.
    Without a term in the sources, the value is 100. See `nmt.text.terms.read_terms`; `patterns` are those of
    `nmt.text.protect.Spans`.
    """

    file: str | None = None
    patterns: Mapping[str, str | None] = field(default_factory=dict)

    label = "terms"
    unit: ClassVar[str] = "% of the terms"
    reads_sources: ClassVar[bool] = True

    def __post_init__(self) -> None:
        """Refuse a file that is not given or cannot be read, and patterns that cannot be used."""
        for field_name, used in (("file", "_terms"), ("patterns", "_spans")):
            try:
                getattr(self, used)
            except UserError as error:
                raise ParameterError(field_name, str(error)) from error

    @cached_property
    def _terms(self) -> Terms:
        if self.file is None:
            raise UserError("not given; expected a glossary, with a term, a tab and its translation on each line")
        return read_terms(Path(self.file).expanduser())

    @cached_property
    def _spans(self) -> Spans:
        return Spans(self.patterns)

    def score(self, hypotheses: Lines, references: Lines, *, sources: Lines = (), bootstrap: int = 0) -> Score:
        """Return the percentage, with a signature that has the number of terms and a digest of the glossary."""
        totals, used = [], []
        for source, hypothesis in zip(sources, hypotheses, strict=True):
            rest, matches = normalized(hypothesis), 0
            parts = self._spans.divide(source, self._terms)
            given = [each.given for each in parts if isinstance(each, Slot) and each.given]
            for wanted in sorted(given, key=len, reverse=True):
                pattern = f"(?i-f:{before(wanted)}{regex.escape(wanted)}{behind(wanted)})"
                rest, found = regex.subn(pattern, " ", rest, count=1, flags=regex.V1)
                matches += found
            if given:
                totals.append(len(given))
                used.append(matches)
        signature = f"terms:{sum(totals)}|glossary:{self._terms.digest}"
        if not totals:
            return Score(100.0, signature)
        return Score(100.0 * sum(used) / sum(totals), signature, ratio_interval(used, totals, bootstrap))
