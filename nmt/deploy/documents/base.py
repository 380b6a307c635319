"""The base class of documents, and a document of several parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice


class Document(ABC):
    """A text of some format: the sentences to translate, and what stays.

    A sentence without letters and digits, such as "." between two tags, stays.
    """

    @property
    @abstractmethod
    def sentences(self) -> list[str]:
        """The sentences to translate, in order."""

    def revised(self, translations: Sequence[str]) -> Document:
        """Return the document with other sentences in place of those whose translations cannot be used.

        A program translates the new ones before it fills the document.
        """
        return self

    @abstractmethod
    def filled(self, translations: Sequence[str]) -> str:
        """Return the text with one translation, of one line, in place of each sentence."""


def has_words(text: str) -> bool:
    """Return whether a text has letters or digits."""
    return any(map(str.isalnum, text))


@dataclass(frozen=True)
class Joined(Document):
    """Documents one after another, and texts between them that stay as they are."""

    parts: Sequence[Document | str]

    @property
    def sentences(self) -> list[str]:
        return [sentence for part in self.parts if isinstance(part, Document) for sentence in part.sentences]

    def revised(self, translations: Sequence[str]) -> Document:
        return Joined(
            [part if isinstance(part, str) else part.revised(own) for part, own in self._shares(translations)]
        )

    def filled(self, translations: Sequence[str]) -> str:
        return "".join(part if isinstance(part, str) else part.filled(own) for part, own in self._shares(translations))

    def _shares(self, translations: Sequence[str]) -> Iterator[tuple[Document | str, list[str]]]:
        """Yield each part with its translations."""
        rest = iter(translations)
        for part in self.parts:
            yield part, [] if isinstance(part, str) else list(islice(rest, len(part.sentences)))
