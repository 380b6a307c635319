"""How a language writes numbers, months, hours and "million", from num2words and Unicode CLDR."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

import regex
from num2words import num2words

from nmt.data.defects.corpus import simplified
from nmt.languages import locale_of, number_words_key

MOST_DIGITS = 5  # longer numbers are rarely written in words, and num2words may need minutes for one
CHINESE = ("zh", "yue")  # which num2words does not have
FORMS = ("cardinal", "ordinal", "year")
# The exceptions of num2words for a language without ordinals, years or large numbers
UNFINISHED = (TypeError, ValueError, AttributeError, LookupError, ArithmeticError, NotImplementedError)

_KANJI = str.maketrans("0123456789", "〇一二三四五六七八九")
_TWO = str.maketrans("两兩", "二二")
# The word for one, and where a text leaves it out: in "a hundred" and "tausend", not in "two hundred" and "zweitausend"
_LEFT_OUT = {
    "one ": regex.compile(r"(?i)\ba (?=(?:hundred|thousand)\b)"),
    "ein": regex.compile(r"(?i)\b(?=(?:hundert|tausend)\b)"),
    "ett": regex.compile(r"(?i)\b(?=(?:hundra|tusen)\b)"),
}
_WORD = regex.compile(r"[\p{L}\p{M}]+")


def searchable_text(text: str, language: str) -> str:
    """Return the `simplified` text in which the `number_words` of a language are found.

    "A hundred" becomes "one hundred", as num2words writes it. A Chinese text is followed by the same text with its
    numerals as in Japanese: 百五 for 一百零五.
    """
    for one, place in _LEFT_OUT.items():
        text = place.sub(one, text)
    text = simplified(text)
    if not _is_chinese(language):
        return text
    return f"{text} {regex.sub('零|一(?=[十百千])', '', text.translate(_TWO))}"


@functools.lru_cache(maxsize=10_000)
def number_words(number: str, language: str) -> tuple[str, ...]:
    """Return the words for a number, as `simplified` leaves them; none in a language that num2words does not know."""
    key = _key(language)
    if key is None or len(number) > MOST_DIGITS:
        return ()
    found = [number.translate(_KANJI)] if key == "ja" else []  # 二〇二七年
    for form in FORMS:
        try:
            words = str(num2words(int(number), lang=key, to=form))
        except UNFINISHED:
            continue
        found += map(simplified, (words, words.replace(" and ", " "), words.replace("万", "萬"), *_counting(words)))
    return tuple(dict.fromkeys(found))


def _counting(words: str) -> list[str]:
    """Return the Korean words of an ordinal as they stand before what is counted: 스물다섯, 스무."""
    number = words.removesuffix(" 번째")
    return [] if number == words else [regex.sub(r"스물\Z", "스무", number)]


def has_number_words(language: str) -> bool:
    """Return whether the number words of a language are known."""
    return _key(language) is not None


@functools.cache
def _key(language: str) -> str | None:
    """Return the name that num2words has for a language. Chinese has that of Japanese, which writes numbers alike."""
    locale = locale_of(language)
    return "ja" if _is_chinese(language) else number_words_key(locale) if locale else None


def _is_chinese(language: str) -> bool:
    locale = locale_of(language)
    return locale is not None and locale.language in CHINESE


@functools.cache
def month_names(language: str) -> Mapping[int, Any]:
    """Return for each month a pattern that finds its names, long and short. There is none for an unknown language."""
    locale = locale_of(language)
    styles = [locale.months["format"][style] for style in ("wide", "abbreviated")] if locale else []
    return {month: _any_of(style[month].rstrip(".") for style in styles) for month in range(1, 13) if styles}


@functools.cache
def clock_words(language: str) -> Any:
    """Return a pattern that finds the words for parts of the day, such as AM, "in the evening" and 오후."""
    locale = locale_of(language)
    styles = [locale.day_periods["format"].get(style, {}) for style in ("wide", "abbreviated")] if locale else []
    return _any_of(["a.m", "p.m", *(word for style in styles for word in style.values())])


@functools.cache
def scale_words(language: str) -> Any:
    """Return a pattern that finds a word such as "thousand", "Mio.", K or 만 directly after a number."""
    locale = locale_of(language)
    formats = locale.compact_decimal_formats.values() if locale else ()
    patterns = [each.pattern for plurals in formats for forms in plurals.values() for each in forms.values()]
    words = {word for pattern in patterns for word in _WORD.findall(pattern)}
    short = {word for word in words if len(word) == 1}  # M is million, m is not
    return regex.compile(rf"[\s\u00a0-]?(?:{_alternatives(short)}|(?i:{_alternatives(words - short)}))")


def _any_of(words: Iterable[str]) -> Any:
    return regex.compile(_alternatives(words), regex.IGNORECASE)


def _alternatives(words: Iterable[str]) -> str:
    """Return a pattern for any of the words, not inside a word of Latin letters. Of no words, it finds none."""
    found = "|".join(regex.escape(word) for word in sorted(set(words), key=lambda word: (-len(word), word)))
    return rf"(?<!\p{{sc=Latin}})(?:{found or '(?!)'})(?!\p{{sc=Latin}})"
