"""A text as sentences to translate, and what stands between them: line breaks, white space and markup."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nmt.translation.sentences import join, split

_BREAK = re.compile(r"(\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029])")


@dataclass(frozen=True)
class Line:
    """The sentences of a line, or of a text between two tags. `escaped`: its translation becomes part of HTML."""

    sentences: list[str]
    escaped: bool = False

    def filled(self, translations: Iterator[str]) -> str:
        """Return the line with the next translations in place of its sentences."""
        text = join([next(translations) for _ in self.sentences])
        return html.escape(text, quote=False) if self.escaped else text


@dataclass(frozen=True)
class Document:
    """A text: lines to translate, and texts that stay as they are."""

    parts: list[Line | str]

    @property
    def sentences(self) -> list[str]:
        """The sentences to translate, in order."""
        return [sentence for part in self.parts if isinstance(part, Line) for sentence in part.sentences]

    def filled(self, translations: Sequence[str]) -> str:
        """Return the text with one translation in place of each sentence."""
        rest = iter(translations)
        return "".join(part.filled(rest) if isinstance(part, Line) else part for part in self.parts)


def plain(text: str) -> Document:
    """Return a text whose lines are translated one by one."""
    return Document([part for piece in _BREAK.split(text) for part in line(piece)])


def line(text: str, *, escaped: bool = False) -> list[Line | str]:
    """Return the parts of a text without line breaks: its sentences, and the white space around them."""
    words = text.strip()
    start = text.index(words)
    parts = [text[:start], Line(split(words), escaped) if words else "", text[start + len(words) :]]
    return [part for part in parts if part]
