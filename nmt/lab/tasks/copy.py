"""Copy: say the words of the source again. The only difficulty is their number."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Annotated

from nmt.data.pair import SentencePair
from nmt.lab.tasks.task import Task
from nmt.parameters import Range

WORDS = tuple(consonant + vowel for consonant in "bdklmnst" for vowel in "aeiou")


class Copy(Task):
    """Sources of 1 to `max_words` random words, as "ka bo se"; the target is the same.

    A length of n is drawn with a probability proportional to 1 / (n + 1), so that batches with the same number of
    tokens are equally frequent for all lengths.
    """

    def __init__(self, *, seed: int, sizes: Sequence[int], max_words: Annotated[int, Range(low=2, high=64)]) -> None:
        """Take the sizes [train, val, test] and the largest number of words."""
        super().__init__(seed=seed, sizes=sizes)
        self.max_words = max_words

    def draw(self, rng: Random) -> SentencePair:
        lengths = range(1, self.max_words + 1)
        (length,) = rng.choices(lengths, [1 / (length + 1) for length in lengths])
        text = " ".join(rng.choices(WORDS, k=length))
        return SentencePair(text, text)
