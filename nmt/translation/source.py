"""How long a source may be, and how a longer one is split into parts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from nmt.errors import UserError
from nmt.translation.sentences import split, split_to_fit
from nmt.translation.translation import Translation

SPLIT_IT = "let it be split into sentences: search.long_source=split"


@dataclass(frozen=True)
class Part:
    """A source, or a part of one, and its number of tokens, eos included."""

    text: str
    tokens: int

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

    def parts(self, source: Part, lengths: Callable[[Sequence[str]], list[int]]) -> list[Part]:
        """Return the parts of a source that are translated one by one; the source itself if it is not too long.

        `lengths` returns the number of tokens of each text.
        """
        if source.tokens <= self.tokens:
            return [source]
        texts = split_to_fit(source.text, lambda text: lengths([text])[0] <= self.tokens)
        return list(map(Part, texts, lengths(texts)))

    def warning(self, where: str, translation: Translation) -> str:
        """Return what to tell the user about a source that was split; `where` is its place in the input."""
        parts = f"translated in {len(translation.parts)} parts"
        how = ", some of them not whole sentences" if len(translation.parts) > len(split(translation.source)) else ""
        return f"{where}: longer than {self}; {parts}{how}"
