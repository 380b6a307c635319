"""Languages by their codes, as Unicode CLDR and num2words know them."""

from __future__ import annotations

import re

from babel import Locale, UnknownLocaleError


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
