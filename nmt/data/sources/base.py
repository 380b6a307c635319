"""The base class of data sources, which give the sentence pairs of each split.

A source is one class in one file, and one YAML in configs/data/ that names it:

    defaults: [_common, _self_]
    _target_: my_package.sources.MySource
    folder: null

The keys other than `_target_` are arguments of the constructor (`data.folder=...` on the command line). The program
adds those settings of configs/data/_common.yaml that the constructor names, such as `source_lang` and `seed`.
"""

from __future__ import annotations

import functools
import logging
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from nmt.data.pair import Reiterable, SentencePair
from nmt.data.word_links import LINK
from nmt.errors import UserError

SPLITS = ("train", "val", "test")

Pairs = Iterable[SentencePair]


class Source(ABC):
    """Sentence pairs by split.

    A constructor must be fast: it checks its arguments (and raises `nmt.errors.ParameterError` for a value that it does
    not accept) but reads no data, because it is called once before a run's folder is made and again when the run
    begins.

    A source whose pairs have fixed languages names these in `direction`. The program then swaps the pairs for the
    opposite direction, and refuses other languages.
    """

    direction: ClassVar[tuple[str, str] | None] = None

    @abstractmethod
    def splits(self) -> Mapping[str, Pairs]:
        """Return the splits that exist, under the names train, val and test.

        Each is an iterable that can be iterated again and then yields the same pairs in the same order. It may read
        lazily, so that a corpus need not fit in memory. Raises UserError, here or while iterating, for data that is
        missing or malformed.
        """

    @abstractmethod
    def origin(self, split: str) -> str:
        """Return where the pairs of `split` come from, in the words of the settings: "data.path=my_corpus"."""


def repeatable(pairs: Pairs, split: str, source: Source) -> Pairs:
    """Return the pairs of a `split` of `source`. Raises UserError if they can be read only once, as a generator can."""
    if isinstance(pairs, Iterator):
        raise UserError(
            f"{source.origin(split)}: the {split} split can be read only once (it is of type {type(pairs).__name__}); "
            "let splits() return a list, or nmt.data.pair.Reiterable(...)"
        )
    return pairs


@dataclass(frozen=True)
class Overlay(Source):
    """The splits of the source `top`, completed by the splits of the source `below`."""

    top: Source
    below: Source

    def splits(self) -> Mapping[str, Pairs]:
        return {**self.below.splits(), **self.top.splits()}

    def origin(self, split: str) -> str:
        return (self.top if split in self.top.splits() else self.below).origin(split)


@dataclass(frozen=True)
class Swapped(Source):
    """The pairs of `source` in the opposite direction."""

    source: Source

    def splits(self) -> Mapping[str, Pairs]:
        splits = self.source.splits().items()
        return {split: swapped(repeatable(pairs, split, self.source)) for split, pairs in splits}

    def origin(self, split: str) -> str:
        return self.source.origin(split)


def swapped(pairs: Pairs) -> Pairs:
    """Return the same pairs in the opposite direction, with their alignments turned round."""
    return Reiterable(functools.partial(map, _swapped, pairs))


def _swapped(pair: SentencePair) -> SentencePair:
    links = None if pair.alignment is None else LINK.sub(r"\3\2\1", pair.alignment)
    return SentencePair(pair.target, pair.source, pair.line, links)


def in_direction(source: Source, source_lang: str, target_lang: str) -> Source:
    """Return the source of this direction. Raises UserError for other languages than those of the source."""
    if source.direction in (None, (source_lang, target_lang)):
        return source
    one, other = source.direction
    if (target_lang, source_lang) != (one, other):
        raise UserError(
            f"data.source_lang: got {source_lang} to {target_lang}, expected {one} to {other}, or {other} to {one}"
        )
    return Swapped(source)


def reader(read: Callable[[Callable[[str], None]], Iterator[SentencePair]], where: str) -> Pairs:
    """Return pairs that are read again at each iteration, in memory that does not grow with their number.

    `read` starts a pass and yields the pairs. Its argument is a function that logs a note about the data. Each note is
    logged only once, even if the pairs are read several times. `where` begins the message of the UserError that is
    raised at the end of a pass without pairs.
    """
    note = functools.cache(logging.getLogger(__name__).info)

    def pairs() -> Iterator[SentencePair]:
        empty = True
        for pair in read(note):
            empty = False
            yield pair
        if empty:
            raise UserError(f"{where}: empty corpus; expected at least one sentence pair")

    return Reiterable(pairs)
