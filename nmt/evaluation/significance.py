"""Significance tests for the difference between two systems: on the same sentences, and over several seeds too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nmt.evaluation.metrics.base import check_counts
from nmt.evaluation.metrics.sacrebleu_metric import SacreBleuMetric, quiet

SHUFFLES, RESAMPLES = 10_000, 1_000  # sacreBLEU's defaults
_SEED = 12345  # likewise
_ROUNDING = 1e-9  # differences of scores that are equal but for rounding
_BLOCK = 1_000_000  # choices of a sentence's system that are drawn at once


def randomization_test(
    baseline: Sequence[str],
    system: Sequence[str],
    references: Sequence[str],
    *,
    metric: SacreBleuMetric,
    shuffles: int = SHUFFLES,
) -> float:
    """Return the p-value of the difference between the scores of two systems.

    It is the probability of a difference at least this large if both systems were equally good, by paired approximate
    randomization (Riezler and Maxwell 2005): each of `shuffles` shuffles exchanges the translations of half of the
    sentences, drawn at random. The shuffles are those of `sacrebleu --paired-ar`, which does not count the ones whose
    difference equals the real one. We count them: without them, systems that differ in few sentences look significantly
    different. The p-value of equal scores is 1. Raises UserError unless both systems have one line for each reference.
    """
    check_counts(references, baseline=baseline, system=system)
    scorer = metric.scorer()
    with quiet():
        one, two = _statistics(scorer, [baseline, system], references)

    def distance(sums: NDArray[np.float64]) -> float:
        return abs(_score(scorer, sums) - _score(scorer, total - sums))

    total, extreme = one.sum(axis=0) + two.sum(axis=0), 0
    real = distance(one.sum(axis=0))
    for kept in _choices(shuffles, len(references)):
        extreme += sum(distance(sums) >= real - _ROUNDING for sums in two.sum(axis=0) + kept @ (one - two))
    return (extreme + 1) / (shuffles + 1)


def _choices(shuffles: int, sentences: int) -> Iterator[NDArray[np.bool_]]:
    """Yield for each shuffle which sentences keep their system, as blocks of (shuffles, sentences)."""
    draw = np.random.default_rng(_SEED)
    rows = 32 * max(1, _BLOCK // (32 * sentences))  # whole words of 32 bits: the same choices for every size of block
    for start in range(0, shuffles, rows):
        yield draw.integers(2, size=(min(rows, shuffles - start), sentences), dtype=bool)


def bootstrap_test(
    baseline: Sequence[Sequence[str]],
    system: Sequence[Sequence[str]],
    references: Sequence[str],
    *,
    metric: SacreBleuMetric,
    resamples: int = RESAMPLES,
) -> float:
    """Return the p-value of the difference between the mean scores of two systems.

    `baseline` and `system` hold the translations of one run (one seed) each. Each of `resamples` resamples draws the
    sentences with replacement, the same for all, and the runs of each system with replacement. With one run each, this
    is the paired bootstrap (Koehn 2004). With several, it is the Multi-Bootstrap of Sellam et al. 2022
    (arXiv:2106.16163). The p-value is two-sided: the share of resamples whose difference is at least as far from the
    real one as that is from 0. `sacrebleu --paired-bs` is about half of it, because it counts one side only.

    With few runs of a system, the variation between seeds is underestimated, and p is too small: in a simulation of
    equal systems whose seeds varied three times as much as the sentences let a score vary, p was below 0.05 in 23 % of
    the cases with 2 runs each, 14 % with 3, and 6.5 % with 5. Raises UserError unless every run has one line for each
    reference.
    """
    for number, lines in enumerate([*baseline, *system], start=1):
        check_counts(references, **{f"translations of run {number}": lines})
    scorer = metric.scorer()
    with quiet():
        both = [_statistics(scorer, runs, references) for runs in (baseline, system)]
    draw = np.random.default_rng(_SEED)
    real = _difference(scorer, [runs.sum(axis=1) for runs in both])
    extreme = 0
    for _ in range(resamples):
        times = np.bincount(draw.integers(len(references), size=len(references)), minlength=len(references))
        sums = [np.einsum("n,rnk->rk", times, runs) for runs in both]
        drawn = [each[draw.integers(len(each), size=len(each))] for each in sums]
        extreme += abs(_difference(scorer, drawn) - real) >= abs(real) - _ROUNDING
    return (extreme + 1) / (resamples + 1)


def _statistics(scorer: Any, runs: Sequence[Sequence[str]], references: Sequence[str]) -> NDArray[np.float64]:
    """Return sacreBLEU's statistics of each sentence, as (runs, sentences, K). A score is computed from their sum."""
    return np.array([scorer._extract_corpus_statistics(list(lines), [list(references)]) for lines in runs], float)


def _score(scorer: Any, sums: NDArray[np.float64]) -> float:
    return float(scorer._compute_score_from_stats(sums).score)


def _difference(scorer: Any, sums: Sequence[NDArray[np.float64]]) -> float:
    """Return the difference between the mean scores of two systems, given the sums of each run's statistics."""
    first, second = (float(np.mean([_score(scorer, run) for run in runs])) for runs in sums)
    return second - first
