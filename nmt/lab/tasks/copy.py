"""Copy: say the words of the source again. The only difficulty is their number."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Annotated

from nmt.data.pair import SentencePair
from nmt.lab.tasks.task import Task
from nmt.parameters import Range, checked

WORDS = tuple(consonant + vowel for consonant in "bdklmnst" for vowel in "aeiou")


@checked
class Copy(Task):
    """Sources of 1 to `max_words` random words, as "ka bo se"; the target is the same.

    A length of n is drawn with a probability proportional to 1 / (n + 1), so that batches with the same number of
    tokens are equally frequent for all lengths.
    """

    def __init__(self, *, seed: int, sizes: Sequence[int], max_words: Annotated[int, Range(low=2, high=64)]) -> None:
        """Take the sizes [train, val, test] and the largest number of words."""
        super().__init__(seed=seed, sizes=sizes)
        self.lengths = range(1, max_words + 1)

    def draw(self, rng: Random) -> SentencePair:
        (length,) = rng.choices(self.lengths, [1 / (length + 1) for length in self.lengths])
        text = " ".join(rng.choices(WORDS, k=length))
        return SentencePair(text, text)

    def limits(self) -> str:
        """Return the setting that limits the number of different sources."""
        return f"data.max_words={self.lengths[-1]} allows"
