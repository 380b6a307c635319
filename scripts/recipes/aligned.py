"""A statistical aligner links the pieces of pairs, and finds the parts of a pair that translate each other.

The recipes augment.py and glossary.py use this module.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import regex
from numpy.typing import NDArray

from nmt.data.pair import SentencePair
from nmt.data.tokenizer import Tokenizer
from nmt.text.languages import UNSPACED
from nmt.tokens import WORD_MARK

MOST_LINKS = 6_000_000  # possible links between pieces that the aligner learns from
ROUNDS = 5  # how often the aligner goes through the pairs
DIAGONAL = 4.0  # with a larger number, links far from the diagonal are less probable
_LETTER_WITHOUT_SPACES = regex.compile(rf"[\p{{Lo}}&&[{UNSPACED}]]", regex.V1)
_LEADING_VOWEL = regex.compile(r"\p{Logical_Order_Exception}\Z")  # of Thai and Lao: written before its consonant

Ids = Sequence[int]
Floats = NDArray[np.float32]
Whole = NDArray[np.integer]


@dataclass(frozen=True)
class Example:
    """A pair as pieces, with links.

    `forward` has for each target piece the position of its source piece. `backward` has for each source piece the
    position of its target piece. Without links, both are empty, and each side is one piece.
    """

    source: Sequence[str]
    target: Sequence[str]
    forward: Sequence[int] = ()
    backward: Sequence[int] = ()

    def words(self) -> list[range]:
        """Return the positions of the pieces of each source word."""
        starts = [place for place in range(len(self.source)) if begins_word(self.source, place)]
        return [range(*each) for each in zip(starts, [*starts[1:], len(self.source)], strict=True)]

    def translation(self, part: range) -> range | None:
        """Return the positions of the target pieces that translate a part of the source, or None.

        These pieces translate the part if no link leads out of the two parts (Och and Ney 2004, section 3.2), and if
        both directions of the aligner agree on at least one link.
        """
        linked = [place for place, position in enumerate(self.forward) if position in part]
        linked += [self.backward[position] for position in part]
        translated = range(min(linked), max(linked) + 1)
        if any(self.forward[place] not in part for place in translated):
            return None
        if any(place in translated for position, place in enumerate(self.backward) if position not in part):
            return None
        return translated if any(self.forward[self.backward[position]] == position for position in part) else None

    def phrases(self, most_words: int, rng: random.Random) -> Iterator[tuple[range, range]]:
        """Yield random parts of one to `most_words` source words with their translations, at most 8 of them."""
        words = self.words()
        for _ in range(8 if self.forward else 0):
            first = rng.randrange(len(words))
            part = range(words[first].start, words[min(first + rng.randrange(most_words), len(words) - 1)].stop)
            if (translated := self.translation(part)) and begins_word(self.target, translated.start):
                yield part, translated


def begins_word(pieces: Sequence[str], place: int) -> bool:
    """Return whether a word begins or the text ends at `place`. In Chinese, each letter begins a word."""
    if place in (0, len(pieces)) or pieces[place].startswith(WORD_MARK):
        return True
    return bool(_LETTER_WITHOUT_SPACES.match(pieces[place]) and not _LEADING_VOWEL.search(pieces[place - 1]))


def text(pieces: Sequence[str]) -> str:
    """Return the text of pieces, without spaces at its ends."""
    return "".join(pieces).replace(WORD_MARK, " ").strip()


def examples(pairs: Sequence[SentencePair], tokenizer: Tokenizer) -> Iterator[Example]:
    """Yield each pair as pieces with links, or without links if a side is empty or has characters without a piece."""
    sources = tokenizer.encode_source([pair.source for pair in pairs])
    targets = tokenizer.encode_target([pair.target for pair in pairs])
    ids = [(source[:-1], target[:-1]) for source, target in zip(sources, targets, strict=True)]
    filled = [sides for sides in ids if all(sides)]
    stride = 1 + sum(len(source) * len(target) for source, target in filled) // MOST_LINKS
    aligner = Aligner(filled[::stride]) if filled else None
    for pair, sides in zip(pairs, ids, strict=True):
        if aligner is None or not all(sides) or not all(map(frozenset.isdisjoint, tokenizer.unknown_ids, sides)):
            yield Example([pair.source], [pair.target])
            continue
        vocabularies = tokenizer.source_vocabulary, tokenizer.target_vocabulary
        source, target = ([names[index] for index in side] for names, side in zip(vocabularies, sides, strict=True))
        yield Example(source, target, *aligner.links(*sides))


class Aligner:
    """Learns from pairs, in both directions, which pieces translate each other, and then links the pieces of a pair.

    The model is IBM Model 1 (Brown et al. 1993, section 4.1) with a preference for the diagonal (Dyer et al. 2013,
    fast_align, equation 1).
    """

    def __init__(self, pairs: Iterable[tuple[Ids, Ids]]) -> None:
        """Take pairs of ids, without eos and without empty sides. Each possible link takes 40 bytes of memory."""
        keys, priors, rows, columns = [], [], [], []
        row = column = 0
        for source, target in pairs:
            keys.append(_keys(source, target).ravel())
            priors.append(_prior(len(source), len(target)).ravel())
            rows.append(np.repeat(np.arange(row, row + len(target), dtype=np.int32), len(source)))
            columns.append(np.tile(np.arange(column, column + len(source), dtype=np.int32), len(target)))
            row, column = row + len(target), column + len(source)
        self._keys, place = np.unique(np.concatenate(keys), return_inverse=True)
        prior = np.concatenate(priors)
        sources, targets = self._keys >> 32, self._keys & 0xFFFFFFFF
        self._given_source = _learned(place.astype(np.int32), prior, np.concatenate(rows), sources)
        self._given_target = _learned(place.astype(np.int32), prior, np.concatenate(columns), targets)

    def links(self, source: Ids, target: Ids) -> tuple[list[int], list[int]]:
        """Return `forward` and `backward` of an `Example` for these ids."""
        keys = _keys(source, target)
        place = np.searchsorted(self._keys, keys).clip(max=len(self._keys) - 1)
        prior = np.where(self._keys[place] == keys, _prior(len(source), len(target)), 0.0)
        # A pair of pieces that the aligner has never seen is possible too, but less probable than all others.
        prior = prior + 1e-9 * _prior(len(source), len(target))
        forward, backward = self._given_source[place] * prior, self._given_target[place] * prior
        return forward.argmax(1).tolist(), backward.argmax(0).tolist()


def _keys(source: Ids, target: Ids) -> Whole:
    """Return a number (T, S) for each pair of a target piece and a source piece."""
    return np.array(target, np.int64)[:, None] | (np.array(source, np.int64) << 32)


def _prior(source: int, target: int) -> Floats:
    """Return (T, S): how probable a link between a place of the target (T) and one of the source (S) is.

    The numbers are not normalized.
    """
    heights = np.arange(target, dtype=np.float32)[:, None] / target
    return np.exp(-DIAGONAL * np.abs(np.arange(source, dtype=np.float32) / source - heights))


def _learned(place: Whole, prior: Floats, token: Whole, given: Whole) -> Floats:
    """Return the probability of each pair of pieces, given the piece `given`.

    A possible link belongs to the pair at its `place`, and to the `token` whose translation is asked for.
    """
    pieces, given = np.unique(given, return_inverse=True)
    table = np.ones(len(given), np.float32)
    for _ in range(ROUNDS):
        shares = table[place] * prior
        shares /= np.bincount(token, shares).astype(np.float32)[token]
        counts = np.bincount(place, shares, len(given))
        table = (counts / np.bincount(given, counts, len(pieces))[given]).astype(np.float32)
    return table
