"""Sentences and words by their frequency in training."""

from __future__ import annotations

import random
from collections import Counter

from nmt.data.pair import SentencePair, Split
from nmt.evaluation.metrics.bleu import BLEU
from nmt.evaluation.metrics.chrf import ChrF
from nmt.lab.report.rarity import Training, rarity
from tests.tiny_run import sentences

TRAINING = [*["the dog"] * 120, *["the cat"] * 7, "a cat", "the end.", "a a a a"]  # the 128, dog 120, cat 8, a 5, end 1


def counted_in(*lines: str) -> Training:
    return Training([Split.of([SentencePair("x", line) for line in lines])], "x")


def frequency(word: str) -> int:
    return Counter(" ".join(TRAINING).replace(".", " .").split())[word]


def group(count: int) -> str:
    limits = {"0": 0, "1-4": 4, "5-9": 9, "10-99": 99, "100-999": 999}
    return next((name for name, high in limits.items() if count <= high), "1000 or more")


def test_groups_equal_those_of_a_plain_count() -> None:
    draw = random.Random(2)
    vocabulary = ["the", "dog", "cat", "a", "end", "bird", "fish"]
    references, hypotheses = ([" ".join(draw.choices(vocabulary, k=6)) for _ in range(50)] for _ in range(2))
    found = rarity(counted_in(*TRAINING), [*references, *hypotheses], {"bleu": BLEU()}, "de")
    for place, line in enumerate(references):
        rarest = group(min(frequency(word) for word in line.split()))
        assert place in found.sentences(references)[rarest]
    assert sorted(place for places in found.sentences(references).values() for place in places) == list(range(50))
    for each in found.words(references, hypotheses):
        words = [[w for w in line.split() if group(frequency(w)) == each.name] for line in references]
        others = [[w for w in line.split() if group(frequency(w)) == each.name] for line in hypotheses]
        both = sum((Counter(one) & Counter(other)).total() for one, other in zip(words, others, strict=True))
        assert (each.reference, each.hypothesis, each.matched) == (sum(map(len, words)), sum(map(len, others)), both)


def test_words_are_those_of_the_chosen_bleu() -> None:
    lines = sentences(3, seed=1)
    assert "13a" in rarity(counted_in(), lines, {"chrf": ChrF()}, "en").words_are
    assert rarity(counted_in(), lines, {}, "ko").words_are == "characters"
    assert "intl" in rarity(counted_in(), lines, {"bleu": BLEU(tokenize="intl")}, "ko").words_are
    assert rarity(counted_in("개가"), ["개는"], {}, "ko").counts == {"개": 1, "는": 0}
