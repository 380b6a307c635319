"""Random segmentations of encoded sentences: subword regularization and BPE-dropout.

SentencePiece can sample too, but with the same seed it gives other samples in another process. A resumed run, and the
processes of a run on several GPUs, need the same samples.
"""

from __future__ import annotations

import functools
import math
import random
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Any

from nmt.tokens import EOS, RESERVED, TAG, WORD_MARK

WORDS = 100_000  # UnigramSampler keeps the segmentations of so many words in memory
STATES = 400_000  # BpeDropout keeps the possible merges of so many partly merged words in memory
LONGEST_KEPT = 24  # pieces of a word that is kept: a sentence without spaces is one long word, and rarely occurs again
BEST = 64  # segmentations of a word from which UnigramSampler draws
_MARK = WORD_MARK.encode()

Ids = tuple[int, ...]
Texts = tuple[str, ...]


@dataclass(frozen=True)
class Inventory:
    """The pieces of a vocabulary.

    `content` has the UTF-8 bytes that each id stands for (empty for special ids), `ids` and `scores` the id and the
    score of each piece of text, and `byte_ids` the ids of the 256 single bytes. `processor` is the
    SentencePieceProcessor.
    """

    content: Sequence[bytes]
    ids: Mapping[str, int]
    scores: Mapping[str, float]
    byte_ids: Sequence[int]
    processor: Any = None

    @classmethod
    def of(cls, processor: Any) -> Inventory:
        """Return the pieces of a SentencePieceProcessor."""
        size = processor.get_piece_size()
        byte_ids = [index for index in range(size) if processor.is_byte(index)]  # in the order of the bytes
        pieces = {index: str(processor.id_to_piece(index)) for index in {*range(EOS + 1, size)} - {*byte_ids}}
        content = {index: piece.encode() for index, piece in pieces.items()}
        content |= {index: bytes([byte]) for byte, index in enumerate(byte_ids)}
        scores = {piece: processor.get_score(index) for index, piece in pieces.items()}
        ids = {piece: index for index, piece in pieces.items()}
        return cls([content.get(index, b"") for index in range(size)], ids, scores, byte_ids, processor)

    def ids_of(self, piece: str) -> Ids:
        """Return the id of a piece, or the ids of the bytes of a character that is no piece."""
        index = self.ids.get(piece)
        return tuple(self.byte_ids[byte] for byte in piece.encode()) if index is None else (index,)


class Sampler(ABC):
    """Draws segmentations of sentences. Pieces do not reach across words, so each word is segmented by itself."""

    def __init__(self, inventory: Inventory) -> None:
        self.inventory = inventory
        self._reserved = {index for piece, index in inventory.ids.items() if piece in RESERVED or TAG.fullmatch(piece)}
        self._starts = {index for index, content in enumerate(inventory.content) if content.startswith(_MARK)}

    def __call__(self, ids: Sequence[int], rng: random.Random) -> list[int]:
        """Return another encoding of the text of `ids`; both end with eos. Reserved pieces stay as they are."""
        bounds = {place for place, index in enumerate(ids) if index in self._starts or index in self._reserved}
        bounds |= {place + 1 for place, index in enumerate(ids) if index in self._reserved}
        end = len(ids) - 1
        sampled: list[int] = []
        for start, stop in pairwise(sorted(bounds | {end})):
            sampled += [ids[start]] if ids[start] in self._reserved else self.word(tuple(ids[start:stop]), rng)
        return [*sampled, ids[end]]

    def text(self, word: Ids) -> str:
        """Return the text of the ids of a word."""
        return b"".join(map(self.inventory.content.__getitem__, word)).decode()

    @abstractmethod
    def word(self, word: Ids, rng: random.Random) -> Ids | list[int]:
        """Return the ids of a random segmentation of a word, which is given by the ids of another segmentation."""


class UnigramSampler(Sampler):
    """Draws from the `BEST` most probable segmentations x of a word with probability P(x) ** alpha / sum of P ** alpha.

    P is the unigram language model of the vocabulary (Kudo 2018, arXiv:1804.10959, section 3.3, with l = `BEST`).
    """

    def __init__(self, inventory: Inventory, alpha: float) -> None:
        super().__init__(inventory)
        self.alpha = alpha
        self._kept = functools.lru_cache(WORDS)(self._weighted)

    def word(self, word: Ids, rng: random.Random) -> Ids:
        if self.inventory.content[word[0]][: len(_MARK)] != _MARK:  # SentencePiece would put a space before the word
            return word
        segmentations, limits = self._kept(word) if len(word) <= LONGEST_KEPT else self._weighted(word)
        return rng.choices(segmentations, cum_weights=limits)[0]

    def _weighted(self, word: Ids) -> tuple[list[Ids], list[float]]:
        """Return the segmentations of a word, and the sums of their weights."""
        text = self.text(word).removeprefix(WORD_MARK)
        if not text:
            return [word], [1.0]
        best = self.inventory.processor.nbest_encode(text, nbest_size=BEST, return_type="proto").nbests
        weights = (math.exp(self.alpha * (each.score - best[0].score)) for each in best)
        return [tuple(piece.id for piece in each.pieces) for each in best], list(accumulate(weights))


class BpeDropout(Sampler):
    """Merges the characters of a word as BPE does, but each step ignores each possible merge with probability `drop`.

    The step makes the first of the other merges. The word is finished when no merge is left (Provilkov et al. 2020,
    arXiv:1910.13267, algorithm 1).
    """

    def __init__(self, inventory: Inventory, drop: float) -> None:
        super().__init__(inventory)
        self.drop = drop
        self._kept = functools.lru_cache(STATES)(lambda pieces: list(self._merged(pieces)))

    def word(self, word: Ids, rng: random.Random) -> list[int]:
        merged: Callable[[Texts], Iterable[Texts]] = self._kept if len(word) <= LONGEST_KEPT else self._merged
        pieces, drop, draw = tuple(self.text(word)), self.drop, rng.random
        while (kept := next((after for after in merged(pieces) if draw() >= drop), None)) is not None:
            pieces = kept
        return [index for piece in pieces for index in self.inventory.ids_of(piece)]

    def _merged(self, pieces: Texts) -> Iterator[Texts]:
        """Yield `pieces` after each possible merge, in the order in which BPE prefers the merges."""
        scores = self.inventory.scores
        merges = [(-scores[a + b], place) for place, (a, b) in enumerate(pairwise(pieces)) if a + b in scores]
        for _, place in sorted(merges):
            yield (*pieces[:place], pieces[place] + pieces[place + 1], *pieces[place + 2 :])


SAMPLERS: Mapping[str, type[UnigramSampler] | type[BpeDropout]] = {"unigram": UnigramSampler, "bpe": BpeDropout}
