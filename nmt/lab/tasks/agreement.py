"""Agreement: is the subject singular or plural, with other nouns between the subject and the verb?"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Annotated

from nmt.data.pair import SentencePair
from nmt.lab.tasks.task import DistanceTask
from nmt.parameters import Range

NOUNS = (
    *("key", "box", "door", "car", "lamp", "ring", "ship", "map", "coat", "cup"),
    *("boat", "chair", "clock", "plate", "stone", "letter", "window", "basket"),
)
PLURALS = {"box": "boxes"}
PLACES = ("near", "behind", "under", "above", "beside", "beyond")
QUALITIES = ("old", "new", "small", "heavy", "green", "cheap", "clean", "broken", "famous", "warm")


class Agreement(DistanceTask):
    """Sources as "the keys near the box will be old"; the target agrees with the subject: "they are old".

    The measure is the number of other nouns between the subject and the verb. "will be" does not show the number.
    """

    def __init__(self, *, seed: int, sizes: Sequence[int], max_distance: Annotated[int, Range(low=0, high=16)]) -> None:
        """Take the sizes [train, val, test] and the largest number of other nouns."""
        super().__init__(seed=seed, sizes=sizes, max_distance=max_distance)

    def draw(self, rng: Random) -> SentencePair:
        nouns = rng.sample(NOUNS, 1 + rng.randint(0, self.max_distance))
        plural = [rng.random() < 0.5 for _ in nouns]
        subject, *others = (
            f"the {PLURALS.get(noun, noun + 's') if many else noun}" for noun, many in zip(nouns, plural, strict=True)
        )
        between = "".join(f" {rng.choice(PLACES)} {other}" for other in others)
        quality = rng.choice(QUALITIES)
        return SentencePair(
            f"{subject}{between} will be {quality}", f"{'they are' if plural[0] else 'it is'} {quality}"
        )

    @staticmethod
    def measure(source: str) -> int:
        """Return the number of nouns between the subject and the verb."""
        return sum(word in PLACES for word in source.split())
