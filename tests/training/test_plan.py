"""The line that says how long a run is, when it validates, and how long it warms up."""

from __future__ import annotations

import pytest

from nmt.config.compose import compose_run
from nmt.training.fit import plan
from nmt.training.limits import Limits
from nmt.training.schedules import Constant, Schedule

BATCHES = 100  # in an epoch


def told(*overrides: str, schedule: Schedule | None = None) -> str:
    """Return the line of a run with these settings, whose epoch has `BATCHES` batches."""
    settings = compose_run(["data=cldr", *overrides, "hydra.run.dir=x"]).settings.trainer
    limits = Limits.of(settings).or_default(29_000)
    return plan(settings, limits, schedule or Constant(warmup_updates=0), BATCHES)


@pytest.mark.parametrize(
    ("settings", "validations"),
    [
        ([], "5 to 30 validations (trainer.val_check_interval)"),
        (
            ["trainer.max_time=00:00:10:00"],
            "5 to 30 validations, fewer where they are slow (trainer",
        ),
        (["trainer.check_val_every_n_epoch=1"], "every epoch and at the end (trainer.check_val_every_n_epoch)"),
        (["trainer.check_val_every_n_epoch=3"], "every 3 epochs and at the end (trainer.check_val_every_n_epoch)"),
        (["trainer.val_check_interval=1500"], "every 1,500 batches and at the end (trainer.val_check_interval)"),
        (
            ["trainer.val_check_interval=0.5"],
            "every 50 batches of an epoch and at the end (trainer.val",
        ),
        (["debug=fast"], "every batch of an epoch and at the end (trainer.val_check_interval)"),
    ],
)
def test_log_says_when_validations_happen(settings: list[str], validations: str) -> None:
    assert validations in told(*settings)


@pytest.mark.parametrize(
    ("settings", "warmup"),
    [
        (["trainer.max_steps=10000"], "warm-up of 1,000 updates (scheduler)"),
        (["trainer.max_steps=3501"], "warm-up of 526 updates instead of 1,000, 15% of the run (scheduler)"),
        (["trainer.max_epochs=10"], "warm-up of 150 updates instead of 1,000, 15% of the run (scheduler)"),
        (["trainer.max_epochs=10", "trainer.accumulate_grad_batches=3"], "warm-up of 51 updates instead of 1,000, 15%"),
        (["trainer.max_time=00:01:00:00"], "warm-up of 1,000 updates, but at most 0:09:00, 15% of the run (scheduler)"),
        (
            ["trainer.max_time=00:01:00:00", "trainer.max_steps=2000"],
            "warm-up of 300 updates instead of 1,000, but at most 0:09:00, 15% of the run (scheduler)",
        ),
    ],
)
def test_log_says_how_long_the_warmup_is(settings: list[str], warmup: str) -> None:
    assert warmup in told(*settings, schedule=Constant(warmup_updates=1000))
    assert "warm-up" not in told(*settings)


@pytest.mark.parametrize("updates", [700, 2000, 3501, 10_000])
def test_the_schedule_warms_up_for_so_many_updates(updates: int) -> None:
    schedule = Constant(warmup_updates=1000)
    line = told(f"trainer.max_steps={updates}", schedule=schedule)
    first = next(update for update in range(updates) if schedule(update, update / updates) == 1.0)
    number = int(line.partition("warm-up of ")[2].split()[0].replace(",", ""))
    assert number - 1 <= first <= number
