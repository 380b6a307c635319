"""Buried: say the two words that stand among filler words. The only difficulty is how far they are from the ends."""

from __future__ import annotations

from random import Random

from nmt.data.pair import SentencePair
from nmt.lab.tasks.copy import WORDS
from nmt.lab.tasks.task import DistanceTask

FILLERS = ("ah", "eh", "er", "hm", "oh", "uh", "um", "oi")


class Buried(DistanceTask):
    """Sources as "um ah ka bo er um"; the target is the two words without the fillers: "ka bo".

    The measure is the number of fillers before the words, which is also the number of those after them. So an encoder
    has to carry two words past the same number of fillers in both directions. A number of n is drawn with a probability
    proportional to 1 / (n + 1), so that batches with the same number of tokens are equally frequent for all numbers.
    """

    def draw(self, rng: Random) -> SentencePair:
        distances = range(self.max_distance + 1)
        (distance,) = rng.choices(distances, [1 / (each + 1) for each in distances])
        before, after = (rng.choices(FILLERS, k=distance) for _ in range(2))
        words = rng.choices(WORDS, k=2)
        return SentencePair(" ".join([*before, *words, *after]), " ".join(words))

    @staticmethod
    def measure(source: str) -> int:
        """Return the number of fillers on each side."""
        return len(source.split()) // 2 - 1
