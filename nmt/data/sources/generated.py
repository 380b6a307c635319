"""Sources whose pairs are drawn by a random generator. No source sentence occurs twice, in one split or in two."""

from __future__ import annotations

import zlib
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from random import Random

from nmt.data.pair import SentencePair
from nmt.data.sources.base import SPLITS, Source
from nmt.errors import ParameterError, UserError

FRUITLESS_DRAWS = 5_000  # after this many draws in a row without a new pair, the program stops with an error


class Generated(Source):
    """Generated pairs: `sizes` of them for train, val and test; the pairs depend on `seed` and the settings alone.

    A hash of the source decides its split, a tenth each for val and test. So a rare kind of sentence is equally rare in
    every split, and asking for more training pairs does not change the other splits.
    """

    def __init__(self, *, seed: int, sizes: Sequence[int]) -> None:
        """Take the sizes [train, val, test]. Raises ParameterError unless they are three counts of at least 1."""
        if len(sizes) != 3 or min(sizes) < 1:
            raise ParameterError("sizes", f"got {list(sizes)}, expected three counts of at least 1: [train,val,test]")
        self.sizes = dict(zip(SPLITS, sizes, strict=True))
        self.seed = seed

    @abstractmethod
    def draw(self, rng: Random) -> SentencePair | None:
        """Return a random pair, or None if this draw gave none."""

    @abstractmethod
    def limits(self) -> str:
        """Return the settings that limit the number of different sources, in words: "data.pairs=3 allows"."""

    def splits(self) -> Mapping[str, Sequence[SentencePair]]:
        """Return the generated splits. Raises UserError for sizes that are too large."""
        rng = Random(self.seed)
        drawn: dict[str, dict[str, SentencePair]] = {split: {} for split in self.sizes}
        fruitless = 0
        while any(len(drawn[split]) < size for split, size in self.sizes.items()):
            pair = self.draw(rng)
            if pair is not None:
                split = _split(pair.source)
                if pair.source not in drawn[split] and len(drawn[split]) < self.sizes[split]:
                    drawn[split][pair.source] = pair
                    fruitless = 0
                    continue
            fruitless += 1
            if fruitless > FRUITLESS_DRAWS:
                found = ", ".join(f"{len(drawn[split])} of {size} for {split}" for split, size in self.sizes.items())
                raise UserError(
                    f"data.sizes: got {list(self.sizes.values())}, but {self.limits()} only about {found}; lower the "
                    "sizes, or raise these limits"
                )
        return {split: list(pairs.values()) for split, pairs in drawn.items()}


def _split(source: str) -> str:
    return {0: "test", 1: "val"}.get(zlib.crc32(source.encode()) % 10, "train")
