"""Where a span can stand in a translation that has lost it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nmt.tokens import EOS, SPAN_MARKS, WORD_MARK

if TYPE_CHECKING:
    from nmt.data.tokenizer import Tokenizer


def insertions(tokens: Sequence[int], number: int, tokenizer: Tokenizer) -> list[list[int]]:
    """Return `tokens` with the mark of span `number` at each place before eos, with and without a space before it."""
    space, mark = (tokenizer.target_vocabulary.index(piece) for piece in (WORD_MARK, SPAN_MARKS[number]))
    places = range(len(tokens) + (tokens[-1:] != [EOS]))
    return [[*tokens[:place], *new, *tokens[place:]] for place in places for new in ([mark], [space, mark])]
