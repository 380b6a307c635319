"""The place of this process among those that torchrun, or srun of SLURM, has started together."""

from __future__ import annotations

import os
from dataclasses import dataclass

from nmt.errors import UserError


@dataclass(frozen=True)
class Place:
    """The place of this process among those that were started together.

    `rank` is its number among `size` processes, and `local_rank` its number among the `local_size` processes of its
    node. `launcher` is "torchrun" or "srun", or None if the process was started alone.
    """

    launcher: str | None = None
    rank: int = 0
    size: int = 1
    local_rank: int = 0
    local_size: int = 1

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return self.size // self.local_size

    @property
    def several(self) -> bool:
        """Whether several processes train one run."""
        return self.size > 1


def place_of_process() -> Place:
    """Return the place that the environment variables of torchrun or of a step of srun give.

    Raises UserError for an unknown launcher, and if the number of processes differs from node to node.
    """
    if "TORCHELASTIC_RUN_ID" in os.environ:
        names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE")
        place = Place("torchrun", *(int(os.environ[name]) for name in names))
    elif os.environ.get("SLURM_STEP_NUM_TASKS", "1") != "1":  # only srun sets the number of tasks of a step
        if "SLURM_NTASKS_PER_NODE" not in os.environ:
            raise UserError("srun: the number of tasks on each node is not given; add --ntasks-per-node to the job")
        names = ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE")
        place = Place("srun", *(int(os.environ[name]) for name in names))
    elif os.environ.get("WORLD_SIZE", "1") != "1":
        raise UserError(f"WORLD_SIZE={os.environ['WORLD_SIZE']}: got an unknown launcher; start with torchrun or srun")
    else:
        place = Place()
    if place.size % place.local_size:
        raise UserError(
            f"{place.launcher}: got {place.size} processes, {place.local_size} on a node, expected as many on each node"
        )
    return place
