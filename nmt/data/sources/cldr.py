"""The embedded corpus: expressions that Unicode CLDR and num2words provide in many languages, without a network.

The expressions are dates, times, relative times, quantities with compound units, money and number words, joined by the
rules of each language. The word order differs between languages: Korean puts "per hour" first in "150 kilometers per
hour", and German writes 21 as "einundzwanzig". No rule here is specific to one language. Every source has one correct
translation, so exact match is a fair score. The texts depend only on the settings, the seed and the installed versions
of Babel (which contains CLDR) and num2words.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cache, lru_cache, partial
from random import Random
from typing import Any

from babel import Locale
from babel.dates import format_date, format_skeleton, format_time, format_timedelta
from babel.lists import format_list
from babel.localedata import locale_identifiers
from babel.numbers import format_currency, get_currency_precision
from babel.units import format_compound_unit, format_unit
from num2words import CONVERTER_CLASSES, num2words

from nmt.data.pair import SentencePair
from nmt.data.sources.base import Generated
from nmt.errors import ParameterError, did_you_mean
from nmt.parameters import PositiveInt
from nmt.text.languages import foreign_script, locale_of

Form = Callable[[Locale, Any], str]

FIRST_DAY = datetime.date(1950, 1, 1)
DAYS = 36_525  # a hundred years, so that two digits name a year

UNITS = (
    *("length-kilometer", "length-meter", "length-centimeter", "length-millimeter", "length-mile", "length-foot"),
    *("mass-kilogram", "mass-gram", "mass-tonne", "mass-pound", "area-hectare", "area-square-meter"),
    *("volume-liter", "volume-milliliter", "volume-cubic-meter", "temperature-celsius", "concentr-percent"),
    *("duration-second", "duration-minute", "duration-hour", "duration-day", "duration-week", "duration-month"),
    *("duration-year", "energy-kilowatt-hour", "energy-kilocalorie", "power-kilowatt", "power-watt"),
    *("digital-megabyte", "digital-gigabyte", "frequency-megahertz", "pressure-hectopascal", "electric-volt"),
)
RATES = (
    *("length-kilometer", "length-mile", "length-meter", "volume-liter", "volume-cubic-meter", "mass-kilogram"),
    *("mass-gram", "mass-tonne", "digital-megabyte", "digital-gigabyte", "energy-kilowatt-hour", "energy-kilocalorie"),
)
RATE_DENOMINATORS = tuple(unit for unit in UNITS if unit.startswith("duration-"))
CURRENCIES = ("EUR", "USD", "GBP", "JPY", "KRW", "CHF", "CNY", "INR", "CAD", "AUD", "SEK", "PLN", "CZK", "BRL")
RELATIVE_UNITS: Mapping[str, int] = {  # in seconds, as format_timedelta counts them
    **{"second": 1, "minute": 60, "hour": 3600, "day": 86_400, "week": 604_800, "month": 2_592_000, "year": 31_536_000}
}
REDRAWS = 200
PLAIN_SPACES = str.maketrans(dict.fromkeys("\u00a0\u2009\u202f", " "))


class NoWording(Exception):
    """CLDR has no wording for a value in some locale."""


@dataclass(frozen=True)
class Topic:
    """A kind of expression: `draw` returns a random value, and each of `forms` words a value in a locale."""

    draw: Callable[[Random], Any]
    forms: Sequence[Form]

    def part(self, rng: Random, source: Locale, target: Locale) -> tuple[str, str] | None:
        """Return a random expression in both locales, or None if many draws find none that both have.

        Two forms can word a value in the same way in the source ("May 7, 2024" is long and abbreviated) but differently
        in the target. Then the first of them is used, so that a source has only one target. CLDR covers some languages
        only in part.
        """
        for _ in range(REDRAWS):
            value, drawn = self.draw(rng), rng.randrange(len(self.forms))
            try:
                text = self.forms[drawn](source, value)
                form = next(form for form in self.forms[: drawn + 1] if form(source, value) == text)
                return text, form(target, value)
            except (NoWording, LookupError):  # LookupError: the locale lacks a name or pattern
                continue
        return None


def _time(rng: Random) -> datetime.time:
    return datetime.time(rng.randrange(24), rng.randrange(60), rng.randrange(60))


def _moment(rng: Random) -> datetime.datetime:
    day = FIRST_DAY + datetime.timedelta(days=rng.randrange(DAYS))
    return datetime.datetime.combine(day, _time(rng))


@cache
def _time_pattern(locale: Locale, length: str) -> str:
    """Return the locale's pattern with the wide day period, which people usually write (Korean: 오후, not PM)."""
    pieces = locale.time_formats[length].pattern.split("'")
    return "'".join(re.sub("a+", "aaaa", piece) if i % 2 == 0 else piece for i, piece in enumerate(pieces))


