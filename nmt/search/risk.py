"""Minimum Bayes risk: how well a translation agrees with everything else that the model might say.

The expected utility of a candidate is the mean of its utilities, with each candidate of the sentence as the reference
once. So the best candidate has the smallest expected loss (Kumar and Byrne 2004, "Minimum Bayes-Risk Decoding for
Statistical Machine Translation"; with samples of a neural model: Eikema and Aziz 2020, arXiv:2005.10283).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cache
from typing import Literal

Utility = Literal["chrf", "bleu", "bleu_char"]
UTILITIES = ("chrf", "bleu", "bleu_char")


def expected_utilities(texts: Sequence[str], weights: Sequence[float], utility: Utility) -> list[float]:
    """Return the expected utility (0 to 100) of each text; `weights` are the probabilities of the references.

    The utilities are sacreBLEU's scores of sentences: chrF2, BLEU of tokenizer 13a, or BLEU of characters
    ("bleu_char", for languages without spaces). BLEU counts only n-grams of lengths that the hypothesis has.
    """
    measure = _measure(utility)
    probability: dict[str, float] = {}
    for text, weight in zip(texts, weights, strict=True):
        probability[text] = probability.get(text, 0.0) + weight
    expected = {
        text: math.fsum(p * measure(text, reference) for reference, p in probability.items()) for text in probability
    }
    return [expected[text] for text in texts]


@cache
def _measure(utility: Utility) -> Callable[[str, str], float]:
    from sacrebleu.metrics.bleu import BLEU  # here, because importing sacreBLEU takes a third of a second
    from sacrebleu.metrics.chrf import CHRF

    tokenize = "char" if utility == "bleu_char" else "13a"
    metric = CHRF() if utility == "chrf" else BLEU(tokenize=tokenize, effective_order=True)
    return lambda hypothesis, reference: float(metric.sentence_score(hypothesis, [reference]).score)
