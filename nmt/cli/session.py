"""One training run as the programs execute it: a checked recipe, its folder, its log, and a message at its end."""

from __future__ import annotations

import logging
import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from nmt.cli.output import logged
from nmt.cli.processes import STARTED
from nmt.cli.run_folder import claimed, is_first_process, locked
from nmt.config.compose import with_checkpoint_settings
from nmt.config.recipe import Recipe
from nmt.errors import UserError
from nmt.system.launch import launch
from nmt.system.run_files import LOG, METRICS, best_checkpoint, last_checkpoint
from nmt.training.interruption import Interrupted, stopped_by_signals

if TYPE_CHECKING:
    from nmt.preflight import Components

CHECKOUT = Path(__file__).resolve().parents[2]
logger = logging.getLogger(__name__)


def checked_recipe(recipe: Recipe, overrides: Sequence[str]) -> tuple[Recipe, Components]:
    """Return the recipe that the command line `overrides` describes, and its parts that need no data.

    With `init`, the recipe takes settings of that checkpoint (`with_checkpoint_settings`). Raises the UserErrors of
    `nmt.preflight.build_components`, and for a checkpoint that cannot be read.
    """
    from nmt.preflight import build_components, initial_checkpoint  # here, because importing torch takes seconds

    if recipe.settings.init is not None:
        from nmt.checkpoint import load

        plain = with_checkpoint_settings(recipe.plain, load(initial_checkpoint(recipe.settings)).config, overrides)
        recipe = replace(recipe, plain=plain)
    return recipe, build_components(recipe.settings)


def train(
    recipe: Recipe,
    components: Components | None = None,
    *,
    key: str | None = None,
    prefix: str = "",
    threads: int | None = None,
) -> None:
    """Train a run in the recipe's folder.

    `key` is the setting that names the folder of a new run, for messages. If it is None, the run in the folder goes on
    from its last.ckpt. `components` are those of `nmt.preflight.build_components`, or None to build them here. Every
    line on the terminal begins with `prefix`. `threads` limits the threads that the training uses.
    """
    from nmt.system import process
    from nmt.training.precision import decided
    from nmt.training.processes import on_lost

    recipe, precision = decided(recipe)
    first = is_first_process()
    folder = locked(recipe.folder) if key is None else claimed(recipe, key)
    log = recipe.folder / LOG if first else None
    with stopped_by_signals(), folder if first else nullcontext(), logged(log, prefix=prefix):
        if first:
            on_lost(lambda message: _report_lost_process(recipe, message))
        if threads is not None:
            process.limit_threads(threads)
            logger.info(f"threads: {threads}, this job's share of the machine")
        if precision is not None:
            logger.info(precision)
        _train(recipe, components, resume=key is None)


def _train(recipe: Recipe, components: Components | None, *, resume: bool) -> None:
    """Train, and say at the end how an unfinished run can be used."""
    from torch import OutOfMemoryError

    from nmt.training import run
    from nmt.training.module import Diverged

    try:
        run.train(recipe, components, resume=resume)
    except Interrupted as stop:
        logger.info(f"to continue this run: {resume_command(recipe)}")
        # If another process ends with a status other than 0, Lightning kills the first one before it has printed.
        raise SystemExit(128 + stop.number if is_first_process() else 0) from stop
    except (UserError, OSError, OutOfMemoryError) as error:
        unfinished = last_checkpoint(recipe.folder).is_file() and not (recipe.folder / METRICS).is_file()
        if unfinished and not isinstance(error, Diverged):  # it would diverge again
            again = resume_command(recipe)
            logger.info(f"to continue this run when the error below is solved: {again}")
        elif (best := best_checkpoint(recipe.folder)).is_file() and (not resume or isinstance(error, Diverged)):
            logger.info(f"{best} can be used; init={recipe.folder} starts a new run from it, in another folder")
        if not isinstance(error, OutOfMemoryError):
            raise
        data = recipe.settings.data
        raise UserError(
            f"data.batch_tokens: got {data.batch_tokens} (and data.eval_batch_tokens={data.eval_batch_tokens} in "
            f"validation), for which the device's memory is too small ({str(error).partition('.')[0]}); use fewer, "
            "or a smaller model"
        ) from error


def _report_lost_process(recipe: Recipe, error: str) -> None:
    """Report the error that ends this process from outside, while an operation keeps it."""
    if last_checkpoint(recipe.folder).is_file():
        logger.info(f"to continue this run when the error below is solved: {resume_command(recipe)}")
    logger.error(f"error: {error}")


# Commands that a person types


def resume_command(recipe: Recipe) -> str:
    """Return the shell command that continues a run with as many processes as now, started by the same launcher.

    It repeats `allow`, because a config.yaml is not trusted. For torchrun on several nodes, "..." stands for the
    options that differ from node to node. srun has its options from the job.
    """
    allow, place = recipe.settings.allow, launch()
    arguments = [f"resume={recipe.folder}", *([f"allow=[{','.join(allow)}]"] if allow else [])]
    if not place.several or STARTED in os.environ:
        return train_command(*arguments)
    if place.launcher == "srun":
        return f"srun {train_command(*arguments)}"
    nodes = f"--nnodes={place.nodes} ... " if place.nodes > 1 else ""
    return f"torchrun {nodes}--nproc-per-node={place.local_size} {shlex.join([train_path(), *arguments])}"


def train_command(*arguments: str) -> str:
    """Return the shell command that starts train.py with `arguments`, from a checkout or as installed."""
    path = train_path()
    if Path(path).suffix == ".py":
        return shlex.join([_short(sys.executable, "python"), path, *arguments])
    return shlex.join([_short(path, Path(path).stem), *arguments])


def train_path() -> str:
    """Return the path of train.py, or of nmt-train, also if another program trains, such as the demo."""
    if Path(sys.argv[0]).stem in ("train", "nmt-train"):
        return sys.argv[0]
    if (CHECKOUT / "train.py").is_file():
        return os.path.relpath(CHECKOUT / "train.py")
    return str(Path(sys.argv[0]).with_name("nmt-train"))  # the programs are installed in one folder


def _short(path: str, name: str) -> str:
    """Return `name` if the shell finds it in the folder that the program at `path` lies in, else `path`."""
    found = shutil.which(name)
    return name if found and Path(found).parent == Path(path).absolute().parent else path
