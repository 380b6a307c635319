"""Significance tests for the difference between two systems: on the same sentences, and over several seeds too."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray
from sacrebleu.significance import PairedTest, Result

from nmt.evaluation.metrics.base import check_counts
from nmt.evaluation.metrics.sacrebleu_metric import SacreBleuMetric, quiet

SHUFFLES, RESAMPLES = 10_000, 1_000  # sacreBLEU's defaults
_SEED = 12345  # likewise
_ROUNDING = 1e-9  # differences of scores that are equal but for rounding


@dataclass(frozen=True)
class Paired:
    """The scores of two systems on the same references, and the p-value of their difference.

    `p_value` is the probability of a difference at least this large if both systems were equally good. `signature` is
    that of the metric and the test.
    """

    baseline: float
    system: float
    p_value: float
    signature: str


def paired_test(
    baseline: Sequence[str],
    system: Sequence[str],
    references: Sequence[str],
    *,
    metric: SacreBleuMetric,
    test: Literal["ar", "bs"] = "ar",
    samples: int | None = None,
) -> Paired:
    """Return the scores of both systems and the p-value of their difference.

    `test` is paired approximate randomization ("ar", Riezler and Maxwell 2005) with `samples` shuffles, or the paired
    bootstrap ("bs", Koehn 2004) with `samples` resamples; by default 10,000 and 1,000. Both are those of sacreBLEU, and
    the shuffles are the same, with two exceptions. The p-value of equal scores is 1. Approximate randomization also
    counts shuffles whose difference equals the real one: without them, systems that differ in few sentences look
    significantly different. Raises UserError unless both systems have one line for each reference.
    """
    check_counts(references, baseline=baseline, system=system)
    systems: list[tuple[str, Sequence[str]]] = [("baseline", list(baseline)), ("system", list(system))]
    count = samples or (SHUFFLES if test == "ar" else RESAMPLES)
    scorer = metric.scorer()
    with quiet():
        paired = PairedTest(systems, {"": scorer}, [list(references)], test_type=test, n_samples=count)
        ((name, signature),) = paired._signatures.items()  # sacreBLEU's own name of the metric
        if test == "ar":
            return Paired(*_randomized(scorer, systems, references, count), str(signature))
        first, second = paired()[1][name]
    assert isinstance(first, Result) and isinstance(second, Result) and second.p_value is not None
    p_value = 1.0 if first.score == second.score else float(second.p_value)
    return Paired(float(first.score), float(second.score), p_value, str(signature))


def _randomized(
    scorer: Any, systems: Sequence[tuple[str, Sequence[str]]], references: Sequence[str], shuffles: int
) -> tuple[float, float, float]:
    """Return the scores of two systems, and the p-value of their difference by approximate randomization."""
    one, two = _statistics(scorer, [lines for _, lines in systems], references)
    kept = np.random.default_rng(_SEED).integers(2, size=(shuffles, len(references)), dtype=bool)
    first = kept @ one + ~kept @ two
    second = one.sum(axis=0) + two.sum(axis=0) - first

    def score(sums: NDArray[np.float64]) -> float:
        return float(scorer._compute_score_from_stats(sums).score)

    scores = score(one.sum(axis=0)), score(two.sum(axis=0))
    real = abs(scores[0] - scores[1])
    extreme = sum(abs(score(a) - score(b)) >= real - _ROUNDING for a, b in zip(first, second, strict=True))
    return *scores, (extreme + 1) / (shuffles + 1)


def seeds_test(
    baseline: Sequence[Sequence[str]],
    system: Sequence[Sequence[str]],
    references: Sequence[str],
    *,
    metric: SacreBleuMetric,
    samples: int = RESAMPLES,
) -> float:
    """Return the p-value of the difference between the mean scores of two systems, over seeds and sentences.

    `baseline` and `system` hold the translations of one run (one seed) each. This is the Multi-Bootstrap of Sellam et
    al. 2022 (arXiv:2106.16163): each of `samples` resamples draws the runs of each system with replacement, and the
    sentences with replacement, the same for all. The p-value is two-sided: the share of resamples whose difference is
    at least as far from the real one as that is from 0. With few runs of a system, the variation between seeds is
    underestimated, and p is too small: in a simulation of equal systems whose seeds varied three times as much as the
    sentences let a score vary, p was below 0.05 in 23 % of the cases with 2 runs each, 14 % with 3, and 6.5 % with 5.
    Raises UserError unless every run has one line for each reference.
    """
    for number, lines in enumerate([*baseline, *system], start=1):
        check_counts(references, **{f"translations of run {number}": lines})
    scorer = metric.scorer()
    with quiet():
        both = [_statistics(scorer, runs, references) for runs in (baseline, system)]
    draw = np.random.default_rng(_SEED)
    real = _difference(scorer, [runs.sum(axis=1) for runs in both])
    extreme = 0
    for _ in range(samples):
        times = np.bincount(draw.integers(len(references), size=len(references)), minlength=len(references))
        sums = [np.einsum("n,rnk->rk", times, runs) for runs in both]
        drawn = [each[draw.integers(len(each), size=len(each))] for each in sums]
        extreme += abs(_difference(scorer, drawn) - real) >= abs(real)
    return 1.0 if real == 0.0 else (extreme + 1) / (samples + 1)


def _statistics(scorer: Any, runs: Sequence[Sequence[str]], references: Sequence[str]) -> NDArray[np.float64]:
    """Return sacreBLEU's statistics of each sentence, as (runs, sentences, K). A score is computed from their sum."""
    return np.array([scorer._extract_corpus_statistics(list(lines), [list(references)]) for lines in runs], float)


def _difference(scorer: Any, sums: Sequence[NDArray[np.float64]]) -> float:
    """Return the difference between the mean scores of two systems, given the sums of each run's statistics."""
    first, second = (float(np.mean([scorer._compute_score_from_stats(run).score for run in runs])) for runs in sums)
    return second - first
