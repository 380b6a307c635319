"""Which of two validations has the better weights."""

import math
from dataclasses import dataclass
from typing import ClassVar

import pytest

from nmt.evaluation.metrics.base import Metric, Score
from nmt.evaluation.metrics.exact_match import ExactMatch
from nmt.training.validation import Monitor


@dataclass(frozen=True, kw_only=True)
class Points(Metric):
    """Higher is better; below 2 it is chance."""

    label = "points"
    chance: ClassVar[float | None] = 2.0

    def score(self, hypotheses, references, *, sources=(), bootstrap=0):
        return Score(0.0)


@dataclass(frozen=True, kw_only=True)
class Errors(Points):
    """Lower is better."""

    label = "errors"
    higher_is_better: ClassVar[bool] = False
    chance: ClassVar[float | None] = None


# From worse to better weights, each with its loss and its score.
ORDERS = {
    "loss": (Monitor("loss", None), [(3.0, 9.0), (2.5, 1.0), (0.1, 5.0)]),
    "a metric": (Monitor("score", Points()), [(1.0, 2.0), (5.0, 2.1), (0.5, 30.0)]),
    "a metric that begins with chance": (Monitor("score", Points()), [(4.0, 1.9), (3.0, 0.1), (9.0, 2.0), (1.0, 2.5)]),
    "a share that begins with 0": (Monitor("score", ExactMatch()), [(4.0, 0.0), (3.0, 0.0), (9.0, 0.1)]),
    "errors": (Monitor("score", Errors()), [(1.0, 90.0), (2.0, 40.0), (3.0, 0.0)]),
}


@pytest.mark.parametrize(("monitor", "validations"), ORDERS.values(), ids=ORDERS)
def test_quality_rises_with_better_weights(monitor, validations):
    qualities = [monitor.quality({"loss": loss, "score": score}) for loss, score in validations]
    assert qualities == sorted(qualities) and len(set(qualities)) == len(qualities)


@pytest.mark.parametrize("monitor", [monitor for monitor, _ in ORDERS.values()], ids=ORDERS)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_a_figure_that_is_not_finite_is_the_worst(monitor, value):
    assert monitor.quality({"loss": value, "score": value}) == -math.inf


def test_the_label_is_the_metrics():
    assert (Monitor("loss", None).label, Monitor("score", Errors()).label) == ("loss", "errors")
