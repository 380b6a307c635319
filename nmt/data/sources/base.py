"""The base class of data sources, which give the sentence pairs of each split. docs/extending.md has an example.

A source is one class, and one YAML in configs/data/ that names it. The other keys of the YAML are arguments of the
constructor. The program adds the settings of configs/data/_common.yaml that the constructor takes, such as `seed`.
"""

from __future__ import annotations

import functools
import logging
import zlib
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, ClassVar

from nmt.data.pair import Reiterable, SentencePair
from nmt.errors import ParameterError, UserError, counted, did_you_mean
from nmt.system.lines import NOT_UTF8, Bad, Text
from nmt.text.languages import english_name, find_language

SPLITS = ("train", "val", "test")
SPLIT_FILE_NAMES = {"train": ("train",), "val": ("val", "valid", "validation", "dev"), "test": ("test",)}
FRUITLESS_DRAWS = 5_000  # after this many draws in a row without a new pair, the program stops with an error
MOST = 0.05  # if a larger share of the rows is bad, the data are probably read in a wrong way
HOPELESS, NAMED = 1000, 3  # after so many bad rows and no good one, reading ends; a message names so many bad rows

Pairs = Iterable[SentencePair]

logger = logging.getLogger(__name__)


class Source(ABC):
    """Sentence pairs by split.

    A constructor must be fast: it checks its arguments (and raises `nmt.errors.ParameterError` for a value that it does
    not accept) but reads no data, because it is called a second time when the run begins.

    A source whose pairs have fixed languages names these in `direction`. The program then swaps the pairs for the
    opposite direction, and refuses other languages.
    """

    direction: ClassVar[tuple[str, str] | None] = None

    @abstractmethod
    def splits(self) -> Mapping[str, Pairs]:
        """Return the splits that exist, under the names train, val and test.

        Each can be iterated again and then yields the same pairs in the same order. It may read lazily, so that a
        corpus need not fit in memory. Raises UserError, here or while iterating, for data that is missing or malformed.
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

    def enough_for(self, splits: Iterable[str]) -> Source:
        """Return the source `top` alone if it has all these splits. Then `below` may be out of reach."""
        return self.top if {*splits} <= {*self.top.splits()} else self


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
    return Reiterable(functools.partial(map, SentencePair.swapped, pairs))


def in_direction(source: Source, source_lang: str, target_lang: str) -> Source:
    """Return the source of this direction. Raises UserError for other languages than those of the source."""
    if source.direction in (None, (source_lang, target_lang)):
        return source
    one, other = source.direction
    if (target_lang, source_lang) != (one, other):
        got = f"got {source_lang} to {target_lang}"
        raise UserError(f"data.source_lang: {got}, expected {one} to {other}, or {other} to {one}")
    return Swapped(source)


@functools.cache
def note(text: str) -> None:
    """Log a note about the data. The same note is logged only once, even if the data are read several times."""
    logger.info(text)


Row = tuple[int, Text, Text]  # the number of the row, counted from 1, its source and its target


def reader(read: Callable[[], Iterator[Row]], where: str, *, strict: bool) -> Pairs:
    """Return the pairs of the rows that `read` yields. Each iteration calls `read` again.

    Bad rows are left out and counted in a note. Iterating raises UserError, which begins with `where`, if there is no
    row, if more than `MOST` of the rows are bad, and with `strict` for any bad row.
    """

    def pairs() -> Iterator[SentencePair]:
        rows, bad, first, whole = 0, Counter[Bad](), list[str](), False
        try:
            for number, source, target in read():
                rows += 1
                if isinstance(source, str) and isinstance(target, str):
                    yield SentencePair(source, target, number)
                    continue
                why = next(text for text in (source, target) if isinstance(text, Bad))
                if strict:
                    raise UserError(f"{where}:{number}: {why}")
                bad[why] += 1
                if bad.total() <= NAMED:
                    first.append(f"{number:,} ({why.reason})")
                if rows == bad.total() == HOPELESS:
                    break
            whole = True
        finally:  # also if the caller needs no more pairs
            if bad:
                common = bad.most_common()
                counts = "; in all " + ", ".join(f"{count:,} ({why.reason})" for why, count in common)
                named = ", ".join(first) + counts * (bad.total() > NAMED)
                share = f"{where}: {bad.total():,} of {'' if whole else 'the first '}{counted(rows, 'row')}"
                if whole and bad.total() > MOST * rows:
                    raise UserError(f"{share} cannot be used, more than {MOST:.0%}: {named}; {common[0][0].advice}")
                note(f"{share} {'was' if bad.total() == 1 else 'were'} left out: {named}")
        if not rows:
            raise UserError(f"{where}: empty corpus; expected at least one sentence pair")

    return Reiterable(pairs)


def text_of(row: Any, language: str) -> Text:
    """Return the text of a row, or why it has none. A row maps languages to texts, itself or under `translation`."""
    if isinstance(row, Bad):
        return row
    inside = row.get("translation") if isinstance(row, dict) else None
    texts = inside if isinstance(inside, dict) else row
    if not isinstance(texts, dict):
        return Bad(f"{type(row).__name__}, not an object", 'expected rows as {"en": "a dog", "de": "ein Hund"}')
    key = language if language in texts else key_of(language, tuple(texts))
    if key is None:
        return no_key(language, tuple(texts))
    text = texts[key]
    if isinstance(text, list):
        return Bad(f"'{language}' is a list", "expected one text")
    if not isinstance(text, str):
        return Bad(f"'{language}' is {'null' if text is None else 'no text'}")
    try:
        return text if text.isascii() else text.encode().decode()
    except UnicodeEncodeError:  # half a character
        return NOT_UTF8


@functools.lru_cache(1024)
def key_of(language: str, keys: tuple[str, ...]) -> str | None:
    """Return the only key that means a language: for `de`, also `deu`, `DE`, `German` or `German sentence`."""
    named = [key for key in keys if english_name(language).lower() in key.lower()]
    return find_language(language, keys) or (named[0] if len(named) == 1 else None)


def no_key(language: str, keys: Sequence[str]) -> Bad:
    """Return the reason for data in which none of the `keys` means a language."""
    listed = ", ".join(keys) or "none"
    there = f"there are: {listed[:100]}{'...' * (len(listed) > 100)}{did_you_mean(language, keys)}"
    advice = f"{there}; set data.source_lang and data.target_lang, or column= of translate.py, or rename it"
    return Bad(f"no language key '{language}'", advice)


class Generated(Source):
    """Pairs that a random generator draws. `sizes` are their numbers in train, val and test.

    They depend on `seed` and the settings alone. No source sentence occurs twice, neither in one split nor in two. A
    hash of the source decides its split: a tenth of all sources is for val, and a tenth for test. So a rare kind of
    sentence is equally rare in every split, and asking for more training pairs does not change the other splits.
    """

    def __init__(self, *, seed: int, sizes: Sequence[int]) -> None:
        """Take the sizes [train, val, test]. Raises ParameterError unless they are three counts of at least 1."""
        if len(sizes) != 3 or min(sizes) < 1:
            raise ParameterError("sizes", f"got {list(sizes)}, expected three counts of at least 1: [train,val,test]")
        self.sizes = dict(zip(SPLITS, sizes, strict=True))
        self.seed = seed

    @abstractmethod
    def draw(self, rng: Random) -> SentencePair | None:
        """Return a random pair, or None if this attempt gave none."""

    def splits(self) -> Mapping[str, Sequence[SentencePair]]:
        """Return the generated splits. Raises UserError for sizes that are too large."""
        rng = Random(self.seed)
        drawn: dict[str, dict[str, SentencePair]] = {split: {} for split in self.sizes}
        fruitless = 0
        while any(len(drawn[split]) < size for split, size in self.sizes.items()):
            pair = self.draw(rng)
            if pair is not None:
                split = {0: "test", 1: "val"}.get(zlib.crc32(pair.source.encode()) % 10, "train")
                if pair.source not in drawn[split] and len(drawn[split]) < self.sizes[split]:
                    drawn[split][pair.source] = pair
                    fruitless = 0
                    continue
            fruitless += 1
            if fruitless > FRUITLESS_DRAWS:
                reached = ", ".join(f"{len(drawn[split])} of {size} for {split}" for split, size in self.sizes.items())
                got = f"got {list(self.sizes.values())}, but its settings allow only about {reached}"
                raise UserError(f"data.sizes: {got}; lower the sizes, or raise other settings of this source")
        return {split: list(pairs.values()) for split, pairs in drawn.items()}
