"""Terms in training pairs: some words of the source have the translation that the target has for them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, ClassVar

from nmt.data.augment.base import Augmentation, Example, text
from nmt.parameters import Range, Share
from nmt.terms import given
from nmt.tokens import WORD_MARK

LETTERS = 3  # of a term and of its translation


@dataclass(frozen=True, kw_only=True)
class InsertTerms(Augmentation):
    """Replaces one to `words` source words by their translation, so that a model learns to use given translations.

    The target stays as it is. A pair has one to three such places, each after the first with probability `more`. With
    probability `shortened`, a place ends before the last piece of its last word, and so does its translation. So the
    model learns to add the ending itself, such as a Korean particle.
    """

    words: Annotated[int, Range(low=1, high=50)] = 3
    more: Share = 0.5
    shortened: Share = 0.4

    reads_links: ClassVar[bool] = True
    needs_joint: ClassVar[bool] = True

    def __call__(self, example: Example, rng: random.Random, another: Callable[[], Example]) -> tuple[str, str] | None:
        """Return the pair with given translations in its source."""
        source, used = list(example.source), set[int]()
        count = 1
        while count < 3 and rng.random() < self.more:
            count += 1
        for _ in range(count):
            for part, found in example.phrases(self.words, rng):
                part, found = self._end(example.source, part, rng), self._end(example.target, found, rng)
                term, translation = text(source[part.start : part.stop]), text(example.target[found.start : found.stop])
                if not used & {*part} and usable(term) and usable(translation) and begins_a_word(example.target, found):
                    used |= {*part}
                    space = WORD_MARK if source[part.start].startswith(WORD_MARK) else ""
                    source[part.start : part.stop] = [space + given(translation), *[""] * (len(part) - 1)]
                    break
        return (text(source), text(example.target)) if used else None

    def _end(self, side: Sequence[str], part: range, rng: random.Random) -> range:
        """Return a part without punctuation at its end and, by chance, without the end of its last word."""
        part = without_punctuation(side, part)
        last = side[part.stop - 1]
        shorter = len(part) > 1 and last.isalpha() and rng.random() < self.shortened  # "▁" is no letter
        return part[:-1] if shorter else part


def without_punctuation(side: Sequence[str], part: range) -> range:
    """Return a part without the pieces at its end that have no letter and no digit."""
    while len(part) > 1 and not any(map(str.isalnum, side[part.stop - 1])):
        part = part[:-1]
    return part


def begins_a_word(side: Sequence[str], part: range) -> bool:
    """Return whether the first piece of a part begins a word."""
    return part.start == 0 or side[part.start].startswith(WORD_MARK)


def usable(term: str) -> bool:
    """Return whether a term has enough letters, and no punctuation but hyphens. A Hangul syllable counts as two."""
    letters = sum(2 if "\uac00" <= character <= "\ud7a3" else 1 for character in term if character.isalpha())
    return letters >= LETTERS and all(character.isalnum() or character in " -" for character in term)
