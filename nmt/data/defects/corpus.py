"""Defects of a pair in relation to other pairs: repeated, with many translations, or held out as well."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import numpy as np
import regex
from numpy.typing import NDArray

from nmt.data.defects.base import Defect, Hashes
from nmt.data.pair import SentencePair

MOST_TARGETS = 5

PUNCTUATION = regex.compile(r"[\p{P}\s]+")


class Duplicate(Defect):
    """The same pair came before. The first of equal pairs has no defect."""

    name = "duplicate"
    explanation = "repeats an earlier pair of its split"
    version = 2

    def find(self, index: int, pair: SentencePair) -> str:
        return "again" if self._repeated[index] else ""

    @functools.cached_property
    def _repeated(self) -> NDArray[np.bool_]:
        pairs = self.context.hashes[1]
        repeated = np.ones(len(pairs), np.bool_)
        repeated[np.unique(pairs, return_index=True)[1]] = False
        return repeated


class ManyTargets(Defect):
    """The source has many different targets, as headings and short answers in subtitles do."""

    name = "many_targets"
    explanation = f"has a source with more than {MOST_TARGETS} different targets in its split"
    version = 2

    def find(self, index: int, pair: SentencePair) -> str:
        count = self._targets[index]
        return f"{count:,} targets" if count > MOST_TARGETS else ""

    @functools.cached_property
    def _targets(self) -> NDArray[np.int64]:
        """The number of different targets of each pair's source."""
        sources, pairs = self.context.hashes
        known, counts = _target_counts(sources, pairs)
        return counts[np.searchsorted(known, sources)]


def several_targets(sources: Hashes, pairs: Hashes) -> int:
    """Return how many different sources have more than one target. The arguments are the hashes of all pairs."""
    return int(np.count_nonzero(_target_counts(sources, pairs)[1] > 1))


def _target_counts(sources: Hashes, pairs: Hashes) -> tuple[Hashes, NDArray[np.int64]]:
    """Return the hashes of the different sources, sorted, and how many different targets each has."""
    return np.unique(sources[np.unique(pairs, return_index=True)[1]], return_counts=True)


@functools.lru_cache(maxsize=16)  # two defects ask for the same text
def simplified(text: str) -> str:
    """Return `text` in lower case, without punctuation and white space."""
    return str(PUNCTUATION.sub("", text.casefold()))


class LeakedPair(Defect):
    """A training pair is in validation or test too."""

    name = "leaked_pair"
    explanation = "is in validation or test too, exactly or but for case, punctuation and white space (nearly)"
    version = 3

    def compared(self, pair: SentencePair) -> tuple[str, ...]:
        """Return the texts of a pair that must not be held out together."""
        return pair.source, pair.target

    def find(self, index: int, pair: SentencePair) -> str:
        texts, near = self.compared(pair), self._simplified(pair)
        if not all(near):
            return ""
        return "; ".join(
            f"{split}, {'exactly' if texts in exact else 'nearly'}"
            for split, (exact, simple) in self._held_out.items()
            if near in simple
        )

    @functools.cached_property
    def _held_out(self) -> Mapping[str, tuple[set[tuple[str, ...]], set[tuple[str, ...]]]]:
        """The texts of each held-out split as they are, and simplified."""
        return {
            split: (set(map(self.compared, pairs)), set(map(self._simplified, pairs)))
            for split, pairs in self.context.held_out.items()
        }

    def _simplified(self, pair: SentencePair) -> tuple[str, ...]:
        return tuple(map(simplified, self.compared(pair)))

    def identity(self) -> Any:
        return [self.name, self.version, *(pairs.digest for pairs in self.context.held_out.values())]


class LeakedSource(LeakedPair):
    """The source of a training pair is in validation or test too, whatever its target."""

    name = "leaked_source"
    explanation = "has a source that is in validation or test too, exactly or nearly, whatever its target"

    def compared(self, pair: SentencePair) -> tuple[str, ...]:
        return (pair.source,)


class LeakedTarget(LeakedPair):
    """The target of a training pair is in validation or test too, whatever its source."""

    name = "leaked_target"
    explanation = "has a target that is in validation or test too, exactly or nearly, whatever its source"

    def compared(self, pair: SentencePair) -> tuple[str, ...]:
        return (pair.target,)
