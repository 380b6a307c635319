"""Recall: which value belongs to each key, in the alphabetical order of the keys?"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Annotated

from nmt.data.pair import SentencePair
from nmt.lab.tasks.task import Task
from nmt.parameters import Range, checked

KEYS = "abcdefghijkl"
VALUES = ("red", "blue", "green", "black", "white", "brown", "pink", "grey", "gold", "cyan")


@checked
class Recall(Task):
    """Sources as "c red k blue a green"; the target is the values in the alphabetical order of their keys: "green red
    blue". So the place of a value in the target does not depend on its place in the source.

    Each source has `pairs` different keys, in random order.
    """

    def __init__(self, *, seed: int, sizes: Sequence[int], pairs: Annotated[int, Range(low=1, high=len(KEYS))]) -> None:
        """Take the sizes [train, val, test] and the number of pairs of a key and a value, from 1 to 12."""
        super().__init__(seed=seed, sizes=sizes)
        self.pairs = pairs

    def draw(self, rng: Random) -> SentencePair:
        """Return a random pair."""
        known = [(key, rng.choice(VALUES)) for key in rng.sample(KEYS, self.pairs)]
        return SentencePair(
            " ".join(f"{key} {value}" for key, value in known), " ".join(value for _, value in sorted(known))
        )

    @staticmethod
    def positions(source: str) -> list[int]:
        """Return for each value of the target the position of its key in the source, from 1."""
        keys = source.split()[::2]
        return [keys.index(key) + 1 for key in sorted(keys)]

    def limits(self) -> str:
        """Return the setting that limits the number of different sources."""
        return f"data.pairs={self.pairs} allows"
