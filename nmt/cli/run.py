"""One training run as the programs execute it: in its folder, with its log, its end told in plain words."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Any, Protocol

from nmt.cli.command import command
from nmt.cli.log import logged, process_rank
from nmt.cli.run_folder import LAST, LOG, claimed, locked
from nmt.config.recipe import Recipe
from nmt.errors import UserError

logger = logging.getLogger(__name__)


class Train(Protocol):
    """What trains a recipe: `nmt.training.run.train`."""

    def __call__(self, recipe: Recipe, *, resume: bool = False) -> Mapping[str, Any]:
        """Train, or continue a run that was stopped, and return its metrics."""


def start(
    recipe: Recipe,
    key: str,
    *,
    existed: bool,
    train: Train | None = None,
    program: str | None = None,
    prefix: str = "",
    threads: int | None = None,
) -> None:
    """Train a new run in its own folder, which the setting `key` names and which may have `existed` before.

    `train` is `nmt.training.run.train` by default. `program` is what messages tell the user to start again. Every line
    on the terminal begins with `prefix`; `threads` limits the threads that the training uses.
    """
    with claimed(recipe, key, existed=existed):
        _execute(recipe, train, program=program, resume=False, prefix=prefix, threads=threads)


def resume(recipe: Recipe, *, train: Train | None = None, program: str | None = None) -> None:
    """Continue the run in the recipe's folder from its last.ckpt."""
    with locked(recipe.folder):
        _execute(recipe, train, program=program, resume=True)


def _execute(
    recipe: Recipe,
    train: Train | None,
    *,
    program: str | None,
    resume: bool,
    prefix: str = "",
    threads: int | None = None,
) -> None:
    with logged(recipe.folder / LOG, prefix=prefix):
        from torch import OutOfMemoryError

        from nmt import process
        from nmt.training.interruption import Interrupted

        if threads is not None:
            process.limit_threads(threads)
            logger.info(f"threads: {threads}, this job's share of the machine")
        again = command(f"resume={recipe.folder}", program=program)
        try:
            (train or _training())(recipe, resume=resume)
        except Interrupted as stop:
            logger.info(f"to continue this run: {again}")
            # If another process ends with a status other than 0, Lightning kills the first one before it has printed.
            raise SystemExit(128 + stop.number if process_rank() == 0 else 0) from stop
        except OSError:
            if (recipe.folder / LAST).is_file():
                logger.info(f"to continue this run when the error below is solved: {again}")
            raise
        except OutOfMemoryError as error:
            batch_tokens = recipe.settings.data.batch_tokens
            raise UserError(
                f"data.batch_tokens: got {batch_tokens}, for which the device's memory is too small "
                f"({str(error).partition('.')[0]}); use fewer, or a smaller model"
            ) from error


def _training() -> Train:
    from nmt.training.run import train

    return train
