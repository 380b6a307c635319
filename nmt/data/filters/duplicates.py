"""Pairs that repeat others of their split, or whose source has many targets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nmt.data.filters.base import CorpusContext, Filter, Finder, Hashes
from nmt.parameters import PositiveInt, check_fields


class Duplicate(Filter):
    """The same pair came before. The first of equal pairs stays."""

    explanation = "repeats an earlier pair of its split"

    def finder(self, context: CorpusContext) -> Finder:
        pairs = context.hashes[1]
        repeated = np.ones(len(pairs), np.bool_)
        repeated[np.unique(pairs, return_index=True)[1]] = False
        return lambda index, pair: "again" if repeated[index] else ""


@dataclass(frozen=True)
class ManyTargets(Filter):
    """The source has more than `most` different targets, as headings and short answers in subtitles do."""

    most: PositiveInt = 5

    explanation = "has a source with many different targets in its split"

    def __post_init__(self) -> None:
        check_fields(self)

    def finder(self, context: CorpusContext) -> Finder:
        known, counts = target_counts(*context.hashes)
        targets = counts[np.searchsorted(known, context.hashes[0])]
        return lambda index, pair: f"{targets[index]:,} targets" if targets[index] > self.most else ""


def target_counts(sources: Hashes, pairs: Hashes) -> tuple[Hashes, NDArray[np.int64]]:
    """Return the hashes of the different sources, sorted, and how many different targets each has."""
    return np.unique(sources[np.unique(pairs, return_index=True)[1]], return_counts=True)
