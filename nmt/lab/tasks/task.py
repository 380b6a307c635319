"""Generated tasks: small made-up languages, each of which asks for one ability of a model."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from random import Random
from typing import Annotated

from nmt.data.sources.base import Generated
from nmt.parameters import Range

PHRASES = (
    *("after the rain", "before noon", "in the evening", "near the old tower", "on a cold day", "with great care"),
    *("without a word", "behind the house", "under a grey sky", "at the end of the week", "next to the fence"),
    *("in spite of the wind", "during the long break", "for the second time"),
)


class Task(Generated):
    """A generated task. Each question has one right answer, so exact match is a fair score."""

    direction = "question", "answer"

    def origin(self, split: str) -> str:
        """Return the name of the task, which all splits are generated from."""
        return type(self).__name__.lower()


class DistanceTask(Task):
    """A task in which words without influence on the answer are between two parts that belong together.

    `measure` counts them. A draw gives each count from 0 to `max_distance` with the same probability, unless the task
    says otherwise.
    """

    def __init__(self, *, seed: int, sizes: Sequence[int], max_distance: Annotated[int, Range(low=0, high=64)]) -> None:
        """Take the sizes [train, val, test] and the largest distance."""
        super().__init__(seed=seed, sizes=sizes)
        self.max_distance = max_distance

    @staticmethod
    @abstractmethod
    def measure(source: str) -> int:
        """Return the distance between the two parts of a source."""


class PhrasesTask(DistanceTask):
    """A task in which phrases are between the two parts."""

    def __init__(
        self, *, seed: int, sizes: Sequence[int], max_distance: Annotated[int, Range(low=0, high=len(PHRASES))]
    ) -> None:
        """Take the sizes [train, val, test] and the largest number of phrases."""
        super().__init__(seed=seed, sizes=sizes, max_distance=max_distance)

    def phrases(self, rng: Random) -> str:
        """Return 0 to `max_distance` different phrases, each with a space before it."""
        return "".join(f" {phrase}" for phrase in rng.sample(PHRASES, rng.randint(0, self.max_distance)))

    @staticmethod
    def measure(source: str) -> int:
        """Return the number of phrases between the two parts."""
        return sum(source.count(phrase) for phrase in PHRASES)
