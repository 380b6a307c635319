"""Plain text: each line is a paragraph of one or several sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from nmt.deploy.documents.base import Document, Joined, has_words
from nmt.text.protect import Spans, join
from nmt.text.sentences import split
from nmt.text.terms import NO_TERMS, Terms

# All control characters but the tab: a model loses them, and PO files have them, as in "\a" for a bell.
_BREAK = re.compile(r"(\r\n|[\x00-\x08\n-\x1f\x7f-\x9f\u2028\u2029])")


@dataclass(frozen=True)
class Line(Document):
    """A line of text and its sentences. They are translated one by one, and white space around them stays."""

    text: str
    parts: Sequence[str]

    @property
    def sentences(self) -> list[str]:
        """The sentences of the line that have words."""
        return list(filter(has_words, self.parts))

    def filled(self, translations: Sequence[str]) -> str:
        """Return the joined translations, with the white space of the line around them."""
        rest = iter(translations)
        texts = [next(rest) if has_words(sentence) else sentence for sentence in self.parts]
        start = len(self.text) - len(self.text.lstrip())
        end = max(start, len(self.text.rstrip()))
        return f"{self.text[:start]}{join(texts).text}{self.text[end:]}"


def divided(text: str, spans: Spans, terms: Terms) -> Line:
    """Return a line with its sentences, none of which ends inside a span or term."""
    return Line(text, [segment.text for segment in split(spans.protect(text, terms))])


def paragraphs(text: str, spans: Spans, terms: Terms = NO_TERMS) -> Document:
    """Return a text whose lines are translated one by one by a model with these spans, and with a glossary.

    Line breaks, tabs, control characters, blank lines and indentation stay.
    """
    parts = list[Document | str]()
    for place, piece in enumerate(_BREAK.split(text)):
        parts += [piece] if place % 2 else _columns(piece, spans, terms)
    return Joined(parts)


def _columns(line: str, spans: Spans, terms: Terms) -> Iterator[Document | str]:
    """Yield the parts of a line between its tabs, and the tabs. One inside a span divides nothing."""
    text = ""
    for part in spans.protect(line, terms).parts:
        for place, piece in enumerate(re.split(r"(\t+)", part) if isinstance(part, str) else [part.text]):
            if place % 2:
                yield from (divided(text, spans, terms), piece)
                text = ""
            else:
                text += piece
    yield divided(text, spans, terms)
