"""Where a span can stand in a translation that has lost it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from nmt.data.tokenizer import Tokenizer
from nmt.spans import Marked
from nmt.tokens import CAPITALS, ELEMENT_MARKS, EOS, WORD_MARK


def insertions(
    tokens: Sequence[int], mark: str, source: Marked, tokenizer: Tokenizer, *, prefix: int = 0
) -> list[list[int]]:
    """Return `tokens` with a mark of the source at each place before eos, with and without a space before it.

    No place is in the `prefix`, which are the first tokens, or before the mark of capitals. Where the source has words
    between the mark and the one before or after it, the translation has some there too. An end tag stands after the
    start tag before it, which leaves room for it. If this leaves no place, every place counts.
    """
    index = tokenizer.target_vocabulary.index
    space, new = index(WORD_MARK), index(mark)
    capitals = index(CAPITALS)
    first = 1 + tokens.index(capitals) if capitals in tokens[:2] else 0  # "▁" may stand before it
    places = range(max(first, prefix), len(tokens) + (tokens[-1:] != [EOS]))
    pieces = [tokenizer.target_vocabulary[token] for token in tokens]
    words = [place for place, piece in enumerate(pieces) if any(map(str.isalnum, piece)) and tokens[place] != EOS]
    neighbours = [(index(other), fits) for other, fits in _neighbours(mark, source)]

    def fits_all(place: int) -> bool:
        before = [tokens[each] for each in words if each < place]
        after = [tokens[each] for each in words if each >= place]
        return all(fits(before, after, other) for other, fits in neighbours)

    chosen = [place for place in places if fits_all(place)] or places
    return [[*tokens[:place], *more, *tokens[place:]] for place in chosen for more in ([new], [space, new])]


Condition = Callable[[Sequence[int], Sequence[int], int], bool]


def _neighbours(mark: str, source: Marked) -> Iterator[tuple[str, Condition]]:
    """Yield the marks next to one in the source, if words stand between them, each with a condition.

    The condition gets the words and marks before and after a place, and the other mark.
    """
    marks = list(source.spans)
    place = marks.index(mark)
    for first, second in zip(marks[max(0, place - 1) : place + 1], marks[max(1, place) : place + 2], strict=False):
        between, _, _ = source.text.partition(first)[2].partition(second)
        if between.strip():
            element = (first, second) in ELEMENT_MARKS
            if second == mark:
                yield first, _after_start_tag if element else _not_beside
            else:
                yield second, _before_end_tag if element else _not_beside


def _not_beside(before: Sequence[int], after: Sequence[int], other: int) -> bool:
    return other not in (*before[-1:], *after[:1])


def _after_start_tag(before: Sequence[int], after: Sequence[int], other: int) -> bool:
    return other not in after and other not in before[-1:]


def _before_end_tag(before: Sequence[int], after: Sequence[int], other: int) -> bool:
    return other not in before and other not in after[:1] and bool(after)
