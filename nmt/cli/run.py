"""One training run as the programs execute it: in its folder, with its log, and with a message at its end."""

from __future__ import annotations

import logging

from nmt.cli.command import command, resuming
from nmt.cli.log import WHOLE, logged
from nmt.cli.processes import is_first_process
from nmt.cli.run_folder import claimed, locked
from nmt.config.recipe import Recipe
from nmt.errors import UserError
from nmt.system.run_files import LOG, METRICS, best_checkpoint, last_checkpoint
from nmt.training.interruption import Interrupted, stopped_by_signals

logger = logging.getLogger(__name__)


def start(
    recipe: Recipe,
    key: str,
    *,
    existed: bool,
    program: str | None = None,
    prefix: str = "",
    threads: int | None = None,
) -> None:
    """Train a new run in its own folder.

    `key` is the setting that names the folder, for messages. `existed` tells whether the folder was there before.
    `program` is the path of the program in the command that continues the run, by default the one that runs. Every line
    on the terminal begins with `prefix`. `threads` limits the threads that the training uses.
    """
    with stopped_by_signals(), claimed(recipe, key, existed=existed):
        _execute(recipe, program=program, resume=False, prefix=prefix, threads=threads)


def resume(recipe: Recipe, *, program: str | None = None) -> None:
    """Continue the run in the recipe's folder from its last.ckpt. For `program` see `start`."""
    with stopped_by_signals(), locked(recipe.folder):
        _execute(recipe, program=program, resume=True)


def _execute(
    recipe: Recipe, *, program: str | None, resume: bool, prefix: str = "", threads: int | None = None
) -> None:
    with logged(recipe.folder / LOG, prefix=prefix):
        from torch import OutOfMemoryError

        from nmt.system import process
        from nmt.training.run import train

        if threads is not None:
            process.limit_threads(threads)
            logger.info(f"threads: {threads}, this job's share of the machine")
        again = command(*resuming(recipe), program=program)
        try:
            train(recipe, resume=resume)
        except Interrupted as stop:
            logger.info(f"to continue this run: {again}", extra=WHOLE)
            # If another process ends with a status other than 0, Lightning kills the first one before it has printed.
            raise SystemExit(128 + stop.number if is_first_process() else 0) from stop
        except (UserError, OSError, OutOfMemoryError) as error:
            if last_checkpoint(recipe.folder).is_file() and not (recipe.folder / METRICS).is_file():
                logger.info(f"to continue this run when the error below is solved: {again}", extra=WHOLE)
            elif (best := best_checkpoint(recipe.folder)).is_file() and not resume:
                logger.info(f"{best} can be used; init={recipe.folder} starts a new run from it, in another folder")
            if not isinstance(error, OutOfMemoryError):
                raise
            data = recipe.settings.data
            raise UserError(
                f"data.batch_tokens: got {data.batch_tokens} (and data.eval_batch_tokens={data.eval_batch_tokens} in "
                f"validation), for which the device's memory is too small ({str(error).partition('.')[0]}); use fewer, "
                "or a smaller model"
            ) from error
