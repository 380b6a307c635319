"""Sums over batches, the clock of training, the search of a validation, and which of two validations is better."""

import math
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import ClassVar

import pytest
import torch

from nmt.build import build_search
from nmt.config.compose import compose
from nmt.errors import UserError
from nmt.evaluation.metrics.base import Metric, Score
from nmt.evaluation.metrics.exact_match import ExactMatch
from nmt.search.beam import BeamSearch
from nmt.training.objectives.base import Mean, Sums
from nmt.training.validation import Counts, Meter, Monitor, validation_search


def alone(value):
    """Return the values of a single process."""
    return [value]


def sums(loss, tokens, **figures):
    with pytest.raises(UserError, match="tokens as an int"):  # a tensor would be in the files of the run
        Sums(torch.tensor(loss), torch.tensor(loss), torch.tensor(tokens), figures)
    return Sums(torch.tensor(loss), torch.tensor(loss), tokens, figures)


@pytest.fixture
def clock(monkeypatch):
    """A clock that the tests set in place of `time.perf_counter`."""
    clock = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr("time.perf_counter", lambda: clock.seconds)
    return clock


def test_figures_of_two_batches_and_a_pause_that_does_not_count(clock):
    meter = Meter(alone)
    assert math.isnan(meter.train_loss) and meter.take() == {}
    meter.resume_clock()
    for loss in (10.0, 5.0):
        meter.count(sums(loss, 5), 0.25)
        clock.seconds += 2.0
        meter.count_seconds()
    clock.seconds += 60.0  # a validation
    meter.resume_clock()
    figures = meter.take()
    assert figures == {"loss": 1.5, "target_tokens_per_second": 2.5}
    assert (meter.train_loss, meter.train_nll, meter.tokens_per_second) == (1.5, 1.5, 2.5)
    assert meter.take() == {} and meter.train_loss == 1.5
    assert meter.totals() == Counts(10, 0.5, 4.0)


def test_figures_are_those_of_all_processes(clock):
    """The second process has twice as many tokens, and other figures; both take the same time."""

    def gathered(value):
        if isinstance(value, Counts):
            return [value, replace(value, target_tokens=2 * value.target_tokens)]
        return [value, {"loss": (18.0, 10.0), "nll": (18.0, 10.0), "alignment_loss": (1.0, 2.0)}]

    meter = Meter(gathered)
    meter.resume_clock()
    meter.count(sums(6.0, 5, alignment_loss=Mean(6.0, 2)), 0.25)
    clock.seconds += 2.0
    meter.count_seconds()
    figures = meter.take()
    assert figures["loss"] == (6 + 18) / 15 and figures["target_tokens_per_second"] == 7.5
    assert figures["alignment_loss"] == 7 / 4
    meter = Meter(alone)
    meter.before = Counts(target_tokens=100, epochs=1.5, seconds=3.0)  # of a resumed run
    meter.count(sums(6.0, 5), 0.25)
    assert (meter.totals().target_tokens, meter.totals().epochs, meter.totals().seconds) == (105, 1.75, 3.0)


def test_figures_of_the_objective_are_means_over_their_own_counts():
    meter = Meter(alone)
    meter.count(sums(1.0, 5, alignment_loss=Mean(torch.tensor(6.0), 2)), 0.25)
    meter.count(sums(1.0, 5), 0.25)  # a batch without links
    meter.count(sums(1.0, 5, alignment_loss=Mean(3.0, 4)), 0.25)
    assert meter.take()["alignment_loss"] == 1.5
    meter.count(sums(1.0, 5), 0.25)
    assert "alignment_loss" not in meter.take()


@pytest.mark.parametrize("overrides", [[], ["search=sampling", "search.samples=4"], ["search.length_penalty=2"]])
def test_validation_search_is_greedy(overrides):
    search = build_search(compose("train", overrides)["search"])
    assert validation_search(search) == BeamSearch(beam_size=1)
    assert validation_search(search.replace(batch_tokens=100)) == BeamSearch(beam_size=1, batch_tokens=100)


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
    for value in (math.nan, math.inf, -math.inf):
        assert monitor.quality({"loss": value, "score": value}) == -math.inf
