"""Minimum Bayes risk: the agreement of a translation with the other probable translations of the model.

The expected utility of a candidate is the mean of its utilities, with each candidate of the sentence as the reference
once. So the best candidate has the smallest expected loss (Kumar and Byrne 2004, "Minimum Bayes-Risk Decoding for
Statistical Machine Translation"; with samples of a neural model: Eikema and Aziz 2020, arXiv:2005.10283).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Utility = Literal["chrf", "bleu", "bleu_char"]
TINY = 1e-100  # instead of a divisor that is 0


def expected_utilities(texts: Sequence[str], weights: Sequence[float], utility: Utility) -> list[float]:
    """Return the expected utility (0 to 100) of each text; `weights` are the probabilities of the references.

    The utilities are sacreBLEU's scores of sentences: chrF2, BLEU of tokenizer 13a, or BLEU of characters
    ("bleu_char", for languages without spaces). BLEU counts only n-grams of lengths that the hypothesis has.
    """
    probability: dict[str, float] = {}
    for text, weight in zip(texts, weights, strict=True):
        probability[text] = probability.get(text, 0.0) + weight
    different = list(probability)
    scores = _chrf(different) if utility == "chrf" else _bleu(different, "char" if utility == "bleu_char" else "13a")
    expected = dict(zip(different, scores @ np.array(list(probability.values())), strict=True))
    return [float(expected[text]) for text in texts]


def _chrf(texts: Sequence[str]) -> NDArray[np.float64]:
    """Return the chrF2 of each text (rows) with each text as the reference (columns).

    sacreBLEU's `sentence_score` counts the n-grams of both texts again for each pair. Here they are counted once.
    """
    from sacrebleu.metrics.chrf import CHRF  # here, because importing sacreBLEU takes a third of a second
    from sacrebleu.metrics.helpers import extract_all_char_ngrams

    counts = [extract_all_char_ngrams(text, CHRF.CHAR_ORDER) for text in texts]
    precision, recall, orders = np.zeros((3, len(texts), len(texts)))
    for found in zip(*counts, strict=True):  # the n-grams of one order, a counter for each text
        table = _table(found)
        matches = np.stack([np.minimum(table, row).sum(1) for row in table])
        sizes = table.sum(1)
        precision += matches / np.maximum(sizes, 1)[:, None]
        recall += matches / np.maximum(sizes, 1)
        orders += np.outer(sizes, sizes) > 0
    precision, recall = precision / np.maximum(orders, 1), recall / np.maximum(orders, 1)
    weight = CHRF.BETA**2
    return 100 * (1 + weight) * precision * recall / np.maximum(weight * precision + recall, TINY)


def _table(counters: Sequence[Counter[str]]) -> NDArray[np.int32]:
    """Return the counts of `counters` as an array with a row for each, and a column for each key."""
    columns = {key: column for column, key in enumerate(dict.fromkeys(chain.from_iterable(counters)))}
    table = np.zeros((len(counters), len(columns)), dtype=np.int32)
    for row, counter in zip(table, counters, strict=True):
        row[[columns[key] for key in counter]] = list(counter.values())
    return table


def _bleu(texts: Sequence[str], tokenize: str) -> NDArray[np.float64]:
    """Return the BLEU of each text (rows) with each text as the reference (columns)."""
    from sacrebleu.metrics.bleu import BLEU

    metric = BLEU(tokenize=tokenize, effective_order=True)
    return np.array([[metric.sentence_score(text, [reference]).score for reference in texts] for text in texts])
