"""Defects that a pair shows by itself: copied, damaged, or in another script or language than it should be."""

from __future__ import annotations

import functools
import re
import unicodedata
from importlib import metadata
from typing import Any

import regex

from nmt.data.defects.base import Defect, TextDefect
from nmt.data.pair import SentencePair
from nmt.errors import missing_packages
from nmt.languages import main_part, scripts_in, scripts_of

# Control characters, and characters that cannot be seen: soft hyphen, zero-width space, line separators, overrides of
# the writing direction, invisible operators, Hangul fillers, byte order mark, private use. White space is not included.
# Neither are the joiners and the marks of direction that some scripts need.
INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1b\x7f-\x84\x86-\x9f\u00ad\u200b\u2028\u2029\u202d\u202e\u2060-\u2064\u3164\ufeff\uffa0"
    "\ue000-\uf8ff]"
)
REPLACEMENT = "\ufffd"

SPACELESS = {"Jpan", "Hans", "Hant", "Thai", "Laoo", "Khmr", "Mymr"}  # each letter counts as a word

FEWEST_LETTERS = 20  # the language of a shorter text cannot be told
LEAST_CONFIDENCE = 0.9  # on Multi30k, no caption was taken for another language from 0.8 on
NO_LANGUAGE = "zxx"  # the answer to texts such as tables of numbers and source code


class Identical(Defect):
    """Source and target are equal. Numbers and dates may be equal, so the text must have letters."""

    name = "identical"
    explanation = "has the same text, with letters in it, on both sides"
    version = 2

    def find(self, index: int, pair: SentencePair) -> str:
        return "same text" if pair.source == pair.target and any(map(str.isalpha, pair.source)) else ""


class Invisible(TextDefect):
    """A text has a control character or an invisible one."""

    name = "invisible"
    explanation = "has a control character, a byte order mark, a soft hyphen or another character that cannot be seen"
    version = 2

    def problem(self, text: str, language: str) -> str:
        found = INVISIBLE.search(text)
        return f"U+{ord(found[0]):04X}" if found else ""


class Encoding(TextDefect):
    """A text was decoded with the wrong encoding, as ftfy recognizes it."""

    name = "encoding"
    explanation = "has characters that a wrong decoding leaves behind, as Ã¼ for ü, or � for bytes that were lost"

    def problem(self, text: str, language: str) -> str:
        if text.isascii():
            return ""
        if REPLACEMENT in text:
            return "replacement character"
        from ftfy.badness import is_bad  # late: the import takes a tenth of a second

        return "wrong decoding" if is_bad(text) else ""

    @classmethod
    def unavailable_reason(cls, languages: tuple[str, str]) -> str:
        return missing_packages("ftfy", extra="inspect")

    def identity(self) -> Any:
        return [self.name, self.version, metadata.version("ftfy")]


class Script(TextDefect):
    """Most words of a text are written in a script that its language is not written in."""

    name = "script"
    explanation = "has a side with most words in a script that its language is not written in"

    def problem(self, text: str, language: str) -> str:
        return foreign_script(text, language)

    @classmethod
    def unavailable_reason(cls, languages: tuple[str, str]) -> str:
        unknown = [language for language in languages if not scripts_of(language)]
        return f"Unicode CLDR knows no script of '{unknown[0]}'" if unknown else ""

    def identity(self) -> Any:
        return [self.name, self.version, *map(scripts_of, self.context.languages)]


def foreign_script(text: str, language: str) -> str:
    """Return the script of the first foreign letter if most words of a text are not in a script of the language.

    The name is that of Unicode, such as "Cyrillic". It is empty if the script of the language is not known.
    """
    scripts = scripts_of(language)
    if not scripts or not (foreign := _own_script(scripts).other.search(text)):
        return ""
    words = _own_script(scripts).words(text)
    if words.count(False) <= words.count(True):
        return ""
    return unicodedata.name(foreign[0], "unknown").partition(" ")[0].capitalize()


class _OwnScript:
    """Patterns for the letters of a language's scripts, and of others. Some letters, such as µ, belong to no script."""

    def __init__(self, scripts: tuple[str, ...]) -> None:
        own = "".join(rf"\p{{sc={name}}}" for script in scripts for name in scripts_in(script))
        self.other = regex.compile(rf"[\p{{L}}--[\p{{sc=Common}}\p{{sc=Inherited}}{own}]]", regex.V1)
        self._own = regex.compile(rf"[\p{{L}}&&[{own}]]", regex.V1)
        self._each_letter = not SPACELESS.isdisjoint(scripts)

    def words(self, text: str) -> list[bool]:
        """Return for each word with letters whether any of them is of these scripts."""
        words = [bool(self._own.search(word)) for word in text.split() if regex.search(r"\p{L}", word)]
        if self._each_letter:
            words += [True] * len(self._own.findall(text))
        return words


_own_script = functools.cache(_OwnScript)


class Language(TextDefect):
    """A text is in another language than it should be, as py3langid recognizes it."""

    name = "language"
    explanation = f"has a side of at least {FEWEST_LETTERS} letters that reads as another language"

    def problem(self, text: str, language: str) -> str:
        found = foreign_language(text, language)
        return f"reads as {found}" if found else ""

    @classmethod
    def unavailable_reason(cls, languages: tuple[str, str]) -> str:
        return next(filter(None, map(_unidentified, languages)), "")

    def identity(self) -> Any:
        return [self.name, self.version, *self.context.languages, metadata.version("py3langid")]


def foreign_language(text: str, language: str) -> str:
    """Return the code of another language than `language` as which py3langid reads a text.

    It is empty for a text with few letters, and if the package is not installed or does not know the language.
    """
    if sum(map(str.isalpha, text)) < FEWEST_LETTERS or _unidentified(language):
        return ""
    found, confidence = _identifier().classify(text)
    return str(found) if confidence >= LEAST_CONFIDENCE and found not in (main_part(language), NO_LANGUAGE) else ""


def _unidentified(language: str) -> str:
    """Return why texts of a language cannot be told from others, or an empty string."""
    if note := missing_packages("py3langid", extra="inspect"):
        return note
    return "" if main_part(language) in _identifier().labels else f"py3langid does not know the language '{language}'"


@functools.cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)