def _date(length: str, locale: Locale, moment: datetime.datetime) -> str:
    return format_date(moment, length, locale=locale)


def _skeleton(skeleton: str, locale: Locale, moment: datetime.datetime | datetime.time) -> str:
    return format_skeleton(skeleton, moment, locale=locale)


def _clock(length: str, locale: Locale, moment: datetime.datetime | datetime.time) -> str:
    return format_time(moment, _time_pattern(locale, length), locale=locale)


def _date_time(locale: Locale, moment: datetime.datetime) -> str:
    glue = str(locale.datetime_formats["long"])
    return glue.format(_clock("short", locale, moment), _date("long", locale, moment))


def _relative_value(rng: Random) -> tuple[str, int]:
    return rng.choice(tuple(RELATIVE_UNITS)), rng.choice((1, -1)) * rng.randint(1, rng.choice((12, 60)))


def _relative(locale: Locale, value: tuple[str, int]) -> str:
    unit, count = value
    delta = datetime.timedelta(seconds=RELATIVE_UNITS[unit] * count)
    # No threshold is ever reached, so the granularity alone chooses the unit.
    return format_timedelta(delta, unit, float("inf"), add_direction=True, locale=locale)  # type: ignore[arg-type]


def _amount(rng: Random) -> Decimal:
    whole = Decimal(rng.randint(1, 10 ** rng.choice((1, 2, 3, 4))))
    return whole if rng.random() < 0.7 else whole + Decimal(rng.randint(1, 9)) / 10


def _quantity(rng: Random) -> tuple[Decimal, str, str | None]:
    if rng.random() < 0.5:
        return _amount(rng), rng.choice(UNITS), None
    return _amount(rng), rng.choice(RATES), rng.choice(RATE_DENOMINATORS)


def _measure(locale: Locale, value: tuple[Decimal, str, str | None]) -> str:
    amount, unit, per = value
    if per is None:
        text: str | None = format_unit(amount, unit, locale=locale)
    else:
        text = format_compound_unit(amount, unit, denominator_unit=per, locale=locale)
    # Where CLDR lacks a pattern, Babel writes the unit's identifier instead.
    if text is None or unit in text or (per is not None and per in text):
        raise NoWording(f"{unit} per {per} in {locale}")
    return text


def _price(rng: Random) -> tuple[Decimal, str]:
    currency = rng.choice(CURRENCIES)
    whole = Decimal(rng.randint(1, 10 ** rng.choice((1, 2, 3, 4))))
    cents = rng.choice((0, rng.randint(1, 99))) if get_currency_precision(currency) else 0
    return whole + Decimal(cents) / 100, currency


def _money(format_type: str, locale: Locale, value: tuple[Decimal, str]) -> str:
    return format_currency(*value, locale=locale, format_type=format_type)  # type: ignore[arg-type]


def _number(rng: Random) -> int:
    return rng.randrange(10 ** rng.choice((1, 2, 3, 3, 4, 4, 5)))


