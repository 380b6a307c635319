"""A significance test for the difference between two systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sacrebleu.significance import PairedTest, Result

from nmt.evaluation.metrics.base import check_counts
from nmt.evaluation.metrics.bleu import BLEU
from nmt.evaluation.metrics.sacrebleu_metric import SacreBleuMetric, quiet


@dataclass(frozen=True)
class Comparison:
    """The scores of two systems on the same references, and the p-value of their difference.

    `p_value` is the probability of a difference at least this large if both systems were equally good. `signature` is
    that of the metric and the test.
    """

    baseline: float
    system: float
    p_value: float
    signature: str


def compare(
    baseline: Sequence[str],
    system: Sequence[str],
    references: Sequence[str],
    *,
    metric: SacreBleuMetric | None = None,
    samples: int = 10_000,
) -> Comparison:
    """Return the scores of both systems and the p-value of their difference, by paired approximate randomization.

    The test is that of Riezler and Maxwell (2005) with `samples` shuffles. `metric` is BLEU by default. Unlike
    `sacrebleu --paired-ar`, it also counts shuffles whose difference equals the real one. Without them, systems that
    differ in few sentences look significantly different. Raises UserError unless both systems have one line for each
    reference.
    """
    metric = metric or BLEU()
    check_counts(references, baseline=baseline, system=system)
    systems: list[tuple[str, Sequence[str]]] = [("baseline", list(baseline)), ("system", list(system))]
    with quiet():
        test = PairedTest(
            systems, {metric.label: metric.scorer()}, [list(references)], test_type="ar", n_samples=samples
        )
        signatures, results = test()
    first, second = results[metric.label]
    assert isinstance(first, Result) and isinstance(second, Result) and second.p_value is not None
    # sacreBLEU counts only differences larger than the real one. Where m sentences differ, one shuffle in 2 ** (m - 1)
    # gives the real difference again: almost none if m is large, all of them if m is 1.
    differing = sum(ours != theirs for ours, theirs in zip(baseline, system, strict=True))
    equal = first.score == second.score
    p_value = 1.0 if equal else min(1.0, float(second.p_value) + 2.0 ** (1 - differing))
    return Comparison(float(first.score), float(second.score), p_value, str(signatures[metric.label]))
