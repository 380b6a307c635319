"""One training run: from a recipe to a folder with checkpoints, scores, translations and pictures."""

from __future__ import annotations

from typing import Any

from nmt.config.recipe import Recipe
from nmt.system import machine, process
from nmt.training.finish import finish
from nmt.training.fit import fit
from nmt.training.interruption import interruptible
from nmt.training.lightning import AtomicCheckpointIO
from nmt.training.parts import build_parts
from nmt.training.resume import read_last


def train(recipe: Recipe, *, resume: bool = False) -> dict[str, Any]:
    """Train what `recipe` describes, in its folder; return the content of metrics.json.

    With `resume` the run in the folder continues from its last.ckpt. Where several processes train, only the first
    returns metrics; the others return an empty dict. Raises UserError for a mistake that the user can correct, and
    `Interrupted` after Ctrl-C, SIGTERM or SIGHUP if last.ckpt holds the state of the run.
    """
    process.speed_up()
    machine.forget_peak_memory()
    checkpoints = AtomicCheckpointIO(read_last(recipe) if resume else None)
    parts = build_parts(recipe, checkpoints.last)
    fitted = fit(parts, checkpoints)
    if not fitted.first_process:
        return {}
    with interruptible(recipe.folder, lambda: fitted.updates):
        return finish(parts, fitted)
