"""How the processes of a program were started: one by hand, or several by torchrun or by srun of SLURM."""

from __future__ import annotations

import os
from dataclasses import dataclass

from nmt.errors import UserError

WITHOUT_TASKS = ("bash", "interactive")  # names of SLURM jobs in which Lightning ignores SLURM


@dataclass(frozen=True)
class Launch:
    """The place of this process among those that were started together.

    `rank` is its number among `size` processes, and `local_rank` its number among the `local_size` processes of its
    node, which has the number `node`. `launcher` is "torchrun" or "srun", or None if a person or Lightning has started
    the process.
    """

    launcher: str | None = None
    rank: int = 0
    size: int = 1
    local_rank: int = 0
    local_size: int = 1
    node: int = 0

    @property
    def nodes(self) -> int:
        """The number of nodes."""
        return self.size // self.local_size

    @property
    def several(self) -> bool:
        """Whether a launcher has started several processes."""
        return self.size > 1


def launch() -> Launch:
    """Return what the environment variables say, as Lightning reads them.

    Raises UserError if the number of processes differs from node to node, which Lightning cannot use, and in a job of
    several tasks for a process that srun has not started.
    """
    if (found := _by_torchrun()) is not None:
        return _even(found, "--nproc-per-node")
    if "SLURM_NTASKS" in os.environ and os.environ.get("SLURM_JOB_NAME") not in WITHOUT_TASKS:
        size, each = os.environ["SLURM_NTASKS"], os.environ.get("SLURM_NTASKS_PER_NODE")
        if size == "1":
            return Launch("srun")
        if each is None:
            raise UserError(
                f"SLURM_NTASKS={size}: the number of tasks on each node is not given; add --ntasks-per-node to the "
                "options of the job. If the job runs only one process, use --ntasks=1"
            )
        if "SLURM_PROCID" not in os.environ:  # the shell of salloc, for example, has the variables of the job only
            raise UserError(
                f"SLURM_NTASKS={size}: got no SLURM_PROCID, so srun has not started this process; start it with srun, "
                "or set SLURM_JOB_NAME=interactive to run one process"
            )
        rank, local_rank, node = (int(os.environ[f"SLURM_{name}"]) for name in ("PROCID", "LOCALID", "NODEID"))
        return _even(Launch("srun", rank, int(size), local_rank, int(each), node), "--ntasks-per-node")
    return Launch()


def independent_launch() -> Launch:
    """Return the place of a process that needs no other one, so any number of processes may be on each node.

    With srun, only `rank`, `size` and `local_rank` are known. A batch script of SLURM that asks for tasks is not one of
    them: only srun sets the number of tasks of a step.
    """
    if (found := _by_torchrun()) is not None:
        return found
    if "SLURM_STEP_NUM_TASKS" in os.environ:
        return Launch("srun", *(int(os.environ[f"SLURM_{name}"]) for name in ("PROCID", "STEP_NUM_TASKS", "LOCALID")))
    return Launch()


def _by_torchrun() -> Launch | None:
    if "TORCHELASTIC_RUN_ID" not in os.environ:
        return None
    names = ("RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK")
    return Launch("torchrun", *(int(os.environ[name]) for name in names))


def _even(found: Launch, option: str) -> Launch:
    if found.size % found.local_size:
        raise UserError(
            f"{option}={found.local_size}: got {found.size} processes, expected the same number on each node; start "
            f"a multiple of {found.local_size}"
        )
    return found
