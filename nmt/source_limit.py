"""How long a source may be, and how a longer one is split into parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from nmt.errors import UserError
from nmt.sentences import split, split_to_fit
from nmt.translation import Translation

if TYPE_CHECKING:
    from nmt.data.tokenizer import Tokenizer

Part = tuple[str, list[int]]
"""A text and its ids, eos included."""


@dataclass(frozen=True)
class SourceLimit:
    """The largest number of tokens of a source that is translated whole, eos included, and the reason for it."""

    tokens: int
    reason: str

    def __str__(self) -> str:
        return f"{self.tokens:,} tokens ({self.reason})"

    def check(self, ids: Sequence[int], where: str) -> None:
        """Raise UserError if the source `ids` is longer than the limit; `where` is its place in the input."""
        if len(ids) > self.tokens:
            raise UserError(
                f"{where}: got {len(ids):,} tokens, expected at most {self}; shorten it, or let it be split into "
                "sentences: search.long_source=split"
            )

    def parts(self, sentence: str, ids: list[int], tokenizer: Tokenizer) -> list[Part]:
        """Return the parts of a source that are translated one by one; the source itself if it is not too long."""
        if len(ids) <= self.tokens:
            return [(sentence, ids)]

        def fits(text: str) -> bool:
            return len(tokenizer.encode_source([text])[0]) <= self.tokens

        texts = split_to_fit(sentence, fits)
        return list(zip(texts, tokenizer.encode_source(texts), strict=True))

    def warning(self, where: str, translation: Translation) -> str:
        """Return what to tell the user about a source that was split; `where` is its place in the input."""
        parts = f"translated in {len(translation.parts)} parts"
        how = ", some of them not whole sentences" if len(translation.parts) > len(split(translation.source)) else ""
        return f"{where}: longer than {self}; {parts}{how}"
