"""The contract of a change of training pairs."""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import regex

from nmt.parameters import Share, check_fields
from nmt.spans import MARK, as_written
from nmt.terms import UNSPACED
from nmt.tokens import WORD_MARK

_UNSPACED_LETTER = regex.compile(rf"[\p{{Lo}}&&[{UNSPACED}]]", regex.V1)
_LEADING_VOWEL = regex.compile(r"\p{Logical_Order_Exception}\Z")  # of Thai and Lao: written before its consonant
TRIES = 8  # to find a part of a pair whose translation is known


@dataclass(frozen=True)
class Example:
    """A training pair as pieces, whose texts joined are its text.

    `forward` has for each target piece the position of the source piece that it translates, and `backward` the reverse,
    as a statistical aligner sees them. Both are empty if the change does not read links.
    """

    source: Sequence[str]
    target: Sequence[str]
    forward: Sequence[int] = field(default=(), repr=False)
    backward: Sequence[int] = field(default=(), repr=False)

    @property
    def texts(self) -> tuple[str, str]:
        """The texts of source and target."""
        return text(self.source), text(self.target)

    def words(self) -> list[range]:
        """Return the positions of the pieces of each source word."""
        starts = [
            place
            for place, piece in enumerate(self.source)
            if place == 0 or (begins_word(piece) and not inside_syllable(self.source, place))
        ]
        return [range(*each) for each in zip(starts, [*starts[1:], len(self.source)], strict=True)]

    def translation(self, part: range) -> range | None:
        """Return the positions of the target pieces that translate a part of the source, or None.

        They translate it if no link leads out of the two parts (Och and Ney 2004, section 3.2), and if the aligner
        agrees in both directions on one link at least.
        """
        linked = [place for place, position in enumerate(self.forward) if position in part]
        linked += [self.backward[position] for position in part]
        found = range(min(linked), max(linked) + 1)
        if any(self.forward[place] not in part for place in found):
            return None
        if any(position in found for place, position in enumerate(self.backward) if place not in part):
            return None
        return found if any(self.forward[self.backward[position]] == position for position in part) else None

    def phrases(self, most_words: int, rng: random.Random) -> Iterator[tuple[range, range]]:
        """Yield random parts of one to `most_words` source words with their translations. It gives up after 8 tries."""
        words = self.words()
        for _ in range(TRIES):
            first = rng.randrange(len(words))
            last = min(first + rng.randrange(most_words), len(words) - 1)
            part = range(words[first].start, words[last].stop)
            found = self.translation(part)
            if found is not None and not any(inside_syllable(self.target, each) for each in (found.start, found.stop)):
                yield part, found


@dataclass(frozen=True, kw_only=True)
class Augmentation(ABC):
    """Makes another pair of some training pairs, anew in each epoch.

    `rate` is the share of the pairs that it changes. A pair has at most one change in an epoch. A value that does not
    fit its annotation raises ParameterError.
    """

    rate: Share

    reads_links: ClassVar[bool] = False  # whether it needs `Example.forward` and `Example.backward`

    def __post_init__(self) -> None:
        check_fields(self)

    @abstractmethod
    def __call__(self, example: Example, rng: random.Random, another: Callable[[], Example]) -> tuple[str, str] | None:
        """Return the texts of source and target after the change, or None if the pair cannot be changed in this way.

        Spans are marks in these texts (see `nmt.spans`). New marks have numbers from 100 on, and the last two digits
        tell their kind: "｟100｠" and "｟200｠" are like "｟0｠", and "｟108｠" is like "｟8｠". All random choices
        come from `rng`. `another` returns another random pair of the same direction, without links.
        """


def begins_word(piece: str) -> bool:
    """Return whether a piece may begin a word: with "▁", or with a letter of a script without spaces, as in Chinese."""
    return piece.startswith(WORD_MARK) or bool(_UNSPACED_LETTER.match(piece))


def inside_syllable(pieces: Sequence[str], place: int) -> bool:
    """Return whether the piece at `place` and the one before it share a syllable.

    A vowel that stands before its consonant, or a combining mark, is then in another piece than its letter.
    """
    if not 0 < place < len(pieces) or pieces[place].startswith(WORD_MARK):
        return False
    return bool(_LEADING_VOWEL.search(pieces[place - 1]) or regex.match(r"\p{M}", pieces[place]))


def text(pieces: Sequence[str]) -> str:
    """Return the text of pieces, without spaces at its ends, and with a space before a start tag and not after it."""
    return as_written("".join(pieces).replace(WORD_MARK, " ").strip()).strip()


def have_words_and_equal_marks(source: str, target: str) -> bool:
    """Return whether both texts have words outside of the marks of spans, and the same marks."""
    if not all(any(map(str.isalnum, MARK.sub("", each))) for each in (source, target)):
        return False
    return Counter(MARK.findall(source)) == Counter(MARK.findall(target))
