"""Languages by their codes, as Unicode CLDR and num2words know them."""

from __future__ import annotations

import re
from functools import cache

import regex
from babel import Locale, UnknownLocaleError
from babel.core import get_global

# ISO 15924 has one code for the scripts of Japanese together, likewise of Korean and of Chinese.
_TOGETHER = {"Jpan": ("Hira", "Kana", "Hani"), "Kore": ("Hang", "Hani"), "Hans": ("Hani",), "Hant": ("Hani",)}


def main_part(code: str) -> str:
    """Return the part of a code that names the language itself: "pt" for "pt_BR"."""
    return re.split("[-_@.]", code)[0].lower()


def locale_of(code: str) -> Locale | None:
    """Return the locale of a language, or None if CLDR has none."""
    try:
        return Locale.parse(code.replace("-", "_"))
    except (UnknownLocaleError, ValueError):
        return None


def english_name(code: str) -> str:
    """Return the English name of a language, or its code if CLDR has none."""
    locale = locale_of(code)
    return (locale and locale.english_name) or code


def number_words_key(locale: Locale) -> str | None:
    """Return the name under which num2words has the number words of a locale, or None if it has none."""
    from num2words import CONVERTER_CLASSES

    return next((key for key in (str(locale), locale.language) if key in CONVERTER_CLASSES), None)


@cache
def script_of(code: str) -> str:
    """Return the ISO 15924 code of a language's script ("Latn" for "en"), or an empty string if it is not known."""
    likely, parts = get_global("likely_subtags"), re.split("[-_]", code)
    known = likely.get("_".join(parts)) or likely.get(parts[0], "")
    subtags = (*parts[1:], *known.split("_")[1:])
    script = next((part.title() for part in subtags if len(part) == 4), "")
    return script if all(map(_is_script, scripts_in(script))) else ""


def scripts_in(script: str) -> tuple[str, ...]:
    """Return the scripts of Unicode that a code of ISO 15924 stands for; none for an empty code."""
    return _TOGETHER.get(script, (script,)) if script else ()


def _is_script(name: str) -> bool:
    try:
        return bool(regex.compile(rf"\p{{Script={name}}}"))
    except regex.error:
        return False
