"""The base class of defects, and the context in which a defect checks a pair."""

from __future__ import annotations

import functools
import hashlib
import itertools
from abc import ABC, abstractmethod
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from nmt.data.pair import SentencePair, Split
from nmt.data.progress import PassProgress

Hashes = NDArray[np.uint64]

SIDES = ("source", "target")
BLOCK = 100  # neighbouring pairs of a sample


@dataclass(frozen=True)
class CorpusContext:
    """The languages of a corpus, the split that is looked at, and for train the held-out splits (val, test).

    `pairs` may be a sample (see `sample`): one of every `stride` blocks of neighbouring pairs.
    """

    languages: tuple[str, str]
    pairs: Split
    held_out: Mapping[str, Split] = field(default_factory=dict)
    stride: int = 1

    def place(self, index: int, pair: SentencePair) -> str:
        """Return the place of the pair with this index: "line 7", or "pair 7" if it is not from a file."""
        block, rest = divmod(index, BLOCK)
        return f"pair {block * self.stride * BLOCK + rest + 1:,}" if pair.line is None else f"line {pair.line:,}"

    @functools.cached_property
    def hashes(self) -> tuple[Hashes, Hashes]:
        """The hash of each source, and that of each pair: 16 bytes a pair.

        The first access reads the pairs.
        """
        sources, pairs = array("Q"), array("Q")
        for pair in self.pairs:
            sources.append(_hash(pair.source))
            pairs.append(_hash(f"{pair.source}\0{pair.target}"))
        return np.frombuffer(sources, np.uint64), np.frombuffer(pairs, np.uint64)


def sample(split: Split, stride: int) -> Split:
    """Return the first of every `stride` blocks of a split. The pairs of a block are neighbours in the split.

    The sample is in memory: several defects read it, and each pass over a large file takes long.
    """
    chosen: list[SentencePair] = []
    with PassProgress("reading a sample", len(split)) as progress:
        rest = iter(split)
        for number in itertools.count():
            if not (block := list(itertools.islice(rest, BLOCK))):
                break
            chosen += [] if number % stride else block
            progress.advance(len(block))
    return Split(chosen, len(chosen), split.digest)


def _hash(text: str) -> int:
    """Return 8 bytes of a hash that, unlike Python's, is the same in every process."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "little")


class Defect(ABC):
    """One thing that can be wrong with a sentence pair.

    `name` is the word for `data.filters`. `explanation` completes the sentence "The pair ...". Increase `version`
    whenever `find` changes, because pairs without the defect are kept in a cache.
    """

    name: ClassVar[str]
    explanation: ClassVar[str]
    version: ClassVar[int] = 1

    def __init__(self, context: CorpusContext) -> None:
        """Take the context. A constructor must be fast: slow work waits for the first call of `find`."""
        self.context = context

    @abstractmethod
    def find(self, index: int, pair: SentencePair) -> str:
        """Return the problem of the pair in a few words ("target: Cyrillic"), or an empty string.

        `index` is the place of the pair in the split, from 0. Threads may call this at the same time.
        """

    @classmethod
    def unavailable_reason(cls, languages: tuple[str, str]) -> str:
        """Return why this defect cannot be looked for in texts of these languages, or an empty string."""
        return ""

    def identity(self) -> Any:
        """Return plain values that decide, together with the texts of the split, which pairs have the defect."""
        return [self.name, self.version]


class TextDefect(Defect):
    """A defect that one text of a pair shows by itself."""

    def find(self, index: int, pair: SentencePair) -> str:
        for side, text, language in zip(SIDES, (pair.source, pair.target), self.context.languages, strict=True):
            if problem := self.problem(text, language):
                return f"{side}: {problem}"
        return ""

    @abstractmethod
    def problem(self, text: str, language: str) -> str:
        """Return the problem of a text that should be in this language, or an empty string."""
