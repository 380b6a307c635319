"""The base class of documents, and a document of several parts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
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
        """The sentences of all parts."""
        return [sentence for part in self.parts if isinstance(part, Document) for sentence in part.sentences]

    def filled(self, translations: Sequence[str]) -> str:
        """Return the parts, each filled with its translations."""
        rest = iter(translations)
        return "".join(
            part if isinstance(part, str) else part.filled(list(islice(rest, len(part.sentences))))
            for part in self.parts
        )
