"""Documents: the sentences of a text to translate, and what stays as it is. Plain text is a document of paragraphs."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import islice

from nmt.text.protect import Segment, Spans, join
from nmt.text.sentences import split
from nmt.text.terms import NO_TERMS, Terms

Text = str | Segment  # a sentence with the tags of a page in it is a segment

# All control characters: a model loses them, and PO files have them, as in "\a" for a bell.
_BREAK = re.compile(r"([\x00-\x1f\x7f-\x9f\u2028\u2029]+)")


class Document(ABC):
    """A text of some format: the sentences to translate, and what stays as it is.

    A sentence without letters and digits, such as "." between two tags, is not translated.
    """

    @property
    @abstractmethod
    def sentences(self) -> list[Text]:
        """The sentences to translate, in order."""

    @abstractmethod
    def filled(self, translations: Sequence[Text]) -> str:
        """Return the text with one translation, of one line, in place of each sentence."""

    def translated(self, translate: Callable[[list[Text]], Sequence[Text]]) -> str:
        """Return the text with the translations that `translate` makes. It gets each different sentence once."""
        different = list(dict.fromkeys(self.sentences))
        found = dict(zip(different, translate(different), strict=True))
        return self.filled([found[sentence] for sentence in self.sentences])


def has_words(text: str) -> bool:
    """Return whether a text has letters or digits."""
    return any(map(str.isalnum, text))


@dataclass(frozen=True)
class Joined(Document):
    """Documents one after another, and texts between them that stay as they are."""

    parts: Sequence[Document | str]

    @property
    def sentences(self) -> list[Text]:
        return [sentence for part in self.parts if isinstance(part, Document) for sentence in part.sentences]

    def filled(self, translations: Sequence[Text]) -> str:
        rest = iter(translations)
        return "".join(
            part if isinstance(part, str) else part.filled(list(islice(rest, len(part.sentences))))
            for part in self.parts
        )


@dataclass(frozen=True)
class Line(Document):
    """A line of text and its sentences. They are translated one by one, and white space around them stays."""

    text: str
    parts: Sequence[str]

    @property
    def sentences(self) -> list[Text]:
        """The sentences of the line that have words."""
        return [sentence for sentence in self.parts if has_words(sentence)]

    def filled(self, translations: Sequence[Text]) -> str:
        """Return the joined translations, with the white space of the line around them."""
        rest = iter(translations)
        texts = [next(rest) if has_words(sentence) else sentence for sentence in self.parts]
        start = len(self.text) - len(self.text.lstrip())
        end = max(start, len(self.text.rstrip()))
        return f"{self.text[:start]}{join(texts).translation}{self.text[end:]}"


def paragraphs(text: str, spans: Spans, terms: Terms = NO_TERMS) -> Document:
    """Return a text whose lines are translated one by one by a model with these spans, and with a glossary.

    Line breaks, tabs, control characters, blank lines and indentation stay. A tab divides a line, and no sentence ends
    inside a span or term.
    """
    pieces = enumerate(_BREAK.split(text))
    return Joined([piece if place % 2 else _line(piece, spans, terms) for place, piece in pieces])


def _line(text: str, spans: Spans, terms: Terms) -> Line:
    return Line(text, [segment.text for segment in split(spans.protect(text, terms))])
