"""The plan of a run in one line: its length, its validations, and its warm-up."""

from __future__ import annotations

import math

from nmt.config.settings import TrainerConfig
from nmt.data.progress import clock
from nmt.errors import counted
from nmt.training.callbacks.validations import LEAST, MOST
from nmt.training.meter import Limits
from nmt.training.schedules import Schedule


def plan(settings: TrainerConfig, limits: Limits, schedule: Schedule, batches: int) -> str:
    """Return the line, with the keys that change the plan. `batches` is the number in an epoch, for one process."""
    lengths = {
        "trainer.max_epochs": limits.epochs and counted(limits.epochs, "epoch"),
        "trainer.max_steps": limits.updates and counted(limits.updates, "update"),
        "trainer.max_time": settings.max_time,
    }
    length = "at most " + " or ".join(f"{limit} ({key})" for key, limit in lengths.items() if limit is not None)
    warmup = _warmup(settings, limits, schedule, batches)
    return "run: " + ", ".join(filter(None, [length, _validations(settings, limits, batches), warmup]))


def validates_by_progress(settings: TrainerConfig) -> bool:
    """Return whether `nmt.training.callbacks.validations` decides when the run validates."""
    return settings.val_check_interval is None and settings.check_val_every_n_epoch is None


def _validations(settings: TrainerConfig, limits: Limits, batches: int) -> str:
    interval, every = settings.val_check_interval, settings.check_val_every_n_epoch
    if validates_by_progress(settings):
        fewest = "" if limits.seconds is None else ", fewer where they are slow"
        return f"{LEAST} to {MOST} validations{fewest} (trainer.val_check_interval)"
    if interval is None:
        rhythm = "epoch" if every == 1 else f"{every:,} epochs"
        return f"a validation every {rhythm} and at the end (trainer.check_val_every_n_epoch)"
    number = interval if isinstance(interval, int) else max(1, int(batches * interval))
    rhythm = "batch" if number == 1 else f"{number:,} batches"
    if every is not None or isinstance(interval, float):
        rhythm += " of an epoch"
    return f"a validation every {rhythm} and at the end (trainer.val_check_interval)"


def _warmup(settings: TrainerConfig, limits: Limits, schedule: Schedule, batches: int) -> str:
    """Return how long the warm-up takes: so many updates, unless its share of the run ends it before."""
    if not schedule.warmup_updates:
        return ""
    in_epochs = limits.epochs and limits.epochs * math.ceil(batches / settings.accumulate_grad_batches)
    known = [updates for updates in (limits.updates, in_epochs) if updates is not None]
    text = f"warm-up of {counted(schedule.warmup_updates, 'update')}"
    share = f", {schedule.warmup_share:.0%} of the run"
    limited = limits.seconds is not None
    if known and (most := math.ceil(schedule.warmup_share * min(known))) < schedule.warmup_updates:
        text, limited = f"warm-up of {counted(most, 'update')} instead of {schedule.warmup_updates:,}", True
    if limits.seconds is not None:
        text += f", but at most {clock(schedule.warmup_share * limits.seconds)}"
    return f"{text}{share * limited} (scheduler)"
