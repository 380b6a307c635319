"""Encodes pairs again with random segmentations, from their ids alone."""

from __future__ import annotations

import random
import tempfile
from pathlib import Path

from nmt.data.encoded import Encoded, EncodedCorpus, EncodedPairs, IdTypes, writing_corpus
from nmt.data.encoding import CHUNK_PAIRS
from nmt.data.progress import PassProgress
from nmt.data.subwords import SAMPLERS
from nmt.data.tokenizer import Tokenizer
from nmt.data.word_links import linked_words, piece_links, words_of_pieces


class SubwordSampling:
    """Encodes pairs again with random segmentations; each draw depends on the generator alone.

    `type` is that of the tokenizer, and `strength` the alpha of `UnigramSampler` or the `drop` of `BpeDropout`. A side
    whose random encoding is longer than `max_length` keeps its usual encoding. Links follow their words.
    """

    def __init__(self, tokenizer: Tokenizer, type: str, strength: float, max_length: int) -> None:
        self._tokenizer = tokenizer
        self._max_length = max_length
        source, target = tokenizer.inventories
        self._source = SAMPLERS[type](source, strength)
        self._target = self._source if target is source else SAMPLERS[type](target, strength)

    def __call__(self, pairs: EncodedPairs, rng: random.Random) -> EncodedCorpus:
        """Return the same pairs in the same order, encoded anew. They are in temporary files, mapped to memory."""
        linked = pairs[0].links is not None
        types = IdTypes.of(self._tokenizer, self._max_length, linked=linked)
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
            folder = Path(name)
            with (
                writing_corpus(folder, types, lambda path: path.open("wb")) as writer,
                PassProgress("sampling subwords", len(pairs)) as progress,
            ):
                for start in range(0, len(pairs), CHUNK_PAIRS):
                    places = range(start, min(start + CHUNK_PAIRS, len(pairs)))
                    writer.add([self.pair(pairs[place], rng) for place in places])
                    progress.advance(len(places))
            return EncodedCorpus(folder, {}, linked=linked)

    def pair(self, pair: Encoded, rng: random.Random) -> Encoded:
        """Return one pair, encoded anew."""
        source, target = self._source(pair.source, rng), self._target(pair.target, rng)
        source = source if len(source) <= self._max_length else pair.source
        target = target if len(target) <= self._max_length else pair.target
        if pair.links is None:
            return Encoded(source, target)
        starts = self._tokenizer.word_starts
        before = [words_of_pieces(ids, starts[side]) for side, ids in enumerate((pair.source, pair.target))]
        after = [words_of_pieces(ids, starts[side]) for side, ids in enumerate((source, target))]
        return Encoded(source, target, piece_links(linked_words(pair.links, *before), *after))
