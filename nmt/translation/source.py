"""Texts as the models read them, and the length limit of a source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from nmt.errors import UserError
from nmt.search.base import Search
from nmt.text.protect import Segment, in_small_letters

SPLIT_IT = "let it be split into sentences: search.long_source=split"


@dataclass(frozen=True)
class EncodedSource:
    """A source, or a part of one, and the ids that each model reads of it.

    The ids include eos. `unknown` of those of the first model stand for characters that training did not have.
    `language` is the code of the language that the models read, if it is known. Of a source in `capitals`, the models
    read small letters, and its translation is written in capitals.
    """

    segment: Segment
    ids: tuple[list[int], ...]
    unknown: int = 0
    language: str | None = None
    capitals: bool = False

    @property
    def text(self) -> str:
        """The source."""
        return self.segment.text

    @property
    def read(self) -> str:
        """The text as the models read it."""
        return in_small_letters(self.segment.read) if self.capitals else self.segment.read

    @property
    def translations(self) -> dict[str, str]:
        """What stands for each piece of a slot in the translation."""
        return {piece: slot.translation for piece, slot in self.segment.by_piece.items()}

    @property
    def tokens(self) -> int:
        """The number of tokens, eos included; the maximum if models divide the text into different pieces."""
        return max(map(len, self.ids))

    @property
    def empty(self) -> bool:
        """Whether it has no text other than white space, or no tokens other than eos."""
        return not self.text.strip() or self.tokens < 2


@dataclass(frozen=True)
class ForcedPair:
    """A source and a given translation of it, with the ids of both, eos included."""

    source: EncodedSource
    target: str
    ids: list[int]

    @property
    def longer(self) -> int:
        """The number of tokens of its longer side."""
        return max(self.source.tokens, len(self.ids))


@dataclass(frozen=True)
class SourceLimit:
    """The largest number of tokens of a source that is not split, eos included, and the reason for this limit."""

    tokens: int
    reason: str

    def __str__(self) -> str:
        return f"{self.tokens:,} tokens ({self.reason})"

    def check(self, tokens: int, where: str, remedy: str = SPLIT_IT) -> None:
        """Raise UserError if a source of `tokens` tokens is too long; `where` is its place in the input."""
        if tokens > self.tokens:
            raise UserError(f"{where}: got {tokens:,} tokens, expected at most {self}; shorten it, or {remedy}")


def unsplit_limit(search: Search, positions: int | None, reason: str, trained_length: int | None) -> SourceLimit:
    """Return the largest number of tokens of a source that is translated without a split with `search`.

    `positions` is the largest number that the model can read (None: any), for this `reason`. `trained_length` is the
    length of the longest source of the training (None: not known).
    """
    limits = [SourceLimit(search.max_source_length, "search.max_source_length")]
    if positions is not None:
        limits.append(SourceLimit(positions, reason))
    if trained_length is not None and search.long_source != "whole":
        limits.append(SourceLimit(trained_length, "data.max_length of the training"))
    return min(limits, key=lambda limit: limit.tokens)


Text = TypeVar("Text", str, str | Segment)


def check_texts(name: str, values: Sequence[Text]) -> list[Text]:
    """Return texts as a list. Raises UserError for a single text, and for a value that is not a text."""
    if isinstance(values, str):
        raise UserError(f"{name}: got one text, expected a list of texts; write [text]")
    texts = list(values)
    for number, text in enumerate(texts, start=1):
        plain = text.text if isinstance(text, Segment) else text
        if not isinstance(plain, str):
            raise UserError(f"{name} {number:,} of {len(texts):,}: got {text!r}, expected a text")
        try:
            plain.encode()
        except UnicodeEncodeError as error:
            raise UserError(
                f"{name} {number:,} of {len(texts):,}: got {text!r}, whose character {error.start + 1} is half of one "
                "(a lone surrogate); decode the text again"
            ) from error
    return texts
