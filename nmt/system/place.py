"""The place of this process among those that torchrun or srun (of SLURM) has started."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePath

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
    restarts: int = 0  # how often torchrun has started all processes again, because one has failed

    @property
    def several(self) -> bool:
        """Whether several processes train one run."""
        return self.size > 1


def place_of_process() -> Place:
    """Return the place that the environment variables of torchrun or of a step of srun give.

    Raises UserError for an unknown launcher, and if the number of processes differs from node to node.
    """
    if "TORCHELASTIC_RUN_ID" in os.environ:
        names = ["RANK", "WORLD_SIZE", "LOCAL_RANK", "LOCAL_WORLD_SIZE", "TORCHELASTIC_RESTART_COUNT"]
        place = Place("torchrun", *(int(os.environ.get(name, "0")) for name in names))
    elif os.environ.get("SLURM_STEP_NUM_TASKS", "1") != "1":  # only srun sets the number of tasks of a step
        if "SLURM_NTASKS_PER_NODE" not in os.environ:
            raise UserError("srun: the number of tasks on each node is not given; add --ntasks-per-node to the job")
        names = ["SLURM_PROCID", "SLURM_STEP_NUM_TASKS", "SLURM_LOCALID", "SLURM_NTASKS_PER_NODE"]
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


def start_of_run() -> datetime:
    """Return the present time. If torchrun has started the processes, return the time of the first of its attempts.

    Each attempt has a folder. TORCHELASTIC_ERROR_FILE is in it, such as attempt_1/0/error.json of the first process.
    """
    first = Path(os.path.normpath(os.environ.get("TORCHELASTIC_ERROR_FILE", "") + "/../../../attempt_0"))
    return datetime.fromtimestamp(first.stat().st_mtime) if first.is_dir() else datetime.now()


def own_cores() -> int:
    """Return the number of cores on which this process may run, perhaps only for a share of the time."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def usable_cores(system: Path = Path("/")) -> int:
    """Return how many threads can compute all the time, given the cores and the quotas of this process.

    `system` is the folder with /proc and /sys.
    """
    return max(1, int(min([own_cores(), *_quotas(system)])))


def _quotas(system: Path) -> Iterator[float]:
    """Yield how many cores each control group of this process may use, if it has a limit; see cgroups(7).

    In a container, the path of a group may be its path on the host. Then only the last of the folders exists, that of
    the container.
    """
    for line in _text(system / "proc/self/cgroup").splitlines():
        path = PurePath(line.split(":", 2)[2].lstrip("/"))
        for group in (path, *path.parents):
            quota, period, *_ = (*_text(system / "sys/fs/cgroup" / group / "cpu.max").split(), "", "")
            if quota.isdecimal() and period.isdecimal():  # "max": no limit
                yield int(quota) / int(period)


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8", errors="replace")
    except OSError:
        return ""
