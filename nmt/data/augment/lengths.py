"""Pairs that are shorter or longer than sentences."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from nmt.data.augment.base import Augmentation, Example, begins_word, have_words_and_equal_marks
from nmt.parameters import Range
from nmt.spans import MARK, join
from nmt.tokens import WORD_MARK


@dataclass(frozen=True, kw_only=True)
class Phrases(Augmentation):
    """Makes a pair of one to `words` words of the source and their translation, so that short texts stay short."""

    words: Annotated[int, Range(low=1, high=50)] = 4

    reads_links = True

    def __call__(self, example: Example, rng: random.Random, another: Callable[[], Example]) -> tuple[str, str] | None:
        """Return the texts of a phrase whose translation consists of whole words."""
        after = [*example.target, WORD_MARK]  # the end of the text is the end of a word
        for part, found in example.phrases(self.words, rng):
            if len(part) < len(example.source) and all(
                begins_word(after[place]) for place in (found.start, found.stop)
            ):
                phrase = Example(example.source[part.start : part.stop], example.target[found.start : found.stop]).texts
                if have_words_and_equal_marks(*phrase):
                    return phrase
        return None


@dataclass(frozen=True, kw_only=True)
class JoinedLines(Augmentation):
    """Joins a pair with one or two other pairs, so that a text of several sentences keeps all of them."""

    def __call__(self, example: Example, rng: random.Random, another: Callable[[], Example]) -> tuple[str, str] | None:
        pairs = [example.texts, *(another().texts for _ in range(rng.choice([1, 1, 2])))]
        source, target = (join(map(_renumbered, each, itertools.count(step=100))) for each in zip(*pairs, strict=True))
        return source, target


def _renumbered(text: str, more: int) -> str:
    """Return a text whose marks have numbers that are greater by `more`, so that those of several texts differ."""
    return str(MARK.sub(lambda found: f"\uff5f{int(found[0][1:-1]) + more}\uff60", text))
