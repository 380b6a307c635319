"""Numbers that only one side of a pair has.

Good translations write the same number in many ways, so a number is left over only if nothing on the other side
explains it:

- Groups of digits are compared in any order: "August 9, 2027" fits "2027년 8월 9일". Zeros at the start of a group do
  not count, nor do those at the end of decimals.
- "1,000", "1.000", "1 000" and "1'000" may all be 1000, and "1.000" may be 1 as well.
- The other side may have the number in words or in Roman numerals, a month by its name, a year with two digits, or an
  hour of the other clock (14:12 is 2:12 PM). Next to a word such as "million", other digits may stand for the same
  number.
- Digits behind a percent sign belong to a format ("%3d"), which programs may fill in any order.

If both sides have a number left over, the pair has the defect. If only one side has, the pair has the defect only if
translators do not leave out such a number: it is above 12 (smaller ones are often words in an inflected form) or, where
the number words of the other language are not known, above 99. It is not a part of a name ("F2"), and not a number that
the other side has less often ("2 of 2").
"""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

import regex

from nmt.data.defects.base import SIDES, Defect
from nmt.data.defects.number_words import (
    clock_words,
    has_number_words,
    month_names,
    number_words,
    scale_words,
    searchable_text,
)
from nmt.data.pair import SentencePair

