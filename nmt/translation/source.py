"""A source as the models read it, and how long it may be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nmt.errors import UserError
from nmt.translation.sentences import split_to_fit

SPLIT_IT = "let it be split into sentences: search.long_source=split"


@dataclass(frozen=True)
class SourcePart:
    """A source, or a part of one: its text, and the ids that each model reads, eos included."""

    text: str
    ids: tuple[list[int], ...]

    @property
    def tokens(self) -> int:
        """The number of tokens, eos included; the largest if models divide the text into different pieces."""
        return max(map(len, self.ids))

    @property
    def empty(self) -> bool:
        """Whether it has no text other than white space, or no tokens other than eos."""
        return not self.text.strip() or self.tokens < 2


@dataclass(frozen=True)
class SourceLimit:
    """The largest number of tokens of a source that is translated whole, eos included, and the reason for it."""

    tokens: int
    reason: str

    def __str__(self) -> str:
        return f"{self.tokens:,} tokens ({self.reason})"

    def check(self, tokens: int, where: str, remedy: str = SPLIT_IT) -> None:
        """Raise UserError if a source of `tokens` tokens is too long; `where` is its place in the input."""
        if tokens > self.tokens:
            raise UserError(f"{where}: got {tokens:,} tokens, expected at most {self}; shorten it, or {remedy}")

    def parts(self, source: SourcePart, encode: Callable[[Sequence[str]], list[SourcePart]]) -> list[SourcePart]:
        """Return the parts of a source that are translated one by one; the source itself if it is not too long."""
        if source.tokens <= self.tokens:
            return [source]
        encoded: dict[str, SourcePart] = {}

        def fits(text: str) -> bool:
            (encoded[text],) = encode([text])
            return encoded[text].tokens <= self.tokens

        return [encoded[text] for text in split_to_fit(source.text, fits)]
