"""Languages by their codes, as Unicode CLDR knows them, their scripts, and texts in another language or script."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Any

import regex
from babel import Locale, UnknownLocaleError
from babel.core import get_global

from nmt.errors import missing_packages

# Letters of scripts without spaces between words. For Unicode, the long vowel of Katakana (U+30FC) has no script.
UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\uff70\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
UNSPACED_SCRIPTS = frozenset(("Jpan", "Hans", "Hant", "Thai", "Laoo", "Khmr", "Mymr"))  # as ISO 15924 names them
WIDE = r"[\p{InCJK_Symbols_And_Punctuation}\p{InHalfwidth_And_Fullwidth_Forms}]"  # such marks need no space
FEWEST_LETTERS = 20  # the language of a shorter text cannot be told
LEAST_CONFIDENCE = 0.9  # on Multi30k, no caption was taken for another language from 0.8 on
NO_LANGUAGE = "zxx"  # the answer to texts such as tables of numbers and source code
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


@cache
def scripts_of(code: str) -> tuple[str, ...]:
    """Return the ISO 15924 codes of the scripts that a language is written in, the likely one first: "Latn" for "en".

    There are two if people write the language in both and `code` names neither: "sr" has two scripts, "sr_Latn" has
    one. The result is empty if no script is known.
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


def _is_script(name: str) -> bool:
    try:
        return bool(regex.compile(rf"\p{{Script={name}}}"))
    except regex.error:
        return False


def foreign_script(text: str, language: str) -> str:
    """Return the script of the first foreign letter if most words of a text are not in a script of the language.

    The name is that of Unicode, such as "Cyrillic". The result is empty for any other text, and if no script of the
    language is known.
    """
    scripts = scripts_of(language)
    if not scripts:
        return ""
    own, other = _letters(scripts)
    foreign = other.search(text)
    if not foreign:
        return ""
    words = [bool(own.search(word)) for word in text.split() if regex.search(r"\p{L}", word)]
    own_words = len(own.findall(text)) if not UNSPACED_SCRIPTS.isdisjoint(scripts) else 0
    if words.count(False) <= words.count(True) + own_words:
        return ""
    return unicodedata.name(foreign[0], "unknown").partition(" ")[0].capitalize()


@cache
def _letters(scripts: tuple[str, ...]) -> tuple[Any, Any]:
    """Return patterns for a letter of these scripts, and of others. Some letters, such as µ, belong to no script."""
    own = "".join(rf"\p{{sc={name}}}" for script in scripts for name in scripts_in(script))
    other = rf"[\p{{L}}--[\p{{sc=Common}}\p{{sc=Inherited}}{own}]]"
    return regex.compile(rf"[\p{{L}}&&[{own}]]", regex.V1), regex.compile(other, regex.V1)


def foreign_language(text: str, language: str) -> str:
    """Return the code of the language that py3langid recognizes in a text, if it is not `language`.

    The result is empty for any other text, for a text with few letters, and if the package is not installed or does not
    know `language`.
    """
    if sum(map(str.isalpha, text)) < FEWEST_LETTERS or unidentified(language):
        return ""
    other, confidence = _identifier().classify(text)
    return str(other) if confidence >= LEAST_CONFIDENCE and other not in (main_part(language), NO_LANGUAGE) else ""


def unidentified(language: str) -> str:
    """Return why texts of a language cannot be told from others, or an empty string."""
    if note := missing_packages("py3langid", extra="inspect"):
        return note
    return "" if main_part(language) in _identifier().labels else f"py3langid does not know the language '{language}'"


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
