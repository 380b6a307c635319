"""The state that a stopped run is continued from."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from nmt.config.recipe import NOTHING, Recipe, changes
from nmt.config.settings import TrainConfig
from nmt.errors import UserError
from nmt.parameters import shown
from nmt.system.run_files import METRICS, best_checkpoint, checkpoint_folder, last_checkpoint
from nmt.training.meter import Limits
from nmt.training.state import load_state, restoring

logger = logging.getLogger(__name__)

# Settings that must not change on resume, because the state in last.ckpt depends on them: the weights, the optimizer's
# own copy of its settings, or the figures of earlier validations.
FIXED = (
    "seed",
    "init",
    "tokenizer",
    "model",
    "objective",
    "optimizer",
    "scores",
    "callbacks.monitor",
    "callbacks.extra",
)
LIMITS = ("trainer.max_epochs", "trainer.max_steps", "trainer.max_time", "callbacks.early_stopping.patience")
RATES = ("lr", "peak_lr")  # of a group of parameters in the state of the optimizer
STATE = {"state_dict", "optimizer_states", "callbacks", "loops", "epoch", "global_step", "corpus_sha256", "totals"}


def read_last(recipe: Recipe) -> dict[str, Any]:
    """Return the content of the run's last.ckpt, and log each setting that has changed since it was written.

    A finished run is continued only with changed settings. Raises UserError if it has none, if last.ckpt is missing or
    has no training state, if settings have changed that the state depends on, and for a new limit on the length of the
    run while another limit is used up.
    """
    last = _read(recipe.folder)
    with restoring(recipe.folder):
        _check_figures(last)
        changed = changes(last["nmt"]["config"], recipe.plain)
        changed.pop("allow", None)
        _check_changes(recipe, last, changed)
    for key, pair in changed.items():
        logger.info(f"resume: {_change(key, *pair)}")
    return last


def _read(folder: Path) -> dict[str, Any]:
    """Return the content of last.ckpt, and remove what a killed write has left beside it."""
    path = last_checkpoint(folder)
    if not path.is_file():
        again = "start the run again"
        if best_checkpoint(folder).is_file():
            again = f"start a new run from its weights, in another folder: init={folder}"
        raise UserError(f"resume={folder}: it has no {path.relative_to(folder)} to continue from; {again}")
    for unfinished in checkpoint_folder(folder).glob(".*.part"):
        unfinished.unlink(missing_ok=True)
    last = load_state(path)
    if not last.keys() >= STATE:
        raise UserError(
            f"resume={folder}: its checkpoints/last.ckpt does not hold the whole state of training; "
            "restore the run's own last.ckpt, or start a new run"
        )
    return last


def _check_figures(last: Mapping[str, Any]) -> None:
    """Raise TypeError or LookupError unless counts, times and learning rates are numbers; nothing else checks them."""
    rates = [group[key] for state in last["optimizer_states"] for group in state["param_groups"] for key in RATES]
    figures = [last["loops"], last["callbacks"]["Timer"]["time_elapsed"], *rates]
    while figures:
        value = figures.pop()
        if isinstance(value, dict | list):
            figures += value.values() if isinstance(value, dict) else value
        elif not isinstance(value, int | float):
            raise TypeError(f"got {shown(value)}, expected a number")


def _check_changes(recipe: Recipe, last: Mapping[str, Any], changed: Mapping[str, tuple[Any, Any]]) -> None:
    """Raise UserError unless the run can be continued with these changes of its settings."""
    folder = recipe.folder
    fixed = [
        _change(key, *pair) for key, pair in changed.items() if f"{key}.".startswith(tuple(f"{k}." for k in FIXED))
    ]
    if fixed:
        raise UserError(
            f"resume={folder}: last.ckpt depends on settings that have changed: {'; '.join(fixed)}; "
            "change them back, or start a new run"
        )
    used_up = _used_up(recipe.settings, last)
    if (folder / METRICS).is_file() and not changed:
        ended = f"the limit that ended it (now {' and '.join(used_up)})"
        limit = ended if used_up else "a limit, as in trainer.max_epochs=60"
        raise UserError(f"resume={folder}: this run is finished (see its {METRICS}); raise {limit}, or start a new run")
    if used_up and any(key in changed for key in LIMITS):
        raise UserError(
            f"resume={folder}: the run has used up {' and '.join(used_up)}, so another limit changes nothing; raise "
            "this one too (its value counts from the start of the run)"
        )


def _used_up(settings: TrainConfig, last: Mapping[str, Any]) -> list[str]:
    """Return the limits of the settings that a run with this last.ckpt has reached, as "trainer.max_steps=9"."""
    trainer, patience = settings.trainer, (settings.callbacks.early_stopping or {}).get("patience")
    loops = last["loops"]["fit_loop"]
    unfinished = not loops["epoch_loop.batch_progress"]["is_last_batch"]
    epochs = loops["epoch_progress"]["current"]["started"] - unfinished
    limits = Limits.of(trainer)
    seconds = last["callbacks"]["Timer"]["time_elapsed"]["train"] if limits.seconds is not None else 0.0
    waited = last["callbacks"].get("EarlyStopping", {}).get("waited", 0)
    done = (
        (epochs, limits.epochs, f"trainer.max_epochs={trainer.max_epochs}"),
        (last["global_step"], limits.updates, f"trainer.max_steps={trainer.max_steps}"),
        (seconds, limits.seconds, f"trainer.max_time={trainer.max_time}"),
        (waited, patience, f"callbacks.early_stopping.patience={patience}"),
    )
    return [setting for used, limit, setting in done if limit is not None and used >= limit]


def _change(key: str, before: Any, now: Any) -> str:
    old, new = ("nothing" if value is NOTHING else shown(value) for value in (before, now))
    return f"{key}: {new} (was {old})"
