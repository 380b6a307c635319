"""Whether translations keep what must not change, such as URLs and tags, and use the terms of a glossary."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import regex

from nmt.data.normalization import normalized
from nmt.errors import ParameterError, UserError
from nmt.evaluation.metrics.base import Lines, Metric
from nmt.system.lines import digest
from nmt.text.protect import Slot, Spans
from nmt.text.terms import Terms, before, behind, read_terms


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
    read: ClassVar[Mapping[str, str]] = {"patterns": "spans"}  # settings, and the attributes made of them

    def __post_init__(self) -> None:
        """Refuse patterns that cannot be used, and a file that is not given or cannot be read."""
        for setting, value in self.read.items():
            try:
                getattr(self, value)
            except UserError as error:
                raise ParameterError(setting, str(error)) from error

    @cached_property
    def spans(self) -> Spans:
        """The spans that the patterns find."""
        return Spans(self.patterns)

    def statistics(self, hypotheses: Lines, references: Lines, *, sources: Lines = ()) -> list[tuple[int, int]]:
        spans = [self.spans.find(normalized(source)) for source in sources]
        lines = map(normalized, hypotheses)
        pairs = [(own, self.spans.find(line, known=own)) for own, line in zip(spans, lines, strict=True)]
        return [(100 * (Counter(own) == Counter(theirs)), 1) if own or theirs else (0, 0) for own, theirs in pairs]

    def signature_of(self, count: int) -> str:
        """Return the number of lines with spans and a digest of the patterns."""
        return f"lines:{count}|patterns:{digest(*map(str, self.spans.patterns.items()))[:8]}"


@dataclass(frozen=True, kw_only=True)
class TermAccuracy(KeptSpans):
    """Percentage of the terms in the sources that are translated as the glossary `file` says.

    Capitals and small letters are not told apart. An ending may follow; after Hangul, only particles may. A term that
    stands twice in a source counts twice, and one inside a span not at all, because a translation keeps the span.
    Without a term in the sources, the value is 100. See `nmt.text.terms.read_terms`.
    """

    file: str | None = None
    patterns: Mapping[str, str | None] = field(default_factory=dict)

    label = "terms"
    unit: ClassVar[str] = "% of the terms"
    read: ClassVar[Mapping[str, str]] = {"patterns": "spans", "file": "terms"}

    @cached_property
    def terms(self) -> Terms:
        """The glossary."""
        if self.file is None:
            raise UserError("not given; expected a glossary, with a term, a tab and its translation on each line")
        return read_terms(Path(self.file).expanduser())

    def statistics(self, hypotheses: Lines, references: Lines, *, sources: Lines = ()) -> list[tuple[int, int]]:
        rows = []
        for source, hypothesis in zip(sources, hypotheses, strict=True):
            rest, matches = normalized(hypothesis), 0
            parts = self.spans.divide(source, self.terms)
            given = [each.given for each in parts if isinstance(each, Slot) and each.given]
            for wanted in sorted(map(normalized, given), key=len, reverse=True):
                pattern = f"(?i-f:{before(wanted)}{regex.escape(wanted)}{behind(wanted)})"
                rest, replaced = regex.subn(pattern, " ", rest, count=1, flags=regex.V1)
                matches += replaced
            rows.append((100 * matches, len(given)))
        return rows

    def signature_of(self, count: int) -> str:
        """Return the number of terms and a digest of the glossary."""
        return f"terms:{count}|glossary:{self.terms.digest}"
