"""Where a span can stand in a translation that has lost it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from nmt.tokens import EOS, SPAN_MARKS, WORD_MARK

if TYPE_CHECKING:
    from nmt.data.tokenizer import Tokenizer


def insertions(tokens: Sequence[int], number: int, source: str, tokenizer: Tokenizer) -> list[list[int]]:
    """Return `tokens` with the mark of span `number` at each place before eos, with and without a space before it.

    `source` is the source with marks. Between the mark and the one before or after it in the source, there is another
    token if the source has words there, so that the tags of an element have something between them. If this leaves no
    place, every place counts.
    """
    space, mark, *near = (
        tokenizer.target_vocabulary.index(piece)
        for piece in (WORD_MARK, SPAN_MARKS[number], *_separate_neighbours(number, source))
    )
    places = range(len(tokens) + (tokens[-1:] != [EOS]))
    apart = [place for place in places if not {*_beside(tokens, place, space)} & {*near}]
    return [[*tokens[:place], *new, *tokens[place:]] for place in apart or places for new in ([mark], [space, mark])]


def _separate_neighbours(number: int, source: str) -> list[str]:
    """Return the marks next to that of span `number` in the source from which words separate it."""
    pairs = [
        (SPAN_MARKS[first], SPAN_MARKS[first + 1]) for first in (number - 1, number) if 0 <= first < len(SPAN_MARKS) - 1
    ]
    found = ((pair, source.partition(pair[0])[2].partition(pair[1])) for pair in pairs)
    separate = [pair for pair, (between, mark, _) in found if mark and between.strip()]
    return [mark for pair in separate for mark in pair if mark != SPAN_MARKS[number]]


def _beside(tokens: Sequence[int], place: int, space: int) -> list[int]:
    """Return the tokens before and after a place, spaces left out."""
    before = [token for token in tokens[:place] if token != space][-1:]
    return before + [token for token in tokens[place:] if token != space][:1]
