"""Groups the sentences of a corpus by their length, and scores groups."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from nmt.evaluation.metrics.base import Metric
from nmt.evaluation.metrics.bleu import default_tokenizer

MOST_GROUPS, FEWEST_SENTENCES = 6, 20


@dataclass(frozen=True)
class LengthGroup:
    """The sentences with `low` to `high` words (or characters); `indices` are their places in the corpus."""

    low: int
    high: int
    indices: tuple[int, ...]

    def __str__(self) -> str:
        return str(self.low) if self.low == self.high else f"{self.low}-{self.high}"


def length_unit(language: str) -> str:
    """Return the unit of lengths: characters for languages that BLEU splits into characters, otherwise words."""
    return "characters" if default_tokenizer(language) in ("zh", "char") else "words"


def length_groups(lines: Sequence[str], language: str) -> list[LengthGroup]:
    """Return at most `MOST_GROUPS` groups of about the same size, short sentences first.

    Sentences of the same length are in one group. There are fewer groups if they would have fewer than
    `FEWEST_SENTENCES` sentences on average.
    """
    count = max(1, min(MOST_GROUPS, len(lines) // FEWEST_SENTENCES))
    by_words = length_unit(language) == "words"
    lengths = [len(line.split()) if by_words else len("".join(line.split())) for line in lines]
    ordered = sorted(lengths)
    starts = sorted({ordered[len(ordered) * number // count] for number in range(count)})
    groups: list[list[int]] = [[] for _ in starts]
    for index, length in enumerate(lengths):
        groups[bisect_right(starts, length) - 1].append(index)
    return [
        LengthGroup(min(lengths[i] for i in group), max(lengths[i] for i in group), tuple(group)) for group in groups
    ]


def score_on(
    places: Sequence[int], metric: Metric, sources: Sequence[str], hypotheses: Sequence[str], references: Sequence[str]
) -> float:
    """Return the score of the translations in these places, as one corpus."""
    chosen = ([lines[place] for place in places] for lines in (hypotheses, references, sources))
    return metric.score(next(chosen), next(chosen), sources=next(chosen)).value