LARGEST_SMALL, LARGEST_WITHOUT_WORDS = 12, 99
MOST_SHOWN, LONGEST_SHOWN = 5, 20
ROMAN = ((10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"))
LARGEST_ROMAN = 39
# What follows the word for an hour in a `searchable_text`
O_CLOCK = ("시", "時", "时", "点", "點", "uhr", "oclock", "am", "pm")

_DIGITS = re.compile(r"\d+")
_SEPARATOR = r"[.,'\u2019 \u00a0\u202f]"
_NUMBER = re.compile(rf"\d+(?:{_SEPARATOR}\d+)*")
# 1,234,567 with any separator, and 12,34,567 as in India
_THOUSANDS = re.compile(
    rf"(?<!\d)(?:\d{{1,3}}(?=({_SEPARATOR}))(?:\1\d{{3}}){{1,8}}|\d{{1,2}}(?:,\d\d){{1,8}},\d{{3}})(?!\d)"
)
_FORMAT = re.compile(r"%[.$]?\Z")
_NAME = regex.compile(r"[\p{sc=Latin}_]\Z")
_BASE = re.compile(r"\s?[진進进]")  # 16진수 is the word for hexadecimal
_HALF = regex.compile(r"(?i)시 ?반|\bhalf\b|\bhalb\b")  # half past one, halb zwei
_ROMAN_END = r"(?:\b|(?=(?:e|es|er|re|ème|ᵉ)\b))"  # XXIe siècle is the 21st century
_TIME = re.compile(r"\d:\d\d(?!\d)")


class Numbers(Defect):
    """The sides have different numbers. The docstring of the module says when a number is explained."""

    name = "numbers"
    version = 5
    explanation = "has a number on one side that the other side has neither in digits nor in words"

    def find(self, index: int, pair: SentencePair) -> str:
        """Return the numbers of each side that nothing explains: "source: 25; target: 35"."""
        if _DIGITS.findall(pair.source) == _DIGITS.findall(pair.target):  # the usual case
            return ""
        sides = [_Side(*each) for each in zip((pair.source, pair.target), self.context.languages, strict=True)]
        left = [list(_left_over(sides[side], sides[1 - side])) for side in (0, 1)]
        if not all(left):
            left = [[each for each in numbers if each.is_certain] for numbers in left]
        notes = (f"{side}: {_listed(numbers)}" for side, numbers in zip(SIDES, left, strict=True) if numbers)
        return "; ".join(notes)

    def identity(self) -> Any:
        return [*super().identity(), *self.context.languages, *map(metadata.version, ("num2words", "babel"))]


@dataclass(frozen=True)
class _Side:
    text: str
    language: str

    @functools.cached_property
    def groups(self) -> Counter[str]:
        """The groups of digits, with the thousands joined."""
        return Counter(group for number in _NUMBER.findall(self.text) for group in _joined(number))

    @functools.cached_property
    def offered(self) -> frozenset[str]:
        """The groups of digits in all readings."""
        readings = (each for number in _NUMBER.findall(self.text) for each in _readings(number))
        return frozenset(group for reading in readings for group in reading)

    @functools.cached_property
    def short_years(self) -> frozenset[int]:
        """The years with two digits."""
        return frozenset(int(number[2:]) for number in self.offered if _is_year(number))

    @functools.cached_property
    def words(self) -> str:
        """The text without spaces and punctuation, as the words for numbers are."""
        return searchable_text(self.text, self.language)

    def ends_with(self, rest: Sequence[str]) -> bool:
        """Return whether a number ends with the digits of `rest`, as 35000 with the 5000 of 3만 5000, or may do so."""
        return self.is_scaled or any(each.endswith("".join(rest)) for each in self.offered)

    @functools.cached_property
    def is_scaled(self) -> bool:
        """Whether a word such as "million" follows a number."""
        scale = scale_words(self.language)
        return any(scale.match(self.text, number.end()) for number in _DIGITS.finditer(self.text))

    @functools.cached_property
    def has_clock(self) -> bool:
        """Whether there is a time of the day."""
        return bool(_TIME.search(self.text) or clock_words(self.language).search(self.text))

    def has_month_or_roman(self, value: int) -> bool:
        """Return whether the text has this number as the name of a month or in Roman numerals."""
        month = month_names(self.language).get(value)
        roman = _roman(value)
        return bool((month and month.search(self.text)) or (roman and re.search(rf"\b{roman}{_ROMAN_END}", self.text)))


@dataclass(frozen=True)
class _Number:
    """A number that nothing explains. `is_certain` is False if translators may leave out such a number."""

    digits: str
    is_certain: bool


def _listed(numbers: Sequence[_Number]) -> str:
    digits = list(dict.fromkeys(each.digits for each in numbers))
    shown = [each if len(each) <= LONGEST_SHOWN else f"{each[:LONGEST_SHOWN]}…" for each in digits[:MOST_SHOWN]]
    return ", ".join([*shown, *(["…"] if len(digits) > MOST_SHOWN else [])])


def _left_over(own: _Side, other: _Side) -> Iterator[_Number]:
    more, scaled = own.groups - other.groups, len(own.text)
    is_explained = functools.cache(lambda group: _is_explained(group, own, other))
    for number in _NUMBER.finditer(own.text) if more else ():
        start, end = number.span()
        is_rest = scaled <= start and not own.text[scaled:start].strip() and other.ends_with(_joined(number[0]))
        if scale := scale_words(own.language).match(own.text, end):
            scaled = scale.end()
        groups = _joined(number[0])
        readings = (each for each in _readings(number[0]) if each != groups)
        if not any(more[group] for group in groups) or any(map(other.offered.issuperset, readings)):
            continue
        before = own.text[max(0, start - 2) : start]
        if _FORMAT.search(before) or scale or is_rest or _BASE.match(own.text, end):
            continue
        for group in groups:
            if more[group] and not is_explained(group):
                certain = _is_large(group, other) and group not in other.offered and not _NAME.search(before)
                yield _Number(group, certain)


def _joined(number: str) -> list[str]:
    """Return the groups of digits of a number, after its thousands were joined."""
    return _groups(_THOUSANDS.sub(lambda match: "".join(_DIGITS.findall(match[0])), number))


def _readings(number: str) -> list[list[str]]:
    """Return the possible groups of digits: joined, as written, and as written without the last zeros."""
    last = max(number.rfind("."), number.rfind(","))
    return [_joined(number), _groups(number), _groups(number if last < 0 else number.rstrip("0"))]


def _groups(number: str) -> list[str]:
    return [_plain(digits) for digits in _DIGITS.findall(number)]


def _plain(digits: str) -> str:
    """Return digits of any script in ASCII, without zeros at the start."""
    if not digits.isascii():
        digits = "".join(str(unicodedata.digit(digit)) for digit in digits)
    return digits.lstrip("0") or "0"


def _is_large(number: str, other: _Side) -> bool:
    largest = LARGEST_SMALL if has_number_words(other.language) else LARGEST_WITHOUT_WORDS
    return len(number) > 2 or int(number) > largest


def _is_explained(number: str, own: _Side, other: _Side) -> bool:
    """Return whether the other side has the number in another form."""
    if any(words in other.words for words in number_words(number, other.language)):
        return True
    if len(number) > 2:  # 1,200,000 and 1.2 million; 2027 and '27
        return (len(number) > 3 and other.is_scaled) or (_is_year(number) and _plain(number[2:]) in other.offered)
    value = int(number)
    return (
        value in other.short_years
        or (value == 30 and _HALF.search(other.text) is not None and _is_time(own, other))
        or (value <= 24 and _has_other_hour(value, other) and _is_time(own, other))
        or other.has_month_or_roman(value)
    )


def _has_other_hour(hour: int, other: _Side) -> bool:
    """Return whether the other side has this hour of the other clock: in digits, or after noon in words (세 시)."""
    if not other.offered.isdisjoint({str(hour + 12), str(hour - 12)}):
        return True
    words = number_words(str(hour - 12), other.language) if hour > 12 else ()
    return any(f"{word}{mark}" in other.words for word in words for mark in O_CLOCK)


def _is_time(*sides: _Side) -> bool:
    return any(side.has_clock for side in sides)


def _is_year(number: str) -> bool:
    return len(number) == 4 and number[:2] in ("19", "20")


def _roman(value: int) -> str:
    if value > LARGEST_ROMAN:
        return ""
    letters = ""
    for step, letter in ROMAN:
        letters += letter * (value // step)
        value %= step
    return letters
