"""Filters of training pairs: one class for each thing that can be wrong with a pair, and the limits on lengths.

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
from importlib import metadata
from typing import Any, ClassVar

import numpy as np
import regex
from numpy.typing import NDArray

from nmt.config.settings import DataConfig
from nmt.data.pair import SentencePair, Split
from nmt.parameters import PositiveInt
from nmt.text.languages import FEWEST_LETTERS, foreign_language, foreign_script, scripts_of, unidentified
from nmt.tokens import MACHINE_MARK

Hashes = NDArray[np.uint64]
Finder = Callable[[int, SentencePair], str]

SIDES = ("source", "target")


@dataclass(frozen=True)
class CorpusContext:
    """The languages of a corpus, the `pairs` of a split, and for train the pairs of the held-out splits (val, test)."""

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
        """Return a function that takes the index of a pair in the split, from 0, and the pair.

        The function returns the problem of the pair in a few words ("target: Cyrillic"), or an empty string. It is
        called for all pairs in their order. `finder` itself may read the corpus.
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


class Identical(Filter):
    """Source and target are equal. Numbers and dates may be equal, so the text must have letters."""

    explanation = "has the same text, with letters in it, on both sides"

    def finder(self, context: CorpusContext) -> Finder:
        return lambda index, pair: (
            "same text" if pair.source == pair.target and any(map(str.isalpha, pair.source)) else ""
        )


class Script(TextFilter):
    """Most words of a text are written in a script that its language is not written in."""

    explanation = "has a side with most words in a script that its language is not written in"

    def problem(self, text: str, language: str) -> str:
        return foreign_script(text, language)

    def unavailable_reason(self, languages: tuple[str, str]) -> str:
        unknown = [language for language in languages if not scripts_of(language)]
        return f"Unicode CLDR knows no script of '{unknown[0]}'" if unknown else ""

    def identity(self, context: CorpusContext) -> list[Any]:
        return [*super().identity(context), *map(scripts_of, context.languages)]


class Language(TextFilter):
    """A text is in another language than it should be, as py3langid recognizes it."""

    explanation = f"has a side of at least {FEWEST_LETTERS} letters that reads as another language"

    def problem(self, text: str, language: str) -> str:
        other = foreign_language(text, language)
        return f"reads as {other}" if other else ""

    def unavailable_reason(self, languages: tuple[str, str]) -> str:
        return next(filter(None, map(unidentified, languages)), "")

    def identity(self, context: CorpusContext) -> list[Any]:
        return [*super().identity(context), *context.languages, metadata.version("py3langid")]


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

    def finder(self, context: CorpusContext) -> Finder:
        known, counts = target_counts(*context.hashes)
        targets = counts[np.searchsorted(known, context.hashes[0])]
        return lambda index, pair: f"{targets[index]:,} targets" if targets[index] > self.most else ""


def target_counts(sources: Hashes, pairs: Hashes) -> tuple[Hashes, NDArray[np.int64]]:
    """Return the hashes of the different sources, sorted, and how many different targets each has."""
    return np.unique(sources[np.unique(pairs, return_index=True)[1]], return_counts=True)


_PUNCTUATION = regex.compile(rf"\A{MACHINE_MARK}|[\p{{P}}\s]+")


@functools.lru_cache(maxsize=16)  # several filters ask for the same text
def simplified(text: str) -> str:
    """Return `text` in lower case, without punctuation, white space and the mark of a machine's source."""
    return str(_PUNCTUATION.sub("", text.casefold()))


class LeakedPair(Filter):
    """A training pair is in validation or test too."""

    explanation = "is in validation or test too, exactly, or nearly (apart from case, punctuation and white space)"

    def compared(self, pair: SentencePair) -> tuple[str, ...]:
        """Return those texts of a pair that a held-out pair must not have too."""
        return pair.source, pair.target

    def finder(self, context: CorpusContext) -> Finder:
        exact = {split: {self.compared(pair) for pair in pairs} for split, pairs in context.held_out.items()}
        near = {split: {tuple(map(simplified, texts)) for texts in held_out} for split, held_out in exact.items()}

        def find(index: int, pair: SentencePair) -> str:
            texts = self.compared(pair)
            simple = tuple(map(simplified, texts))
            leaks = [split for split, held_out in near.items() if all(simple) and simple in held_out]
            return "; ".join(f"{split}, {'exactly' if texts in exact[split] else 'nearly'}" for split in leaks)

        return find

    def identity(self, context: CorpusContext) -> list[Any]:
        return [*super().identity(context), *(pairs.digest for pairs in context.held_out.values())]


class LeakedSource(LeakedPair):
    """The source of a training pair is in validation or test too, whatever its target."""

    explanation = "has a source that is in validation or test too, exactly or nearly, whatever its target"

    def compared(self, pair: SentencePair) -> tuple[str, ...]:
        return (pair.source,)


class LeakedTarget(LeakedPair):
    """The target of a training pair is in validation or test too, whatever its source."""

    explanation = "has a target that is in validation or test too, exactly or nearly, whatever its source"

    def compared(self, pair: SentencePair) -> tuple[str, ...]:
        return (pair.target,)


@dataclass(frozen=True)
class Filters:
    """The limits on the lengths of a training pair, and the `chosen` filters with the `context` of its corpus.

    Lengths are counted in pieces, eos included. `max_length` limits the longer side, and `max_ratio` limits the longer
    length divided by the shorter one. A pair is kept if its lengths are within the limits and no filter finds it.
    """

    max_length: int
    max_ratio: float
    chosen: Mapping[str, Filter] = field(default_factory=dict)
    context: CorpusContext | None = None

    def dropped_by(self, first: int, pairs: Sequence[SentencePair]) -> list[str]:
        """Return for each pair the name of the first filter that finds it, or "". `first` is the first pair's index."""
        return [
            next((name for name, find in self._finders.items() if find(index, pair)), "")
            for index, pair in enumerate(pairs, first)
        ]

    @functools.cached_property
    def _finders(self) -> dict[str, Finder]:
        return {name: each.finder(self.context) for name, each in self.chosen.items() if self.context is not None}

    def reasons(self, source_lengths: NDArray[np.int32], target_lengths: NDArray[np.int32]) -> NDArray[np.str_]:
        """Return for each pair the limit that drops it: "empty", "too long", "of unequal length", or "" for none."""
        shorter, longer = np.minimum(source_lengths, target_lengths), np.maximum(source_lengths, target_lengths)
        empty = shorter < 2  # the only id of an empty text is eos
        conditions = [empty, longer > self.max_length, longer > self.max_ratio * shorter]
        return np.select(conditions, ["empty", "too long", "of unequal length"], "")

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
