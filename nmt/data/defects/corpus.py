"""Defects of a pair in relation to other pairs: repeated, with many translations, or held out as well."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Mapping
from typing import Any, ClassVar

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
    """Return `text` in NFC and in lower case, without punctuation and white space."""
    return str(PUNCTUATION.sub("", unicodedata.normalize("NFC", text).casefold()))


class LeakedPair(Defect):
    """A training pair is in validation or test too."""

    name = "leaked_pair"
    explanation = "is in validation or test too, exactly or but for case, punctuation and white space (nearly)"
    version = 2

    def find(self, index: int, pair: SentencePair) -> str:
        near = simplified(pair.source), simplified(pair.target)
        return _places((pair.source, pair.target), near, self._texts) if all(near) else ""

    @functools.cached_property
    def _texts(self) -> Mapping[str, tuple[set[Any], set[Any]]]:
        """The pairs of each held-out split as they are, and simplified."""
        return {
            split: (
                {(pair.source, pair.target) for pair in pairs},
                {(simplified(pair.source), simplified(pair.target)) for pair in pairs},
            )
            for split, pairs in self.context.held_out.items()
        }

    def identity(self) -> Any:
        return [self.name, self.version, *(pairs.digest for pairs in self.context.held_out.values())]


class LeakedSource(LeakedPair):
    """The source of a training pair is in validation or test too, whatever its target."""

    name = "leaked_source"
    explanation = "has a source that is in validation or test too, exactly or nearly, whatever its target"
    side: ClassVar[str] = "source"

    def find(self, index: int, pair: SentencePair) -> str:
        text = getattr(pair, self.side)
        near = simplified(text)
        return _places(text, near, self._texts) if near else ""

    @functools.cached_property
    def _texts(self) -> Mapping[str, tuple[set[Any], set[Any]]]:
        """The texts of this side in each held-out split as they are, and simplified."""
        texts = {split: {getattr(pair, self.side) for pair in pairs} for split, pairs in self.context.held_out.items()}
        return {split: (each, set(map(simplified, each))) for split, each in texts.items()}


class LeakedTarget(LeakedSource):
    """The target of a training pair is in validation or test too, whatever its source."""

    name = "leaked_target"
    explanation = "has a target that is in validation or test too, exactly or nearly, whatever its source"
    side = "target"


def _places(text: Any, near: Any, held_out: Mapping[str, tuple[set[Any], set[Any]]]) -> str:
    found = []
    for split, (texts, simplified_texts) in held_out.items():
        if near in simplified_texts:
            found.append(f"{split}, {'exactly' if text in texts else 'nearly'}")
    return "; ".join(found)
