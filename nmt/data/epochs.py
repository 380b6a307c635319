"""The training pairs of each epoch: of one corpus or several with weights, in one direction or both."""

from __future__ import annotations

import itertools
import logging
import random
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from nmt.config.settings import DataConfig, TrainConfig, pairs_of
from nmt.data.encoded import (
    CHUNK_PAIRS,
    CorpusWriter,
    Encoded,
    EncodedCorpus,
    EncodedPairs,
    Lengths,
    encode_corpus,
    number_type,
)
from nmt.data.filters import Filter, make_filters
from nmt.data.pair import Reiterable, Split
from nmt.data.progress import PassProgress
from nmt.data.subwords import SAMPLERS
from nmt.data.tokenizer import Tokenizer
from nmt.data.word_links import linked_words, piece_links, words_of_pieces
from nmt.errors import UserError
from nmt.system.atomic import cache_folder
from nmt.system.lines import digest

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class WeightedCorpus:
    """A training corpus, and how often an epoch has each of its pairs.

    With a weight of 2.3, an epoch has each pair twice, and three tenths of the pairs a third time. Each epoch chooses
    these anew.
    """

    corpus: EncodedCorpus
    weight: float = 1.0

    def __len__(self) -> int:
        """Return the number of pairs in an epoch."""
        return int(self.weight) * len(self.corpus) + self.share

    @property
    def share(self) -> int:
        """The number of pairs that the fraction of the weight adds to an epoch; with a weight below 1, at least one."""
        return max(self.weight < 1, round(self.weight % 1 * len(self.corpus)))

    def rows(self, rng: random.Random) -> NDArray[np.int64]:
        """Return the indices of the pairs of an epoch."""
        drawn = np.array(sorted(rng.sample(range(len(self.corpus)), self.share)), np.int64)
        return np.concatenate([np.tile(np.arange(len(self.corpus)), int(self.weight)), drawn])


class Mixture(EncodedPairs):
    """Pairs of several corpora: first the pairs `rows[0]` of `corpora[0]`, then the pairs `rows[1]` of `corpora[1]`."""

    def __init__(self, corpora: Sequence[EncodedPairs], rows: Sequence[NDArray[np.int64]]) -> None:
        self._corpora = corpora
        self._rows = np.concatenate(rows)
        self._ends = np.cumsum([len(each) for each in rows])
        chosen = [[side[each] for side in corpus.lengths] for corpus, each in zip(corpora, rows, strict=True)]
        sources, targets = zip(*chosen, strict=True)
        self._lengths = np.concatenate(sources), np.concatenate(targets)

    @property
    def lengths(self) -> tuple[Lengths, Lengths]:
        return self._lengths

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Encoded:  # type: ignore[override]  # no slices
        index = range(len(self))[index]
        return self._corpora[int(np.searchsorted(self._ends, index, side="right"))][int(self._rows[index])]


class SubwordSampling:
    """Encodes pairs again with random segmentations, which depend only on the random generator.

    `strength` is the alpha of `UnigramSampler` or the `drop` of `BpeDropout`. A side whose random encoding is longer
    than `max_length` keeps its usual encoding. Links follow their words.
    """

    def __init__(self, tokenizer: Tokenizer, strength: float, max_length: int) -> None:
        self._tokenizer = tokenizer
        self._max_length = max_length
        (source, target), sampler = tokenizer.inventories, SAMPLERS[tokenizer.type]
        self._source = sampler(source, strength)
        self._target = self._source if target is source else sampler(target, strength)

    def __call__(self, pairs: EncodedPairs, rng: random.Random) -> EncodedCorpus:
        """Return the same pairs in the same order, encoded anew, in memory-mapped temporary files."""
        linked, dtype = pairs[0].links is not None, number_type(self._tokenizer, self._max_length)
        with (
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder,
            CorpusWriter(Path(folder), dtype, linked=linked) as writer,
            PassProgress("sampling subwords", len(pairs)) as progress,
        ):
            for start in range(0, len(pairs), CHUNK_PAIRS):
                indices = range(start, min(start + CHUNK_PAIRS, len(pairs)))
                writer.add([self.pair(pairs[index], rng) for index in indices])
                progress.advance(len(indices))
            return writer.finish({})

    def pair(self, pair: Encoded, rng: random.Random) -> Encoded:
        """Return one pair, encoded anew."""
        source, target = self._source(pair.source, rng), self._target(pair.target, rng)
        source = source if len(source) <= self._max_length else pair.source
        target = target if len(target) <= self._max_length else pair.target
        if pair.links is None:
            return Encoded(source, target)
        starts = self._tokenizer.word_starts
        before = map(words_of_pieces, (pair.source, pair.target), starts)
        after = map(words_of_pieces, (source, target), starts)
        return Encoded(source, target, piece_links(linked_words(pair.links, *before), *after))


