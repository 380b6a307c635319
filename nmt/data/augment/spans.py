"""Spans in training pairs: URLs, placeholders, tags and the like, as marks."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from nmt.data.augment.base import Augmentation, Example, text
from nmt.parameters import Share
from nmt.tokens import WORD_MARK

LETTERS = 4  # of a word that a mark replaces: shorter ones are rarely names of things
FIRST = 100  # number of the first new mark, so that it differs from those that the pair has


@dataclass(frozen=True, kw_only=True)
class InsertSpans(Augmentation):
    """Puts marks of spans into both sides of a pair, at places that translate each other.

    A mark takes the place of one or two words, as in "Open ｟0｠". Or two marks surround up to four words, as tags do.
    Or one stands at the beginning or the end. A pair has one to four of them, each after the first with probability
    `more`.
    """

    more: Share = 0.5

    reads_links = True

    def __call__(self, example: Example, rng: random.Random, another: Callable[[], Example]) -> tuple[str, str] | None:
        """Return the pair with marks."""
        sides = list(example.source), list(example.target)
        number, used, ends = FIRST, (set[int](), set[int]()), list[str]()
        count = 1
        while count < 4 and rng.random() < self.more:
            count += 1
        for _ in range(count):
            how = rng.choices(["replace", "surround", "end"], [3, 4, 1])[0]
            marks = f"\uff5f{number}\uff60", f"\uff5f{number + 1}\uff60"
            if how == "end":
                ends.append(marks[0])
            else:
                parts = next(example.phrases(4 if how == "surround" else 2, rng), None)
                if parts is None or any(taken & {*part} for taken, part in zip(used, parts, strict=True)):
                    continue
                if how == "replace" and len(text(example.source[parts[0].start : parts[0].stop])) < LETTERS:
                    continue
                for side, part, taken in zip(sides, parts, used, strict=True):
                    taken |= {*part}
                    (_surround if how == "surround" else _replace)(side, part, *marks)
            number += 2
        source, target = map(text, sides)
        for mark in ends:
            source, target = _at_an_end(source, target, mark, rng)
        return (source, target) if number > FIRST else None


def _replace(side: list[str], part: range, mark: str, _: str) -> None:
    space = WORD_MARK if side[part.start].startswith(WORD_MARK) else ""
    side[part.start : part.stop] = [space + mark, *[""] * (len(part) - 1)]


def _surround(side: list[str], part: range, opening: str, closing: str) -> None:
    first = side[part.start]
    space = WORD_MARK if first.startswith(WORD_MARK) else ""
    side[part.start] = space + opening + first.removeprefix(WORD_MARK)
    side[part.stop - 1] += closing


def _at_an_end(source: str, target: str, mark: str, rng: random.Random) -> tuple[str, str]:
    """Return both sides with a mark at the beginning or the end, more often with a space than without."""
    space = rng.choice([" ", " ", ""])
    if rng.random() < 0.4:
        return f"{mark}{space}{source}", f"{mark}{space}{target}"
    return f"{source}{space}{mark}", f"{target}{space}{mark}"
