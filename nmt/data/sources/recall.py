"""Recall: which value belongs to the key that the end of the source asks for?"""

from __future__ import annotations

import string
from collections.abc import Sequence
from random import Random

from nmt.checks import require_integer
from nmt.data.pair import SentencePair
from nmt.data.sources.task import Task

KEYS, VALUES = string.ascii_lowercase, string.digits


class Recall(Task):
    """Sources as "c 4 , k 7 , a 2 , k ?"; the target is the value of the last key: "7".

    Each source has `pairs` different keys. The measure is the position of the key that is asked for, from 1.
    """

    def __init__(self, *, seed: int, sizes: Sequence[int], pairs: int) -> None:
        """Take the sizes [train, val, test] and the number of pairs of a key and a value, from 1 to 26."""
        super().__init__(seed=seed, sizes=sizes)
        require_integer(at_least=1, at_most=len(KEYS), pairs=pairs)
        self.pairs = pairs

    def draw(self, rng: Random) -> SentencePair:
        """Return a random pair."""
        keys = rng.sample(KEYS, self.pairs)
        values = rng.choices(VALUES, k=self.pairs)
        asked = rng.randrange(self.pairs)
        known = " , ".join(f"{key} {value}" for key, value in zip(keys, values, strict=True))
        return SentencePair(f"{known} , {keys[asked]} ?", values[asked])

    @staticmethod
    def measure(source: str) -> int:
        """Return the position of the key that is asked for, from 1."""
        *known, question = source.split(" , ")
        return [part[0] for part in known].index(question[0]) + 1

    def limits(self) -> str:
        """Return the setting that limits the number of different sources."""
        return f"data.pairs={self.pairs} allows"
