"""Pairs that are copied, or in another script or language than they should be."""

from __future__ import annotations

from importlib import metadata
from typing import Any

from nmt.data.filters.base import CorpusContext, Filter, Finder, TextFilter
from nmt.text.languages import FEWEST_LETTERS, foreign_language, foreign_script, scripts_of, unidentified


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
        return next(filter(None, map(unidentified, languages)), "")

    def identity(self, context: CorpusContext) -> list[Any]:
        return [*super().identity(context), *context.languages, metadata.version("py3langid")]
