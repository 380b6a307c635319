"""Slots: each word of the source has its own place in the target."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Annotated

from nmt.data.pair import SentencePair
from nmt.lab.tasks.task import Task
from nmt.parameters import Range

SLOTS = (
    *(("one", "two", "six", "ten"), ("big", "low", "new", "old"), ("red", "tan", "grey", "blue")),
    *(("cats", "dogs", "hens", "pigs"), ("eat", "nap", "run", "sit"), ("away", "here", "home", "out")),
)
PLACES = {word: place for place, words in enumerate(SLOTS) for word in words}


class Slots(Task):
    """Sources as "sit red two cats"; the target has the words in the order of a sentence: "two red cats sit".

    A source has 1 to `max_words` words, at most one for each slot, in random order. So the place of a word in the
    target does not depend on its place in the source. The alignment of a pair links each word with itself.
    """

    def __init__(
        self, *, seed: int, sizes: Sequence[int], max_words: Annotated[int, Range(low=2, high=len(SLOTS))]
    ) -> None:
        """Take the sizes [train, val, test] and the largest number of words, from 2 to 6."""
        super().__init__(seed=seed, sizes=sizes)
        self.max_words = max_words

    def draw(self, rng: Random) -> SentencePair:
        source = [rng.choice(words) for words in rng.sample(SLOTS, rng.randint(1, self.max_words))]
        target = sorted(source, key=lambda word: PLACES[word])
        links = " ".join(f"{source.index(word)}-{place}" for place, word in enumerate(target))
        return SentencePair(" ".join(source), " ".join(target), alignment=links)

    @staticmethod
    def positions(source: str) -> list[int]:
        """Return for each word of the target its position in the source, from 1."""
        words = source.split()
        return [words.index(word) + 1 for word in sorted(words, key=lambda word: PLACES[word])]
