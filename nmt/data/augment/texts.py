"""Capitals, missing full stops, typing errors: changes of texts that need no alignment."""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass

import regex

from nmt.data.augment.base import Augmentation, Example
from nmt.parameters import Share
from nmt.spans import CASELESS

FULL_STOPS = (".", "\u3002", "\u0964", "\u06d4")  # also of Chinese and Japanese, Hindi, Urdu
WORD = re.compile(r"[^\W\d_]{4,}")
_CASELESS = regex.compile(f"[{CASELESS}]")


@dataclass(frozen=True, kw_only=True)
class UpperCase(Augmentation):
    """Writes both sides in capitals. A source in a script without capitals, as Korean, or in Greek stays as it is."""

    def __call__(self, example: Example, rng: random.Random, another: Callable[[], Example]) -> tuple[str, str] | None:
        source, target = example.texts
        unchanged = source.upper() == source or bool(_CASELESS.search(source))
        return None if unchanged else (source.upper(), target.upper())


@dataclass(frozen=True, kw_only=True)
class TitleCase(Augmentation):
    """Writes each word of the source with a capital, as in English headings. The target stays as it is."""

    def __call__(self, example: Example, rng: random.Random, another: Callable[[], Example]) -> tuple[str, str] | None:
        source, target = example.texts
        title = title_case(source)
        return None if title == source else (title, target)


@dataclass(frozen=True, kw_only=True)
class NoFullStop(Augmentation):
    """Leaves out the full stop at the end of both sides. Several full stops, as in an ellipsis, stay."""

    def __call__(self, example: Example, rng: random.Random, another: Callable[[], Example]) -> tuple[str, str] | None:
        sides = example.texts
        if not all(side.endswith(FULL_STOPS) and not side[:-1].endswith(FULL_STOPS) for side in sides):
            return None
        source, target = (side[:-1].rstrip() for side in sides)
        return source, target


@dataclass(frozen=True, kw_only=True)
class TypingErrors(Augmentation):
    """Puts typing errors into the source: a share of `words` of its longer words have one."""

    words: Share = 0.15

    def __call__(self, example: Example, rng: random.Random, another: Callable[[], Example]) -> tuple[str, str] | None:
        source, target = example.texts
        wrong = with_typing_errors(source, self.words, rng)
        return None if wrong == source else (wrong, target)


def title_case(text: str) -> str:
    """Return a text in which each word begins with a capital. "don't" becomes "Don't"."""
    return str(regex.sub(r"(?<![\w\p{M}\p{N}'\u2019])\w", lambda found: found[0].title(), text))


def with_typing_errors(text: str, share: float, rng: random.Random) -> str:
    """Return a text in which a share of the words of four letters and more have an error.

    Two letters change places, one is missing, or one is there twice. A mark of a span has no letters, so it stays.
    """
    return WORD.sub(lambda found: _wrong(found[0], rng) if rng.random() < share else found[0], text)


def _wrong(word: str, rng: random.Random) -> str:
    place = rng.randrange(1, len(word) - 1)
    before, one, two, after = word[:place], word[place], word[place + 1], word[place + 2 :]
    return before + rng.choice([two + one, two, one + one + two]) + after
