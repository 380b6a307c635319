"""Sums over batches, and the clock of training."""

import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from nmt.data.batches import make_batch
from nmt.tokens import EOS
from nmt.training.meter import Counts, Meter
from nmt.training.objectives.chunked import Mean, Sums

# 5 real target tokens of 6 positions, 4 real source tokens of 6.
BATCH = make_batch([[7, 8, EOS], [EOS]], [[5, 6, EOS], [5, EOS]])


def alone(value):
    """Return the values of a single process."""
    return [value]


def sums(loss, tokens, **figures):
    return Sums(torch.tensor(loss), torch.tensor(loss), tokens, figures)


@pytest.fixture
def clock(monkeypatch):
    """A clock that the tests set in place of `time.perf_counter`."""
    clock = SimpleNamespace(seconds=100.0)
    monkeypatch.setattr("time.perf_counter", lambda: clock.seconds)
    return clock


def test_figures_of_two_batches(clock):
    meter = Meter(alone)
    assert math.isnan(meter.train_loss) and meter.take() == {}
    meter.resume_clock()
    for loss in (10.0, 5.0):
        meter.count(BATCH, sums(loss, 5), 0.25)
        clock.seconds += 2.0
        meter.count_seconds()
    figures = meter.take()
    assert figures == {"loss": 1.5, "target_tokens_per_second": 2.5, "padding_share": pytest.approx(0.25)}
    assert (meter.train_loss, meter.train_nll, meter.tokens_per_second) == (1.5, 1.5, 2.5)
    assert meter.take() == {} and meter.train_loss == 1.5


def test_figures_are_those_of_all_processes(clock):
    """The second process has twice as many tokens, and other figures; both take the same time."""

    def gathered(value):
        if isinstance(value, Counts):
            return [value, replace(value, loss=3 * value.loss, target_tokens=2 * value.target_tokens)]
        return [value, {"alignment_loss": Mean(1.0, 2)} if value else {}]

    meter = Meter(gathered)
    meter.resume_clock()
    meter.count(BATCH, sums(6.0, 5, alignment_loss=Mean(6.0, 2)), 0.25)
    clock.seconds += 2.0
    meter.count_seconds()
    state = meter.state_dict()
    figures = meter.take()
    assert figures["loss"] == (6 + 18) / 15 and figures["target_tokens_per_second"] == 7.5
    assert figures["alignment_loss"] == 7 / 4
    assert (meter.totals.seconds, meter.totals.epochs, meter.totals.target_tokens) == (2.0, 0.25, 15)
    first, second = Meter(alone), Meter(alone)  # of a resumed run, which has gathered nothing yet
    first.load_state_dict(state)
    second.load_state_dict(state, first=False)
    assert first.totals == meter.totals and second.totals == Counts()
    assert first.take() == figures and second.take() == {}


def test_figures_of_the_objective_are_means_over_their_own_counts(clock):
    meter = Meter(alone)
    meter.count(BATCH, sums(1.0, 5, alignment_loss=Mean(6.0, 2)), 0.25)
    meter.count(BATCH, sums(1.0, 5), 0.25)  # a batch without links
    meter.count(BATCH, sums(1.0, 5, alignment_loss=Mean(3.0, 4)), 0.25)
    assert meter.take()["alignment_loss"] == 1.5
    meter.count(BATCH, sums(1.0, 5), 0.25)
    assert "alignment_loss" not in meter.take()


def test_a_pause_does_not_count(clock):
    meter = Meter(alone)
    meter.resume_clock()
    clock.seconds += 1.0
    meter.count_seconds()
    clock.seconds += 60.0  # a validation
    meter.resume_clock()
    clock.seconds += 2.0
    meter.count_seconds()
    assert meter.totals.seconds == 3.0


def test_sums_and_the_last_line_survive_a_checkpoint(clock):
    first = Meter(alone)
    first.count(BATCH, sums(10.0, 5), 0.25)
    first.take()
    first.count(BATCH, sums(6.0, 5, alignment_loss=Mean(6.0, 2)), 0.25)
    second = Meter(alone)
    second.load_state_dict(first.state_dict())
    assert (second.train_loss, second.train_nll, second.tokens_per_second) == (2.0, 2.0, 0.0)
    second.count(BATCH, sums(1.0, 5), 0.25)
    assert second.totals == Counts(
        loss=17.0, nll=17.0, target_tokens=15, epochs=0.75, padded_tokens=36, real_tokens=27, seconds=0.0
    )
    figures = second.take()
    assert (figures["loss"], figures["alignment_loss"]) == (pytest.approx(7.0 / 10), 3.0)


def test_a_state_of_an_older_version_has_the_sums_alone(clock):
    meter = Meter(alone)
    meter.load_state_dict(vars(Counts(loss=10.0, target_tokens=5)))
    assert meter.totals == Counts(loss=10.0, target_tokens=5) and meter.take() == {}


def test_without_batches_there_are_no_rates():
    assert (Counts().tokens_per_second, Counts().padding_share) == (0.0, 0.0)
