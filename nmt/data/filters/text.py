"""Pairs that are copied, or in another script or language than they should be."""

from __future__ import annotations

import functools
import unicodedata
from importlib import metadata
from typing import Any

import regex

from nmt.data.filters.base import CorpusContext, Filter, Finder, TextFilter
from nmt.errors import missing_packages
from nmt.text.languages import main_part, scripts_in, scripts_of

SPACELESS = {"Jpan", "Hans", "Hant", "Thai", "Laoo", "Khmr", "Mymr"}  # each letter counts as a word

FEWEST_LETTERS = 20  # the language of a shorter text cannot be told
LEAST_CONFIDENCE = 0.9  # on Multi30k, no caption was taken for another language from 0.8 on
NO_LANGUAGE = "zxx"  # the answer to texts such as tables of numbers and source code


class Identical(Filter):
    """Source and target are equal. Numbers and dates may be equal, so the text must have letters."""

    explanation = "has the same text, with letters in it, on both sides"

    def finder(self, context: CorpusContext) -> Finder:
        return lambda index, pair: (
            "same text" if pair.source == pair.target and any(map(str.isalpha, pair.source)) else ""
        )


class Script(TextFilter):
    """Most words of a text are written in a script that its language is not written in."""

    explanation = "has a side with most words in a script that its language is not written in"

    def problem(self, text: str, language: str) -> str:
        return foreign_script(text, language)

    def unavailable_reason(self, languages: tuple[str, str]) -> str:
        unknown = [language for language in languages if not scripts_of(language)]
        return f"Unicode CLDR knows no script of '{unknown[0]}'" if unknown else ""

    def identity(self, context: CorpusContext) -> list[Any]:
        return [*super().identity(context), *map(scripts_of, context.languages)]


class Language(TextFilter):
    """A text is in another language than it should be, as py3langid recognizes it."""

    explanation = f"has a side of at least {FEWEST_LETTERS} letters that reads as another language"

    def problem(self, text: str, language: str) -> str:
        other = foreign_language(text, language)
        return f"reads as {other}" if other else ""

    def unavailable_reason(self, languages: tuple[str, str]) -> str:
        return next(filter(None, map(_unidentified, languages)), "")

    def identity(self, context: CorpusContext) -> list[Any]:
        return [*super().identity(context), *context.languages, metadata.version("py3langid")]


def foreign_script(text: str, language: str) -> str:
    """Return the script of the first foreign letter if most words of a text are not in a script of the language.

    The name is that of Unicode, such as "Cyrillic". It is empty if the script of the language is not known.
    """
    scripts = scripts_of(language)
    if not scripts:
        return ""
    own, other = _letters(scripts)
    foreign = other.search(text)
    if not foreign:
        return ""
    words = [bool(own.search(word)) for word in text.split() if regex.search(r"\p{L}", word)]
    own_words = len(own.findall(text)) if not SPACELESS.isdisjoint(scripts) else 0
    if words.count(False) <= words.count(True) + own_words:
        return ""
    return unicodedata.name(foreign[0], "unknown").partition(" ")[0].capitalize()


@functools.cache
def _letters(scripts: tuple[str, ...]) -> tuple[Any, Any]:
    """Return patterns for a letter of these scripts, and of others. Some letters, such as µ, belong to no script."""
    own = "".join(rf"\p{{sc={name}}}" for script in scripts for name in scripts_in(script))
    other = rf"[\p{{L}}--[\p{{sc=Common}}\p{{sc=Inherited}}{own}]]"
    return regex.compile(rf"[\p{{L}}&&[{own}]]", regex.V1), regex.compile(other, regex.V1)


def foreign_language(text: str, language: str) -> str:
    """Return the code of another language than `language` as which py3langid reads a text.

    It is empty for a text with few letters, and if the package is not installed or does not know the language.
    """
    if sum(map(str.isalpha, text)) < FEWEST_LETTERS or _unidentified(language):
        return ""
    other, confidence = _identifier().classify(text)
    return str(other) if confidence >= LEAST_CONFIDENCE and other not in (main_part(language), NO_LANGUAGE) else ""


def _unidentified(language: str) -> str:
    """Return why texts of a language cannot be told from others, or an empty string."""
    if note := missing_packages("py3langid", extra="inspect"):
        return note
    return "" if main_part(language) in _identifier().labels else f"py3langid does not know the language '{language}'"


@functools.cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
