"""One training run: from a recipe to a folder with checkpoints, scores, translations and pictures."""

from __future__ import annotations

import logging
from typing import Any

import torch

from nmt.config.recipe import Recipe
from nmt.preflight import Components, build_components
from nmt.system import machine, process
from nmt.system.cores import OtherPrograms
from nmt.system.launch import launch
from nmt.training.finish import finish
from nmt.training.fit import fit
from nmt.training.interruption import interruptible
from nmt.training.lightning import AtomicCheckpointIO
from nmt.training.parts import build_parts
from nmt.training.processes import leave, once_a_node
from nmt.training.state import read_last

logger = logging.getLogger(__name__)


def train(recipe: Recipe, components: Components | None = None, *, resume: bool = False) -> dict[str, Any]:
    """Train the run of `recipe` in its folder; return the content of metrics.json.

    `components` come from `build_components` for the settings, or are None if they have not been built yet. With
    `resume` the run in the folder continues from its last.ckpt. If several processes train, only the first returns
    metrics; the others return an empty dict. Raises UserError for a mistake that the user can correct, and
    `Interrupted` after Ctrl-C or another signal if last.ckpt holds the state of the run.
    """
    process.speed_up()
    if launch().several:
        process.share_machine(launch())
    machine.forget_peak_memory()
    others = OtherPrograms()
    checkpoints = AtomicCheckpointIO(read_last(recipe) if resume else None)
    with once_a_node():
        parts = build_parts(recipe, components or build_components(recipe.settings), checkpoints.last)
    if recipe.settings.trainer.accelerator == "cpu" or not torch.accelerator.is_available():
        _warn_of_slow_threads(others)
    fitted = fit(parts, checkpoints)
    leave()
    if not fitted.first_process:
        return {}
    with interruptible(recipe.folder, lambda: fitted.updates):
        return finish(parts, fitted)


def _warn_of_slow_threads(others: OtherPrograms) -> None:
    """Warn if other programs use the cores that the threads of this training need."""
    busy = others.shortage(torch.get_num_threads())
    if busy:
        logger.warning(
            f"{busy}, so the {torch.get_num_threads()} threads of this training wait for each other, and it can take "
            "several times as long; if these programs go on, stop this run and resume it with OMP_NUM_THREADS=1"
        )
