"""How well rare words are translated. A word is rare if it occurs rarely in the target sentences of the training.

Neubig et al. 2019, "compare-mt: A Tool for Holistic Comparison of Language Generation Systems", arXiv:1903.07926,
divide words by their frequency in training and give the F-measure of each group. The limits of the groups are those of
their program, which also has a group for each of 1, 2, 3 and 4.
"""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from nmt.data.pair import SentencePair, Split
from nmt.data.progress import PassProgress
from nmt.evaluation.metrics.base import Metric
from nmt.evaluation.metrics.bleu import BLEU

LOWEST = (0, 1, 5, 10, 100, 1000)  # frequency of each group


@dataclass(frozen=True)
class Training:
    """The training pairs that words are counted in, and where they come from in the words of the settings."""

    splits: Sequence[Split]
    origin: str

    def pairs(self) -> Iterator[SentencePair]:
        """Yield all pairs."""
        return itertools.chain.from_iterable(self.splits)


def group_name(number: int) -> str:
    """Return the frequencies of a group: "0", "1-4", "1000 or more"."""
    low = LOWEST[number]
    if number + 1 == len(LOWEST):
        return f"{low} or more"
    high = LOWEST[number + 1] - 1
    return str(low) if low == high else f"{low}-{high}"


@dataclass(frozen=True)
class WordGroup:
    """The words in a range of frequencies: their numbers in the references and in the hypotheses, and the matches."""

    name: str
    reference: int
    hypothesis: int
    matched: int

    @property
    def precision(self) -> float:
        """The percentage of the hypotheses' words that match; 0 if they have none."""
        return 100 * self.matched / max(1, self.hypothesis)

    @property
    def recall(self) -> float:
        """The percentage of the references' words that match; 0 if they have none."""
        return 100 * self.matched / max(1, self.reference)

    @property
    def f_measure(self) -> float:
        """The harmonic mean of precision and recall."""
        return 200 * self.matched / (self.reference + self.hypothesis)


@dataclass(frozen=True)
class Rarity:
    """How often each word of an evaluation occurs in the training pairs of `origin`. `bleu` divides text into words."""

    origin: str
    bleu: BLEU
    counts: Mapping[str, int]

    @property
    def words_are(self) -> str:
        """The definition of a word."""
        tokenizer = self.bleu.tokenizer
        return "characters" if tokenizer == "char" else f"words and punctuation, by sacreBLEU's tokenizer {tokenizer}"

    def sentences(self, references: Sequence[str]) -> dict[str, tuple[int, ...]]:
        """Return the places of the references by the frequency of their rarest word, without empty groups.

        Each reference is in one group. A reference without words is in the last group.
        """
        found: list[list[int]] = [[] for _ in LOWEST]
        for place, words in enumerate(divided(references, self.bleu)):
            rarest = min((self._group(word) for word in words), default=len(LOWEST) - 1)
            found[rarest].append(place)
        return {group_name(number): tuple(places) for number, places in enumerate(found) if places}

    def words(self, references: Sequence[str], hypotheses: Sequence[str]) -> list[WordGroup]:
        """Return the groups of words by their frequency, without empty groups.

        A word of a hypothesis matches an equal word of its reference in any place. Each word of the reference matches
        at most one word.
        """
        totals: list[Counter[int]] = [Counter(), Counter(), Counter()]
        lines = zip(divided(references, self.bleu), divided(hypotheses, self.bleu), strict=True)
        for reference, hypothesis in lines:
            one, other = Counter(reference), Counter(hypothesis)
            for total, words in zip(totals, (one, other, one & other), strict=True):
                for word, count in words.items():
                    total[self._group(word)] += count
        numbers = [number for number in range(len(LOWEST)) if any(total[number] for total in totals)]
        return [WordGroup(group_name(number), *(total[number] for total in totals)) for number in numbers]

    def _group(self, word: str) -> int:
        return bisect_right(LOWEST, self.counts[word]) - 1


def divided(lines: Iterable[str], bleu: BLEU) -> Iterable[list[str]]:
    """Yield the words of each line, as BLEU counts them."""
    tokenize = bleu.scorer().tokenizer
    return (tokenize(line).split() for line in lines)


def rarity(training: Training, lines: Sequence[str], metrics: Mapping[str, Metric], language: str) -> Rarity:
    """Return how often the words of `lines` occur in the target sentences of the training.

    BLEU among `metrics` divides the texts into words, or else the default tokenizer of BLEU for `language`. Only the
    words of `lines` are kept in memory.
    """
    bleu = next((each for each in metrics.values() if isinstance(each, BLEU)), BLEU(target_lang=language))
    counts = dict.fromkeys((word for words in divided(lines, bleu) for word in words), 0)
    with PassProgress("counting the words of the training", sum(map(len, training.splits))) as progress:
        for words in divided((pair.target for pair in training.pairs()), bleu):
            for word in words:
                if word in counts:
                    counts[word] += 1
            progress.advance(1)
    return Rarity(training.origin, bleu, counts)
