"""Training pairs that are in validation or test too, exactly or but for case, punctuation and white space (nearly)."""

from __future__ import annotations

import functools
from typing import Any

import regex

from nmt.data.filters.base import CorpusContext, Filter, Finder
from nmt.data.pair import SentencePair

_PUNCTUATION = regex.compile(r"[\p{P}\s]+")


@functools.lru_cache(maxsize=16)  # several filters ask for the same text
def simplified(text: str) -> str:
    """Return `text` in lower case, without punctuation and white space."""
    return str(_PUNCTUATION.sub("", text.casefold()))


class LeakedPair(Filter):
    """A training pair is in validation or test too."""

    explanation = "is in validation or test too, exactly or but for case, punctuation and white space (nearly)"

    def compared(self, pair: SentencePair) -> tuple[str, ...]:
        """Return the texts of a pair that must not be held out together."""
        return pair.source, pair.target

    def finder(self, context: CorpusContext) -> Finder:
        exact = {split: {self.compared(pair) for pair in pairs} for split, pairs in context.held_out.items()}
        near = {split: {tuple(map(simplified, texts)) for texts in found} for split, found in exact.items()}

        def find(index: int, pair: SentencePair) -> str:
            texts = self.compared(pair)
            simple = tuple(map(simplified, texts))
            leaks = [split for split, found in near.items() if all(simple) and simple in found]
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
