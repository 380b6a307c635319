"""Spans in training pairs: URLs, placeholders, tags and the like, as marks."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import regex

from nmt.data.augment.base import Augmentation, Example, have_words_and_equal_marks, text
from nmt.parameters import Share
from nmt.particles import particle
from nmt.spans import MARK
from nmt.terms import UNSPACED
from nmt.tokens import SPAN_MARKS, WORD_MARK

LETTERS, UNSPACED_LETTERS = 4, 2  # of a word that a mark replaces: shorter ones are rarely names of things
FIRST = 100  # number of the first new mark, so that it differs from those that the pair has
ELEMENT = len(SPAN_MARKS)  # what is added to the number of a new mark for a start tag
_SPACED = regex.compile(rf"[[\p{{L}}\p{{M}}\p{{N}}]--[{UNSPACED}]]+", regex.V1)
_ENDS = r"[\p{P}--[｟｠\-_/@#%&*\\]]+"  # punctuation that stays outside of marks
_AT_ENDS = regex.compile(rf"\A{_ENDS}|{_ENDS}\Z", regex.V1)


@dataclass(frozen=True, kw_only=True)
class InsertSpans(Augmentation):
    """Puts marks of spans into both sides of a pair, at places that translate each other.

    A mark takes the place of one or two words, as in "Open ｟0｠", so that the model also learns to use terms (see
    `nmt.terms`). Or two marks surround up to four words, as tags do. Or one stands at the beginning or the end. A pair
    has one to four of them, each after the first with probability `more`. Punctuation and Korean particles at the end
    of the words stay outside.
    """

    more: Share = 0.5

    reads_links = True

    def __call__(self, example: Example, rng: random.Random, another: Callable[[], Example]) -> tuple[str, str] | None:
        sides, ends = (list(example.source), list(example.target)), list[str]()
        count = 1
        while count < 4 and rng.random() < self.more:
            count += 1
        for number in range(FIRST, FIRST + 100 * count, 100):
            how = rng.choices(["replace", "surround", "end"], [3, 4, 1])[0]
            if how == "end":
                ends.append(f"\uff5f{number}\uff60")
            elif parts := _parts(example, sides, rng, surround=how == "surround"):
                for side, part in zip(sides, parts, strict=True):
                    _mark(side, part, number, surround=how == "surround")
        source, target = map(text, sides)
        for mark in ends:
            source, target = _at_an_end(source, target, mark, rng)
        return None if (source, target) == example.texts else (source, target)


def _parts(
    example: Example, sides: tuple[list[str], list[str]], rng: random.Random, *, surround: bool
) -> tuple[range, range] | None:
    """Return parts that translate each other and can be marked, or None.

    They have words, the same marks and no new mark. One that a mark replaces has no mark. The part of the target does
    not begin or end inside a word, but a Korean particle may follow.
    """
    parts = next(example.phrases(4 if surround else 2, rng), None)
    if parts is None:
        return None
    originals = example.source, example.target
    source, target = (text(side[part.start : part.stop]) for side, part in zip(originals, parts, strict=True))
    if not have_words_and_equal_marks(source, target):
        return None
    if [source, target] != [text(side[part.start : part.stop]) for side, part in zip(sides, parts, strict=True)]:
        return None
    if not surround and (MARK.search(source) or len(source) < _fewest_letters(source)):
        return None
    side, part = sides[1], parts[1]
    begins_inside = part.start and ("가" <= side[part.start][:1] <= "힣" or _rest(side, part.start))
    rest = _rest(side, part.stop)
    return None if begins_inside or (rest and particle(target + rest) != rest) else parts


def _rest(side: Sequence[str], place: int) -> str:
    """Return the rest of the word behind a place inside it, or "" if no word of a script with spaces goes on there."""
    before, behind = "".join(side[:place]), "".join(side[place:])
    word = _SPACED.match(behind) if _SPACED.match(before[-1:]) else None
    return word[0] if word else ""


def _fewest_letters(words: str) -> int:
    return UNSPACED_LETTERS if regex.match(f"[{UNSPACED}]", words) else LETTERS


def _mark(side: list[str], part: range, number: int, *, surround: bool) -> None:
    """Put marks around or in place of a part of a side, but not of the punctuation and the particle at its ends."""
    first = side[part.start]
    words = text(side[part.start : part.stop])
    core = _AT_ENDS.sub("", words)
    before, after = words[: words.index(core)], words[words.index(core) + len(core) :]
    ending = particle(core)
    core = core.removesuffix(ending)
    marks = f"\uff5f{number + ELEMENT}\uff60", f"\uff5f{number + ELEMENT + 1}\uff60"
    marked = core.join(marks) if surround else f"\uff5f{number}\uff60"
    space = WORD_MARK if first.startswith(WORD_MARK) else ""
    side[part.start : part.stop] = [space + before + marked + ending + after, *[""] * (len(part) - 1)]


def _at_an_end(source: str, target: str, mark: str, rng: random.Random) -> tuple[str, str]:
    """Return both sides with a mark at the beginning or the end, more often with a space than without."""
    space = rng.choice([" ", " ", ""])
    if rng.random() < 0.4:
        return f"{mark}{space}{source}", f"{mark}{space}{target}"
    return f"{source}{space}{mark}", f"{target}{space}{mark}"
