"""The share of the limits that is used up, and the limit of a run that names none."""

import pytest

from nmt.config.compose import compose
from nmt.config.settings import validate
from nmt.training.schedules import Limits


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
