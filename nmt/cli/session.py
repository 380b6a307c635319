"""One training run as the programs execute it: a checked recipe, the log, and a message at the end."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from nmt.cli.output import RunLog
from nmt.config.compose import with_checkpoint_settings
from nmt.config.recipe import Recipe
from nmt.errors import UserError
from nmt.system.place import place_of_process
from nmt.system.run_files import METRICS, best_checkpoint, last_checkpoint

if TYPE_CHECKING:
    from nmt.build import Objects

logger = logging.getLogger(__name__)


def checked_recipe(recipe: Recipe, overrides: Sequence[str]) -> tuple[Recipe, Objects]:
    """Return the recipe that the command line `overrides` describes, and its parts that need no data.

    With `init`, the recipe takes settings of that checkpoint (`with_checkpoint_settings`). Raises the UserErrors of
    `nmt.build.build_objects`, and for a checkpoint that cannot be read.
    """
    from nmt.build import build_objects
    from nmt.training.warm_start import initial_checkpoint  # here, because importing torch takes seconds

    if recipe.settings.init is not None:
        from nmt.checkpoint import load

        plain = with_checkpoint_settings(recipe.plain, load(initial_checkpoint(recipe.settings)).config, overrides)
        recipe = replace(recipe, plain=plain)
    return recipe, build_objects(recipe.settings)


def train(
    recipe: Recipe,
    objects: Objects | None = None,
    *,
    resume: bool = False,
    prefix: str = "",
    threads: int | None = None,
) -> None:
    """Train a run, and say at the end how an unfinished run can be used.

    The arguments are those of `nmt.training.run.train`. Every line on the terminal begins with `prefix`. `threads`
    limits the threads that the training uses.
    """
    from torch import OutOfMemoryError

    from nmt.system import process
    from nmt.training import run
    from nmt.training.callbacks.resuming import Interrupted
    from nmt.training.module import Diverged

    log = RunLog(prefix, quiet=place_of_process().rank > 0)
    folder, again = recipe.folder, f"python train.py resume={recipe.folder}"
    try:
        if threads is not None:
            process.limit_threads(threads)
        run.train(recipe, objects, resume=resume, begin=log.begin)
    except Interrupted as stop:
        if last_checkpoint(log.folder or folder).is_file():
            logger.info(f"to continue this run: {again}")
        raise SystemExit(128 + stop.number) from stop
    except (UserError, OSError, OutOfMemoryError) as error:
        folder = log.folder or folder
        if isinstance(error, Diverged):  # it would diverge again
            if best_checkpoint(folder).is_file():
                logger.info(f"{best_checkpoint(folder)} can be used; init={folder} starts a new run from it")
        elif last_checkpoint(folder).is_file() and not (folder / METRICS).is_file():
            logger.info(f"to continue this run when the error below is solved: {again}")
        if isinstance(error, OutOfMemoryError):
            data = recipe.settings.data
            raise UserError(
                f"data.batch_tokens: got {data.batch_tokens} (and data.eval_batch_tokens={data.eval_batch_tokens} in "
                f"validation), for which the device's memory is too small ({str(error).partition('.')[0]}); use fewer, "
                "or a smaller model"
            ) from error
        raise
    finally:
        log.close()
