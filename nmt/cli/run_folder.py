"""The folder of a run: free, locked while the run is trained, and known to all its processes.

The first process writes the files and the messages.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from nmt.cli.processes import STARTED, device_count
from nmt.config.recipe import BFLOAT16, FLOAT32, Recipe
from nmt.config.settings import TrainerConfig
from nmt.errors import UserError
from nmt.system.atomic import remove_unfinished, try_lock, write_atomically
from nmt.system.launch import launch
from nmt.system.run_files import (
    ATTENTION,
    CHECKPOINTS,
    CONFIG,
    LOG,
    METRICS,
    TRANSLATIONS,
    best_checkpoint,
    checkpoint_folder,
    event_files,
    has_weights,
    last_checkpoint,
    require_no_link,
)

WRITTEN = (LOG, CHECKPOINTS, ATTENTION, TRANSLATIONS)  # a file that grows, and folders
_MARKS = (CONFIG, LOG, CHECKPOINTS, METRICS)  # a folder that has one of these holds a run


def check_free(recipe: Recipe, key: str) -> None:
    """Raise UserError if the folder of `recipe`, named by the setting `key`, holds another run or trained weights.

    A run with the same settings that was killed before its first checkpoint does not count.
    """
    folder = recipe.folder
    try:
        found = [] if _left_behind(recipe) else [name for name in _MARKS if (folder / name).exists()]
        instead = _instead(folder) if METRICS not in found else ""
    except OSError as error:
        raise _unusable(folder, key, error) from error
    if found:
        raise UserError(f"{key}: {folder} already holds a run ({found[0]}); name another folder{instead}")


def _instead(folder: Path) -> str:
    """Return how an unfinished run in `folder` can be used, as the end of a sentence."""
    if last_checkpoint(folder).exists():
        return f", or continue that run: resume={folder}"
    return f"; there, init={folder} starts from the weights of that run" if best_checkpoint(folder).exists() else ""


def _left_behind(recipe: Recipe) -> bool:
    """Return whether the folder has only the files of this run from before its first checkpoint.

    The log comes first and is empty until config.yaml is written.
    """
    config, log = recipe.folder / CONFIG, recipe.folder / LOG
    if (recipe.folder / METRICS).exists() or has_weights(recipe.folder):
        return False
    if config.exists():
        precision = recipe.plain["trainer"]["precision"]
        choices = (FLOAT32, BFLOAT16) if precision == "auto" else (precision,)  # the file has what auto has chosen
        return config.read_bytes() in [recipe.with_precision(each).to_yaml().encode() for each in choices]
    return log.exists() and log.stat().st_size == 0


@contextmanager
def claimed(recipe: Recipe, key: str) -> Iterator[None]:
    """Make the run's folder, lock it during the block, and write a complete config.yaml into it.

    `key` is the setting that names the folder. After a UserError, an OSError or Ctrl-C, files written before the first
    checkpoint are removed, and the folder too if it was made here, so that the corrected command can be given again.
    Raises UserError if the folder cannot be used or another run has it.
    """
    folder = recipe.folder
    with ExitStack() as stack:
        try:
            existed = folder.exists()
            folder.mkdir(parents=True, exist_ok=True)
            stack.enter_context(locked(folder))
            check_free(recipe, key)
            others = event_files(folder)
            if (folder / CONFIG).exists():  # of this run, which was killed before its first checkpoint
                begun = (folder / CONFIG).stat().st_mtime_ns
                killed = {path for path in others if path.stat().st_mtime_ns >= begun}
                for path in killed:
                    path.unlink()
                others -= killed
            write_atomically(folder / CONFIG, recipe.to_yaml().encode())
        except OSError as error:
            raise _unusable(folder, key, error) from error
        try:
            yield
        except (UserError, OSError, KeyboardInterrupt):
            _tidy(folder, existed, others)
            raise


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Lock a run's folder for this process, and remove the partial files of killed writes.

    Raises UserError if it is locked already, and for a link in it that the training would follow when it writes.
    """
    for name in WRITTEN:
        require_no_link(folder / name)
    with (folder / LOG).open("ab") as file:
        if try_lock(file) is False:
            raise UserError(f"{folder}: another process is training this run; wait until it has ended")
        for place in (folder, *(folder / name for name in WRITTEN)):
            remove_unfinished(place)
        yield


def _unusable(folder: Path, key: str, error: OSError) -> UserError:
    return UserError(f"{key}: {folder} cannot be used ({error.strerror or error}); name another folder")


def _tidy(folder: Path, existed: bool, others: set[Path]) -> None:
    """Remove the files of a run that has not saved a checkpoint, but not the files of TensorBoard in `others`."""
    if has_weights(folder):
        return
    with suppress(OSError):
        checkpoint_folder(folder).rmdir()
    # A log without config.yaml would be from another program.
    for path in (*event_files(folder) - others, folder / LOG, folder / CONFIG):
        path.unlink(missing_ok=True)
    if not existed and not any(folder.iterdir()):
        folder.rmdir()


# The processes of a run


def is_first_process() -> bool:
    """Return whether this is the first process of a run, which writes the files and the messages."""
    return launch().rank == 0


def agreed(recipe: Recipe, key: str) -> Recipe:
    """Return the recipe with the folder that the first process has chosen: its name may hold the time.

    `key` is the setting that names the folder. Raises UserError in the first process if the folder is not free.
    """
    if is_first_process():
        check_free(recipe, key)
    if launch().several:
        from nmt.training.processes import from_first_process  # here, because importing torch takes seconds

        return replace(recipe, folder=Path(from_first_process(str(recipe.folder))))
    return recipe


def check_start(trainer: TrainerConfig) -> None:
    """Raise UserError if the settings of a run, or an unknown launcher, contradict the way in which it was started."""
    started = launch()
    if started.several:
        if trainer.devices not in (1, "auto", -1) and device_count(trainer) != started.local_size:
            raise UserError(
                f"trainer.devices: got {trainer.devices}, but {started.launcher} has started {started.local_size} "
                "processes on each node, each for one device; set trainer.devices=auto"
            )
        if isinstance(trainer.devices, list) and trainer.accelerator != "cpu" and STARTED not in os.environ:
            raise UserError(
                f"trainer.devices: got {trainer.devices}, but {started.launcher} gives each process the GPU of its "
                f"number; set trainer.devices=auto, and CUDA_VISIBLE_DEVICES={','.join(map(str, trainer.devices))}"
            )
        return
    size = os.environ.get("WORLD_SIZE", "1")
    if size != "1" and "TORCHELASTIC_RUN_ID" not in os.environ:
        raise UserError(
            f"WORLD_SIZE={size}: an unknown launcher has started this program several times; start it with torchrun or "
            "srun, or once, with python train.py trainer.devices=N, and it starts the other processes"
        )
    if started.launcher is not None and trainer.strategy == "ddp":
        raise UserError(
            f"trainer.strategy: got ddp, but {started.launcher} has started one process; set trainer.strategy=auto"
        )
