"""Sentence pairs, and the pairs of one split."""

from __future__ import annotations

import hashlib
import itertools
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

from nmt.data.normalization import normalized
from nmt.data.progress import PassProgress

CHUNK_PAIRS = 10_000
LINK = re.compile(r"(\d+)([-?])(\d+)")  # of an alignment: the number of a source word, and of a target word


@dataclass(slots=True, unsafe_hash=True)  # frozen would double the time to make one, and a corpus has millions
class SentencePair:
    """A sentence and its translation, as plain text in the form of `nmt.data.normalization`. A pair is never changed.

    `line` is the number of its line if it comes from a file. Equal pairs may come from different lines. `alignment` is
    the word alignment in the format of `nmt.data.word_links`, if there is one.
    """

    source: str
    target: str
    line: int | None = field(default=None, compare=False)
    alignment: str | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        self.source, self.target = normalized(self.source), normalized(self.target)

    def swapped(self) -> SentencePair:
        """Return the pair in the opposite direction, with its alignment turned round."""
        links = None if self.alignment is None else LINK.sub(r"\3\2\1", self.alignment)
        return SentencePair(self.target, self.source, self.line, links)


@dataclass(frozen=True)
class Split(Iterable[SentencePair]):
    """The pairs of one split, their number, and a digest of their texts and order.

    `links` is a digest of the pairs' alignments, or None if no pair has a link.

    Each iteration yields the same pairs. They need not be in memory: a source may read them anew each time.
    """

    pairs: Iterable[SentencePair]
    count: int
    digest: str
    links: str | None = None

    @classmethod
    def of(cls, pairs: Iterable[SentencePair]) -> Split:
        """Return the split of `pairs`, counted and hashed in one pass. `pairs` must allow several iterations."""
        count, digest, links, linked, rest = 0, hashlib.sha256(), hashlib.sha256(), False, iter(pairs)
        with PassProgress("reading") as progress:
            while chunk := list(itertools.islice(rest, CHUNK_PAIRS)):
                digest.update("".join(f"{pair.source}\0{pair.target}\0" for pair in chunk).encode())
                if given := [(index, pair.alignment) for index, pair in enumerate(chunk, count) if pair.alignment]:
                    links.update(repr(given).encode())
                    linked = True
                count += len(chunk)
                progress.advance(len(chunk))
        return cls(pairs, count, digest.hexdigest(), links.hexdigest() if linked else None)

    def __iter__(self) -> Iterator[SentencePair]:
        return iter(self.pairs)

    def __len__(self) -> int:
        return self.count


class Reiterable(Iterable[SentencePair]):
    """The pairs that a function yields. Each iteration calls the function again."""

    def __init__(self, read: Callable[[], Iterator[SentencePair]]) -> None:
        self._read = read

    def __iter__(self) -> Iterator[SentencePair]:
        return self._read()
