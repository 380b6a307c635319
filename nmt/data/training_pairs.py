"""The training pairs of each epoch."""

from __future__ import annotations

import random
from collections.abc import Mapping

from nmt.data.encoded import EncodedCorpus, EncodedPairs
from nmt.data.resampling import SubwordSampling


class TrainingPairs:
    """The training pairs of each epoch, which depend only on the seed and the epoch. An epoch always has as many."""

    def __init__(self, corpus: EncodedCorpus, *, sampling: SubwordSampling | None = None, seed: int = 0) -> None:
        self.corpus = corpus
        self.sampling = sampling
        self.seed = seed
        self._last: tuple[int, EncodedPairs] | None = None

    def __len__(self) -> int:
        """Return the number of pairs in an epoch."""
        return len(self.corpus)

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
        return self.corpus if self.sampling is None else self.sampling(self.corpus, rng)
