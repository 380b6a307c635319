"""The processes of a run: the first one, which a user starts, and the others, which Lightning starts."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nmt.config.settings import TrainerConfig
from nmt.errors import UserError

FOLDER_VARIABLE = "NMT_RUN_FOLDER"  # set by the first process while it trains
WITHOUT_TASKS = ("bash", "interactive")  # names of SLURM jobs in which Lightning ignores SLURM


def is_first_process() -> bool:
    """Return whether this is the first process of a run, which writes the files and the messages."""
    return folder_of_first_process() is None


def folder_of_first_process() -> Path | None:
    """Return the run's folder, which the first process has set; None in the first process itself."""
    folder = os.environ.get(FOLDER_VARIABLE)
    return Path(folder) if folder and os.environ.get("LOCAL_RANK", "0") != "0" else None


@contextmanager
def folder_told(folder: Path) -> Iterator[None]:
    """Tell the run's folder to the processes that Lightning starts during the block."""
    before = os.environ.get(FOLDER_VARIABLE)
    os.environ[FOLDER_VARIABLE] = str(folder)
    try:
        yield
    finally:
        if before is None:
            del os.environ[FOLDER_VARIABLE]
        else:
            os.environ[FOLDER_VARIABLE] = before


def check_start(trainer: TrainerConfig) -> None:
    """Raise UserError if Lightning would expect torchrun or SLURM to start the processes of a run."""
    if not is_first_process():
        return
    size = os.environ.get("WORLD_SIZE", "1")
    if size != "1":
        raise UserError(
            f"WORLD_SIZE={size}: a launcher such as torchrun has started this program several times; start it once, "
            "with python train.py trainer.devices=N, and it starts the other processes"
        )
    tasks, name = os.environ.get("SLURM_NTASKS"), os.environ.get("SLURM_JOB_NAME")
    several = tasks not in (None, "1") or trainer.strategy == "ddp" or several_devices(trainer)
    if tasks is not None and name not in WITHOUT_TASKS and several:
        raise UserError(
            f"SLURM_NTASKS={tasks}: Lightning would take the tasks of SLURM for the processes of one run; start "
            "env -u SLURM_NTASKS -u SLURM_PROCID python train.py, which is one run and starts its other processes"
        )


def several_devices(trainer: TrainerConfig) -> bool:
    """Return whether the settings mean more than one device on this machine, so that Lightning starts processes."""
    if isinstance(trainer.devices, list):
        return len(trainer.devices) > 1
    if trainer.devices not in ("auto", -1):
        return trainer.devices != 1
    if trainer.accelerator in ("cpu", "mps"):
        return False
    import torch

    return torch.cuda.device_count() > 1
