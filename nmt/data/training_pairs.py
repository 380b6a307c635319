"""The training pairs of each epoch."""

from __future__ import annotations

import random
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from nmt.data.encoded import Encoded, EncodedCorpus, EncodedPairs
from nmt.data.resampling import SubwordSampling


class BothDirections(EncodedPairs):
    """`pairs`, and the same pairs again with their sides swapped, for a joint vocabulary."""

    def __init__(self, pairs: EncodedPairs) -> None:
        self.pairs = pairs

    @property
    def source_lengths(self) -> NDArray[np.int32]:
        """The number of source ids of each pair, computed at each access."""
        return np.concatenate([self.pairs.source_lengths, self.pairs.target_lengths])

    @property
    def target_lengths(self) -> NDArray[np.int32]:
        """The number of target ids of each pair, computed at each access."""
        return np.concatenate([self.pairs.target_lengths, self.pairs.source_lengths])

    def __len__(self) -> int:
        return 2 * len(self.pairs)

    def __getitem__(self, index: int) -> Encoded:  # type: ignore[override]  # no slices
        backwards, place = divmod(range(len(self))[index], len(self.pairs))
        return _swapped(self.pairs[place]) if backwards else self.pairs[place]


def _swapped(pair: Encoded) -> Encoded:
    if pair.links is None:
        return Encoded(pair.target, pair.source)
    links = pair.links[:, ::-1]
    return Encoded(pair.target, pair.source, links[np.lexsort((links[:, 1], links[:, 0]))])


class TrainingPairs:
    """The training pairs of each epoch, which depend only on the seed and the epoch. An epoch always has as many."""

    def __init__(
        self,
        corpus: EncodedCorpus,
        *,
        both_directions: bool = False,
        sampling: SubwordSampling | None = None,
        seed: int = 0,
    ) -> None:
        self.corpus = corpus
        self.both_directions = both_directions
        self.sampling = sampling
        self.seed = seed
        self._last: tuple[int, EncodedPairs] | None = None

    def __len__(self) -> int:
        """Return the number of pairs in an epoch."""
        return len(self.corpus) * (1 + self.both_directions)

    @property
    def dropped(self) -> Mapping[str, int]:
        """The number of pairs that the filters left out, by reason."""
        return self.corpus.dropped

    @property
    def differ(self) -> bool:
        """Whether the pairs of two epochs differ."""
        return self.sampling is not None

    def of_epoch(self, epoch: int) -> EncodedPairs:
        """Return the pairs of an epoch. They are made when they are not those of the last call."""
        epoch = epoch if self.differ else 0
        if self._last is None or self._last[0] != epoch:
            self._last = None  # free the memory of the last epoch first
            self._last = (epoch, self._make(random.Random(f"pairs {self.seed} {epoch}")))
        return self._last[1]

    def _make(self, rng: random.Random) -> EncodedPairs:
        pairs = BothDirections(self.corpus) if self.both_directions else self.corpus
        return pairs if self.sampling is None else self.sampling(pairs, rng)