@lru_cache(maxsize=20_000)
def _words(locale: Locale, number: int) -> str:
    if number_words_key(locale) is None:
        raise NoWording(f"num2words has no number words in {locale}")
    try:
        return str(num2words(number, lang=number_words_key(locale)))
    except (TypeError, ArithmeticError, NotImplementedError) as error:  # some of its languages have no large numbers
        raise NoWording(f"{number} in {locale}") from error


@cache
def number_words_key(locale: Locale) -> str | None:
    """Return the name under which num2words has the number words of a locale, or None if it has none.

    num2words has the words of a language in one script only. If the locale is written in another script, they do not
    count.
    """
    key = next((key for key in (str(locale), locale.language) if key in CONVERTER_CLASSES), None)
    return key if key and not foreign_script(num2words(25, lang=key), str(locale)) else None


_DATES = [partial(_date, length) for length in ("full", "long", "medium", "short")]
_SKELETONS = [partial(_skeleton, skeleton) for skeleton in ("MMMMd", "yMMMM", "yMMMEd")]
# The order of the forms counts: of two that word a value in the same way, the first is used (see Topic.part).
TOPICS: Mapping[str, Topic] = {
    "dates": Topic(_moment, (*_DATES, *_SKELETONS, _date_time)),
    "times": Topic(_time, (partial(_clock, "short"), partial(_clock, "medium"), partial(_skeleton, "Bhm"))),
    "relative": Topic(_relative_value, (_relative,)),
    "quantities": Topic(_quantity, (_measure,)),
    "money": Topic(_price, (partial(_money, "standard"), partial(_money, "name"))),
    "numbers": Topic(_number, (_words,)),
}


class Cldr(Generated):
    """Generated pairs; each sentence joins 1 to `max_parts` expressions of the `topics`."""

    def __init__(
        self,
        *,
        source_lang: str,
        target_lang: str,
        seed: int,
        sizes: Sequence[int],
        topics: Sequence[str] | None = None,
        max_parts: PositiveInt = 3,
    ) -> None:
        """Take the sizes [train, val, test] and the topics' names (null: all that both languages have).

        Raises ParameterError for an unknown topic or locale, and for a topic that one of the languages lacks.
        """
        super().__init__(seed=seed, sizes=sizes)
        self.max_parts = max_parts
        self.locales = _locale(source_lang, "source_lang"), _locale(target_lang, "target_lang")
        self.topics = _topics(topics, *self.locales)

    def origin(self, split: str) -> str:
        return "CLDR"

    def draw(self, rng: Random) -> SentencePair | None:
        parts = []
        for _ in range(rng.randint(1, self.max_parts)):
            if (part := rng.choice(self.topics).part(rng, *self.locales)) is None:
                return None
            parts.append(part)
        style: Any = rng.choice(("standard", "standard", "or"))  # "a, b, and c" or "a, b, or c"
        sides = zip(zip(*parts, strict=True), self.locales, strict=True)
        source, target = (format_list(texts, style, locale).translate(PLAIN_SPACES) for texts, locale in sides)
        return SentencePair(source, target)


def _locale(name: str, parameter: str) -> Locale:
    if locale := locale_of(name):
        return locale
    hint = did_you_mean(name, locale_identifiers())
    raise ParameterError(parameter, f"CLDR has no locale '{name}'; expected a language code such as de or ko{hint}")


def _topics(names: Sequence[str] | None, source: Locale, target: Locale) -> list[Topic]:
    """Return the topics of these names, or if `names` is None, all that both languages have words for."""
    there = {name: topic for name, topic in TOPICS.items() if topic.part(Random(0), source, target)}
    wrong = next((name for name in names or () if name not in there), None)
    if wrong is not None or not (there if names is None else names):
        hint = did_you_mean(wrong, TOPICS) if wrong is not None else ""
        raise ParameterError("topics", f"got {wrong or 'none'}, expected some of {', '.join(there)}{hint}")
    return list(there.values()) if names is None else [there[name] for name in names]
