"""The launchers torchrun and srun, which start a program several times, with one place for each process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Place:
    """The place of a process among those that a launcher has started together.

    `rank` counts all of them from 0, and `local_rank` those on this machine. `launcher` is a name for messages.
    """

    launcher: str
    rank: int
    count: int
    local_rank: int


def launched(environment: Mapping[str, str]) -> Place | None:
    """Return the place that a launcher has written into the environment of its process; None without a launcher.

    SLURM describes a batch script in almost the same words as a task, but only srun sets the number of tasks of a step.
    torchrun may be a task of srun, so its variables come first.
    """
    for launcher, names in (
        ("torchrun", ("RANK", "WORLD_SIZE", "LOCAL_RANK")),
        ("srun", ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID")),
    ):
        if all(name in environment for name in names):
            return Place(launcher, *(int(environment[name]) for name in names))
    return None
