"""Languages by their codes, as Unicode CLDR and num2words know them."""

from __future__ import annotations

import re
from functools import cache

import regex
from babel import Locale, UnknownLocaleError
from babel.core import get_global

# ISO 15924 has one code for the scripts of Japanese together, likewise of Korean and of Chinese.
_TOGETHER = {"Jpan": ("Hira", "Kana", "Hani"), "Kore": ("Hang", "Hani"), "Hans": ("Hani",), "Hant": ("Hani",)}
_EITHER = {"sr": ("Cyrl", "Latn"), "uz": ("Latn", "Cyrl")}  # languages in which people write both


def main_part(code: str) -> str:
    """Return the part of a code that names the language itself: "pt" for "pt_BR"."""
    return re.split("[-_@.]", code)[0].lower()


def locale_of(code: str) -> Locale | None:
    """Return the locale of a language, or None if CLDR has none."""
    try:
        locale = Locale.parse(code.replace("-", "_"))
        script = _script_named(code)  # which Babel ignores in srp_Latn, since srp stands for sr_Cyrl
        return Locale(locale.language, script=script) if script and locale.script not in (None, script) else locale
    except (UnknownLocaleError, ValueError):
        return None


def english_name(code: str) -> str:
    """Return the English name of a language, or its code if CLDR has none."""
    locale = locale_of(code)
    return (locale and locale.english_name) or code


def number_words_key(locale: Locale) -> str | None:
    """Return the name under which num2words has the number words of a locale, or None if it has none.

    num2words has the words of a language in one script. Those of Serbian are Latin. For sr, the likely script is
    Cyrillic, so the result is None.
    """
    from num2words import CONVERTER_CLASSES, num2words

    key = next((key for key in (str(locale), locale.language) if key in CONVERTER_CLASSES), None)
    likely = scripts_of(str(locale))[:1]
    return key if key and all(_is_written_in(script, num2words(25, lang=key)) for script in likely) else None


@cache
def scripts_of(code: str) -> tuple[str, ...]:
    """Return the ISO 15924 codes of the scripts that a language is written in, the likely one first: "Latn" for "en".

    There is more than one if texts are in either, and `code` names none: "sr" has two, "sr_Latn" one. It is empty if
    no script is known.
    """
    likely, parts = get_global("likely_subtags"), re.split("[-_]", code)
    locale = locale_of(code)
    names = ["_".join(parts), parts[0], *([locale.language] if locale else [])]  # the last for a code like "jpn"
    known = next((likely[name] for name in names if name in likely), "").split("_")
    script = _script_named(code) or next((part for part in known[1:] if len(part) == 4), "")
    if not script or not all(map(_is_script, scripts_in(script))):
        return ()
    return (script,) if _script_named(code) else tuple(dict.fromkeys([script, *_EITHER.get(known[0], ())]))


def _script_named(code: str) -> str:
    return next((part.title() for part in re.split("[-_]", code)[1:] if len(part) == 4), "")


def scripts_in(script: str) -> tuple[str, ...]:
    """Return the scripts of Unicode that a code of ISO 15924 stands for."""
    return _TOGETHER.get(script, (script,))


def _is_written_in(script: str, text: str) -> bool:
    own = "".join(rf"\p{{Script={name}}}" for name in scripts_in(script))
    return not regex.search(rf"[\p{{L}}--[{own}]]", text, regex.V1)


def _is_script(name: str) -> bool:
    try:
        return bool(regex.compile(rf"\p{{Script={name}}}"))
    except regex.error:
        return False
