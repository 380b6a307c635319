"""Word alignments as text, and the links between pieces that follow from them.

A link (i, j) says that word i of the source and word j of the target belong together. Words are separated by white
space and counted from 0. In the Pharaoh format a sentence pair is one line of links, `0-0 1-2 2-1`. In alignments made
by people, `i?j` is a possible link, and `i-j` a sure one.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from nmt.data.pair import LINK, SentencePair
from nmt.errors import UserError
from nmt.tokens import WORD_MARK

Link = tuple[int, int]
Links = AbstractSet[Link]
PieceLinks = NDArray[np.integer]  # (K, 2): the position of a target piece, and of a source piece that belongs to it


@dataclass(frozen=True)
class Gold:
    """The links of a sentence pair made by people. `possible` contains `sure`."""

    sure: frozenset[Link]
    possible: frozenset[Link]


def to_text(links: Collection[Link]) -> str:
    """Return the links in the Pharaoh format, in order."""
    return " ".join(f"{i}-{j}" for i, j in sorted(links))


def parse_pair(text: str, pair: SentencePair, where: str) -> Gold:
    """Return the links in `text`, a line in the Pharaoh format: `i-j` are sure links of `pair`, `i?j` possible ones.

    Raises UserError for anything else, and for a word that the pair does not have; the message begins with `where`.
    """
    counts = {"source": len(pair.source.split()), "target": len(pair.target.split())}
    sure, possible = set(), set()
    for word in text.split():
        match = LINK.fullmatch(word)
        if match is None:
            raise UserError(f"{where}: got '{word}', expected links such as 0-0 (sure) or 0?1 (possible)")
        link = int(match[1]), int(match[3])
        for (side, count), word_number in zip(counts.items(), link, strict=True):
            if word_number >= count:
                raise UserError(
                    f"{where}: got the link {word}, but the {side} has {count} words, counted from 0; check that the "
                    "lines belong together, and which side comes first"
                )
        possible.add(link)
        if match[2] == "-":
            sure.add(link)
    return Gold(frozenset(sure), frozenset(possible))


def links_of_pair(pair: SentencePair, where: str) -> frozenset[Link]:
    """Return the sure links of the pair's alignment. Without an alignment, there are none.

    Raises UserError as `parse_pair` does, and for a linked text with "▁", which pieces use for the space.
    """
    if not pair.alignment:
        return frozenset()
    for text in (pair.source, pair.target):
        require_plain(text, where)
    return parse_pair(pair.alignment, pair, where).sure


def require_plain(text: str, where: str) -> None:
    """Raise UserError for a text with "▁", because its words cannot be found from its pieces."""
    if WORD_MARK in text:
        raise UserError(f"{where}: has the character '{WORD_MARK}' (U+2581), which stands for the space; replace it")


def piece_links(links: Links, source: Sequence[range], target: Sequence[range]) -> PieceLinks:
    """Return the links between the pieces of linked words, in order: each source piece with each target piece.

    `source` and `target` hold the positions of the pieces of each word (Garg et al. 2019, arXiv:1909.02074, convert
    alignments between words to subwords in this way).
    """
    rows = sorted((t, s) for i, j in links for t in target[j] for s in source[i])
    return np.array(rows, np.int64).reshape(-1, 2)


def linked_words(links: PieceLinks, source: Sequence[range], target: Sequence[range]) -> frozenset[Link]:
    """Return the links between words that `piece_links` has turned into `links`."""
    source_words, target_words = (
        {place: number for number, word in enumerate(words) for place in word} for words in (source, target)
    )
    return frozenset((source_words[s], target_words[t]) for t, s in links.tolist())


def words_of_pieces(ids: Sequence[int], starts: Collection[int]) -> list[range]:
    """Return the positions of the pieces of each word. `ids` end with eos, and those in `starts` begin a word."""
    places = [place for place, index in enumerate(ids) if index in starts]
    return [range(*word) for word in pairwise([*places, len(ids) - 1])]
