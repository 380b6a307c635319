"""The limits of a run, and schedules: warm-up, peak, and the ends of each."""

import pytest

from nmt.config.compose import compose
from nmt.config.settings import validate
from nmt.training.schedules import Constant, Cosine, InverseSquareRoot, Limits, WarmupStableDecay


@pytest.mark.parametrize("kind", [Constant, Cosine, InverseSquareRoot, WarmupStableDecay])
def test_warm_up_is_linear_and_never_zero(kind):
    schedule = kind(warmup_updates=10)
    factors = [schedule(update, 0.0) for update in range(10)]
    assert factors == pytest.approx([(update + 1) / 10 for update in range(10)])
    assert schedule.warmup(8, 0.0) < 1.0 == schedule.warmup(9, 0.0) == schedule.warmup(0, 0.5)


def test_the_warm_up_of_a_short_run_takes_a_share_of_it():
    schedule = Constant(warmup_updates=1000, warmup_share=0.15)
    factors = [schedule(update, update / 200) for update in range(200)]
    assert factors[15] == pytest.approx(0.5) and factors[29] < 1.0 and set(factors[30:]) == {1.0}
    assert factors == sorted(factors)
    long = [schedule(update, update / 20_000) for update in range(1000)]
    assert long == pytest.approx([(update + 1) / 1000 for update in range(1000)]), "the share would be 3,000 updates"


def test_inverse_square_root():
    schedule = InverseSquareRoot(warmup_updates=100)
    assert schedule(99, 0.01) == pytest.approx(1.0)
    assert schedule(399, 0.04) == pytest.approx(0.5)
    assert InverseSquareRoot()(0, 0.0) == 1.0


def test_inverse_square_root_begins_where_the_warm_up_ends():
    """Of 200 updates, 15 % are 30: as with 30 updates of warm-up."""
    short = InverseSquareRoot(warmup_updates=1000, warmup_share=0.15)
    factors = [short(update, (update + 1) / 200) for update in range(200)]
    usual = InverseSquareRoot(warmup_updates=30, warmup_share=1.0)
    assert factors == pytest.approx([usual(update, 0.0) for update in range(200)])
    assert max(factors) == pytest.approx(1.0) and factors[-1] == pytest.approx((30 / 200) ** 0.5)


def test_cosine_follows_progress_to_its_end():
    schedule = Cosine(final=0.02)
    assert schedule(5, 0.0) == pytest.approx(1.0)
    assert schedule(5, 0.5) == pytest.approx(0.51)
    assert schedule(5, 1.0) == schedule(5, 1.5) == pytest.approx(0.02)


def test_warmup_stable_decay_is_constant_until_its_last_part():
    schedule = WarmupStableDecay(warmup_updates=10, decay_share=0.2)
    factors = [schedule(update, update / 100) for update in range(100)]
    assert set(factors[10:80]) == {1.0}
    assert factors[80:] == pytest.approx([1 - (done / 20) ** 0.5 for done in range(20)])
    assert factors[80:] == sorted(set(factors[80:]), reverse=True) and factors[-1] > 0
    assert schedule(5, 1.0) == schedule(5, 1.5) == 0.0


@pytest.mark.parametrize(
    ("limits", "share"),
    [
        ({"max_time": "00:00:00:40"}, 0.25),
        ({"max_time": "00:00:00:40", "max_steps": 60}, 0.5),
        ({"max_time": "00:00:00:40", "max_epochs": 4}, 0.375),
        ({"max_time": "01:01:01:01"}, 10 / 90061),
        ({"max_steps": 20}, 1.0),
    ],
)
def test_the_limit_that_is_nearest_decides(limits, share):
    """After 30 updates, one and a half epochs and 10 seconds."""
    settings = validate(compose("train", [f"trainer.{key}={value}" for key, value in limits.items()]))
    assert Limits.of(settings.trainer).or_default(100).share(updates=30, epochs=1.5, seconds=10.0) == pytest.approx(
        share
    )


def test_without_a_limit_the_number_of_pairs_decides():
    trainer = validate(compose("train", [])).trainer
    sizes = (1, 1_000, 29_000, 10**6, 10**8)
    assert [Limits.of(trainer).or_default(pairs) for pairs in sizes] == [Limits(epochs=n) for n in (300, 162, 30, 5, 3)]
