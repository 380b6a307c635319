"""Languages by their codes, as Unicode CLDR knows them, their scripts, and texts in another language or script."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any

import regex
from babel import Locale, UnknownLocaleError
from babel.core import get_global, parse_locale

from nmt.errors import missing_packages

# Letters of scripts without spaces between words. For Unicode, the long vowel of Katakana (U+30FC) has no script.
UNSPACED = r"\p{Han}\p{Hiragana}\p{Katakana}\u30fc\uff70\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
UNSPACED_SCRIPTS = frozenset(("Jpan", "Hans", "Hant", "Thai", "Laoo", "Khmr", "Mymr"))  # as ISO 15924 names them
WIDE = r"[\p{InCJK_Symbols_And_Punctuation}\p{InHalfwidth_And_Fullwidth_Forms}]"  # no space stands beside such marks
FEWEST_LETTERS = 20  # the language of a shorter text cannot be told
LEAST_CONFIDENCE = 0.9  # on Multi30k, no caption was taken for another language from 0.8 on
NO_LANGUAGE = "zxx"  # the answer to texts such as tables of numbers and source code
# ISO 15924 has one code for the scripts of Japanese together, likewise of Korean and of Chinese.
_TOGETHER = {"Jpan": ("Hira", "Kana", "Hani"), "Kore": ("Hang", "Hani"), "Hans": ("Hani",), "Hant": ("Hani",)}
_EITHER = {"sr": ("Cyrl", "Latn"), "uz": ("Latn", "Cyrl")}  # languages in which people write both
# Codes of other programs that CLDR does not have, and the scripts that glibc and gettext write behind an @.
_ALIASES = {"no": "nb", "pb": "pt_BR", "zhs": "zh_Hans", "zht": "zh_Hant", "zt": "zh_Hant"}
_SCRIPTS = {"latin": "Latn", "cyrillic": "Cyrl", "devanagari": "Deva"}
_ARGOS = {"pt-BR": "pb", "zh-Hant": "zt", "fil": "tl"}  # the codes of Argos Translate that are not those of CLDR


def locale_of(code: str) -> Locale | None:
    """Return the locale of a language, or None if CLDR has none."""
    try:
        locale = Locale.parse(code.replace("-", "_"))
        script = _script_named(code)  # which Babel ignores in srp_Latn, since srp stands for sr_Cyrl
        return Locale(locale.language, script=script) if script and locale.script not in (None, script) else locale
    except (UnknownLocaleError, ValueError):
        return None


def find_language(code: str, known: Iterable[str]) -> str | None:
    """Return the one of the `known` codes that means the language of `code`; None for no such code, or for several.

    The same letters count most ("pt_br" is "pt-BR"), then the same language, script and region ("iw" is "he", "zh_TW"
    is "zh-Hant"). If only one of two codes names a region, they mean the same: "pt" is "pt_BR" where "pt" itself is not
    known. Another script is another language ("zh-TW" is not "zh"), and so is another region.
    """
    known, own, letters = list(known), _subtags(code), code.replace("_", "-").lower()
    spelled = [each for each in known if each.replace("_", "-").lower() == letters]
    same = [each for each in known if _subtags(each) == own]
    near = [each for each in known if _subtags(each)[:2] == own[:2] and "" in (_subtags(each)[2], own[2])]
    found = spelled or same or near
    return found[0] if len(found) == 1 else None


def bcp47(code: str) -> str:
    """Return a code as web pages and Hugging Face have it: "pt-BR" for "pt_BR", "he" for "iw", "ko" for "kor_Hang"."""
    language, script, region = _subtags(code)
    return "-".join(filter(None, (language, script if script != _subtags(language)[1] else "", region)))


def argos_code(code: str) -> str:
    """Return a code as Argos Translate and LibreTranslate have it: "pb" for "pt_BR", "de" for "de_AT"."""
    tag, region = bcp47(code), _subtags(code)[2]
    return _ARGOS.get(tag) or _ARGOS.get(short := tag.removesuffix(f"-{region}"), short)


@lru_cache(1000)  # clients of a server may send any code
def _subtags(code: str) -> tuple[str, str, str]:
    """Return the language, script and region of a code, in CLDR's words. Each is "" if it is not known.

    The script is the likely one if the code names none. A region that only says the script, as in "zh_TW", is left out.
    """
    try:
        language, region, script, _, *modifier = parse_locale(code.replace("-", "_"))
    except ValueError:
        return code, "", ""
    likely, language = get_global("likely_subtags"), get_global("language_aliases").get(language, language)
    language, *others, _ = parse_locale(_ALIASES.get(language, language))
    region, script = region or others[0] or "", script or _SCRIPTS.get(str(*modifier)) or others[1]
    region = get_global("territory_aliases").get(region, [region])[0]
    usual, of_region = (likely.get(each, "__").split("_")[1] for each in (language, f"{language}_{region}"))
    script, region = script or of_region or usual, "" if of_region and script in (None, of_region) else region
    return language, usual if script in scripts_in(usual) else script, region


def english_name(code: str) -> str:
    """Return the English name of a language, or its code if CLDR has none."""
    locale = locale_of(code) or locale_of(bcp47(code))
    return (locale and locale.english_name) or code


@cache
def scripts_of(code: str) -> tuple[str, ...]:
    """Return the ISO 15924 codes of the scripts that a language is written in, the likely one first: "Latn" for "en".

    There are two if people write the language in both and `code` names neither: "sr" has two scripts, "sr_Latn" has
    one. The result is empty if no script is known.
    """
    language, script, _ = _subtags(code)
    found = (script,) if _script_named(code) else tuple(dict.fromkeys([script, *_EITHER.get(language, ())]))
    try:
        _letters(found)
    except regex.error:  # Unicode has no such script
        return ()
    return found if script else ()


def _script_named(code: str) -> str:
    return next((part.title() for part in re.split("[-_]", code)[1:] if len(part) == 4), "")


def scripts_in(script: str) -> tuple[str, ...]:
    """Return the scripts of Unicode that a code of ISO 15924 stands for."""
    return _TOGETHER.get(script, (script,))


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
    return str(other) if confidence >= LEAST_CONFIDENCE and other not in (_label(language), NO_LANGUAGE) else ""


def unidentified(language: str) -> str:
    """Return why texts of a language cannot be told from others, or an empty string."""
    if note := missing_packages("py3langid", extra="inspect"):
        return note
    return "" if _label(language) else f"py3langid does not know the language '{language}'"


def probabilities(text: str, languages: Iterable[str]) -> dict[str, float]:
    """Return the probability of each of `languages` if a text is in one of them, as py3langid estimates it.

    The result is empty if the package is not installed, or if it can tell no two of these languages apart.
    """
    labels = {code: _label(code) for code in languages if not unidentified(code)}
    ranks = dict(_identifier().rank(text)) if len(set(labels.values())) > 1 else {}
    weights = {code: ranks[label] / [*labels.values()].count(label) for code, label in labels.items() if ranks}
    return {code: weight / (sum(weights.values()) or 1) for code, weight in weights.items()}


@cache
def _label(language: str) -> str:
    """Return the code that py3langid has for a language, such as "no" for "nb", or "" if it does not know it."""
    return next((each for each in _identifier().labels if _subtags(each)[0] == _subtags(language)[0]), "")


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
