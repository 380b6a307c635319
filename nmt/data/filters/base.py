"""The contract of a filter of training pairs, and the filters of a corpus with the limits on lengths.

A filter is one class, and one YAML in configs/filters/ that names it:

    # @package filters.my_filter
    _target_: my_package.filters.MyFilter
"""

from __future__ import annotations

import functools
import hashlib
from abc import ABC, abstractmethod
from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nmt.config.settings import DataConfig
from nmt.data.pair import SentencePair, Split

Hashes = NDArray[np.uint64]
Finder = Callable[[int, SentencePair], str]

SIDES = ("source", "target")


@dataclass(frozen=True)
class CorpusContext:
    """The languages of a corpus, the split that is looked at, and for train the held-out splits (val, test)."""

    languages: tuple[str, str]
    pairs: Split
    held_out: Mapping[str, Split] = field(default_factory=dict)

    @functools.cached_property
    def hashes(self) -> tuple[Hashes, Hashes]:
        """The hash of each source, and that of each pair: 16 bytes a pair. The first access reads the pairs."""
        sources, pairs = array("Q"), array("Q")
        for pair in self.pairs:
            sources.append(_hash(pair.source))
            pairs.append(_hash(f"{pair.source}\0{pair.target}"))
        return np.frombuffer(sources, np.uint64), np.frombuffer(pairs, np.uint64)


def _hash(text: str) -> int:
    """Return 8 bytes of a hash that, unlike Python's, is the same in every process."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


class Filter(ABC):
    """One thing that can be wrong with a sentence pair.

    `explanation` completes the sentence "The pair ...". Increase `version` whenever the filter finds other pairs,
    because the pairs that it keeps are in a cache.
    """

    explanation: ClassVar[str]
    version: ClassVar[int] = 1

    @abstractmethod
    def finder(self, context: CorpusContext) -> Finder:
        """Return a function of a pair's index in the split, from 0, and the pair.

        It returns the problem of the pair in a few words ("target: Cyrillic"), or an empty string. It is called for all
        pairs in their order. `finder` itself may read the corpus.
        """

    def unavailable_reason(self, languages: tuple[str, str]) -> str:
        """Return why this filter cannot be used for texts of these languages, or an empty string."""
        return ""

    def identity(self, context: CorpusContext) -> list[Any]:
        """Return plain values that decide, together with the texts of the split, which pairs are found."""
        return [f"{type(self).__module__}.{type(self).__qualname__}", self.version, *vars(self).values()]


class TextFilter(Filter):
    """A filter that looks at each text of a pair by itself."""

    def finder(self, context: CorpusContext) -> Finder:
        def find(index: int, pair: SentencePair) -> str:
            for side, text, language in zip(SIDES, (pair.source, pair.target), context.languages, strict=True):
                if problem := self.problem(text, language):
                    return f"{side}: {problem}"
            return ""

        return find

    @abstractmethod
    def problem(self, text: str, language: str) -> str:
        """Return the problem of a text that should be in this language, or an empty string."""


@dataclass(frozen=True)
class Filters:
    """Limits on the lengths of a training pair, in pieces with eos, and filters that find nothing in a kept pair.

    `max_length` limits the longer side. `max_ratio` limits the longer length divided by the shorter one. The `chosen`
    filters are looked for in the pairs of `context`.
    """

    max_length: int
    max_ratio: float
    chosen: Mapping[str, Filter] = field(default_factory=dict)
    context: CorpusContext | None = None

    def found(self, first: int, pairs: Sequence[SentencePair]) -> list[str]:
        """Return for each pair the name of the first filter that finds it, or "". `first` is the first pair's index."""
        return [
            next((name for name, find in self._finders.items() if find(index, pair)), "")
            for index, pair in enumerate(pairs, first)
        ]

    @functools.cached_property
    def _finders(self) -> dict[str, Finder]:
        return {name: each.finder(self.context) for name, each in self.chosen.items() if self.context is not None}

    def reasons(self, source_lengths: NDArray[np.int32], target_lengths: NDArray[np.int32]) -> NDArray[np.str_]:
        """Return for each pair which limit drops it: "empty", "too long", "of unequal length", or "" for none."""
        shorter, longer = np.minimum(source_lengths, target_lengths), np.maximum(source_lengths, target_lengths)
        empty = shorter < 2  # the only id of an empty text is eos
        conditions = [empty, longer > self.max_length, longer > self.max_ratio * shorter]
        return np.select(conditions, ["empty", "too long", "of unequal length"], "")

    def limits(self) -> dict[str, str]:
        """Return the meaning of each reason, in words that complete the sentence "The pair ..."."""
        return {
            "empty": "has no text on one side or both",
            "too long": f"has a side of more than {self.max_length} pieces (data.max_length)",
            "of unequal length": f"has a side more than {self.max_ratio:g} times as long as the other (data.max_ratio)",
        }

    def identity(self) -> dict[str, Any]:
        """Return plain values that decide, together with the texts of the split, which pairs are dropped."""
        chosen = {name: each.identity(self.context) for name, each in self.chosen.items() if self.context is not None}
        return {"max_length": self.max_length, "max_ratio": self.max_ratio, "filters": chosen}

    def settings(self) -> str:
        """Return the settings in one line, for messages."""
        names = f", filters=[{','.join(self.chosen)}]" if self.chosen else ""
        return f"data.max_length={self.max_length} pieces, data.max_ratio={self.max_ratio}{names}"


def make_filters(config: DataConfig, chosen: Mapping[str, Filter], corpus: Mapping[str, Split]) -> Filters:
    """Return the filters for the training split of `corpus`. With `data.overfit`, nothing is held out of it."""
    held_out = {} if config.overfit else {name: pairs for name, pairs in corpus.items() if name != "train"}
    context = CorpusContext((config.source_lang, config.target_lang), corpus["train"], held_out)
    return Filters(config.max_length, config.max_ratio, chosen, context)