@dataclass(eq=False)
class TrainingPairs:
    """The training pairs of each epoch, which depend only on the seed and the epoch.

    `parts` are the corpus itself, with weight 1, and what is added to it: further corpora, and the opposite direction.
    """

    parts: Sequence[WeightedCorpus]
    sampling: SubwordSampling | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        self._last: tuple[int, EncodedPairs] | None = None

    def __len__(self) -> int:
        """Return the number of pairs in an epoch."""
        return sum(map(len, self.parts))

    @property
    def differ(self) -> bool:
        """Whether the pairs of two epochs differ."""
        return self.sampling is not None or any(part.share for part in self.parts)

    def of_epoch(self, epoch: int) -> EncodedPairs:
        """Return the pairs of an epoch. If the last call was for the same pairs, they are not made again."""
        epoch = epoch if self.differ else 0
        if self._last is None or self._last[0] != epoch:
            self._last = None  # free the memory of the last epoch first
            rng = random.Random(f"pairs {self.seed} {epoch}")
            pairs: EncodedPairs = self.parts[0].corpus
            if len(self.parts) > 1:
                pairs = Mixture([part.corpus for part in self.parts], [part.rows(rng) for part in self.parts])
            self._last = (epoch, pairs if self.sampling is None else self.sampling(pairs, rng))
        return self._last[1]


def weights(data: DataConfig, corpora: Mapping[str, Mapping[str, Split]]) -> dict[str, float]:
    """Return how often an epoch has each pair of sentences, for each pair of languages by its name.

    A pair of languages with n pairs of sentences, of at most m, has the weight (m / n) ** (1 - 1 / `data.temperature`)
    times its own, as in Arivazhagan et al. 2019 (arXiv:1907.05019, section 4.2). With temperature 1, an epoch has all
    pairs once. With a high one, every pair of languages has as many pairs as the largest.
    """
    most = max(len(corpus["train"]) for corpus in corpora.values())
    own = {"": 1.0} | {name: pair.weight for name, pair in (data.pairs or {}).items()}
    return {
        name: own[name] * (most / len(corpus["train"])) ** (1 - 1 / data.temperature)
        for name, corpus in corpora.items()
    }


def texts_of(data: DataConfig, corpora: Mapping[str, Mapping[str, Split]]) -> Split:
    """Return the pairs that the tokenizer learns from: each pair of languages about as often as an epoch has it."""
    if len(corpora) == 1:
        return corpora[""]["train"]
    times = {name: max(1, round(weight)) for name, weight in weights(data, corpora).items()}
    repeated = [corpora[name]["train"] for name, count in times.items() for _ in range(count)]
    pairs = Reiterable(lambda: itertools.chain.from_iterable(repeated))
    return Split(pairs, sum(map(len, repeated)), digest(*(each.digest for each in repeated)))


def make_training_pairs(
    settings: TrainConfig,
    corpora: Mapping[str, Mapping[str, Split]],
    more: Mapping[str, Split],
    tokenizer: Tokenizer,
    *,
    chosen: Mapping[str, Filter] = MappingProxyType({}),
    linked: bool = False,
) -> TrainingPairs:
    """Return the encoded training pairs of each epoch: of the split train of `corpora`, and of the corpora `more`.

    `corpora` has the splits of each pair of languages. The `chosen` filters drop pairs of all these corpora. Raises
    UserError if the filters drop all pairs of a corpus, and if two pairs of languages have the same texts.
    """
    data = settings.data
    if len({each["train"].digest for each in corpora.values()}) < len(corpora):
        raise UserError("data.pairs: two pairs have the same texts; give each a path, or a header with its languages")

    def encoded(split: Split, backwards: bool, name: str = "") -> EncodedCorpus:
        own = pairs_of(data)[name]
        filters = make_filters(own, chosen, {**corpora[name], "train": split})
        turned = tokenizer.towards(own.source_lang if backwards else own.target_lang)
        return encode_corpus(split, turned, filters, folder=cache_folder(), linked=linked, backwards=backwards)

    parts, sampling = list[WeightedCorpus](), None
    for backwards in (False, True) if data.both_directions else (False,):
        for name, weight in weights(data, corpora).items():
            parts.append(WeightedCorpus(encoded(corpora[name]["train"], backwards, name), weight))
        for name, entry in (data.more or {}).items():
            try:
                parts.append(WeightedCorpus(encoded(more[name], backwards), entry.weight))
            except UserError as error:
                raise UserError(f"data.more.{name}: {error}") from error
    if data.subword_sampling is not None:
        sampling = SubwordSampling(tokenizer, data.subword_sampling, data.max_length)
    train = TrainingPairs(parts, sampling, settings.seed)
    if more or data.pairs or data.both_directions:
        logger.info(f"training pairs: {len(train):,} in an epoch")
    return train
