"""The place of a process among those of a launcher, read as Lightning reads it; its cores, threads, GPU and start."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from lightning_fabric.plugins.environments import ClusterEnvironment, SLURMEnvironment, TorchElasticEnvironment

from nmt.errors import UserError
from nmt.system import process
from nmt.system.place import Place, place_of_process, start_of_run, usable_cores


def torchrun(rank: int, nodes: int, each: int) -> dict[str, str]:
    numbers = {"RANK": rank, "WORLD_SIZE": nodes * each, "LOCAL_RANK": rank % each, "LOCAL_WORLD_SIZE": each}
    return {"TORCHELASTIC_RUN_ID": "none", **{name: str(number) for name, number in numbers.items()}}


def srun(rank: int, nodes: int, each: int) -> dict[str, str]:
    numbers = {"NTASKS": nodes * each, "STEP_NUM_TASKS": nodes * each, "NTASKS_PER_NODE": each}
    numbers |= {"PROCID": rank, "LOCALID": rank % each, "NODEID": rank // each}
    return {f"SLURM_{name}": str(number) for name, number in numbers.items()}


@pytest.mark.parametrize(
    ("variables", "lightning"),
    [(torchrun, TorchElasticEnvironment), (srun, SLURMEnvironment)],
    ids=["torchrun", "srun"],
)
@pytest.mark.parametrize(("nodes", "each"), [(1, 2), (3, 1), (2, 4)])
def test_numbers_are_those_of_lightning(
    monkeypatch: pytest.MonkeyPatch,
    variables: Callable[[int, int, int], dict[str, str]],
    lightning: type[ClusterEnvironment],
    nodes: int,
    each: int,
) -> None:
    for rank in range(nodes * each):
        with monkeypatch.context() as patch:
            for name, value in variables(rank, nodes, each).items():
                patch.setenv(name, value)
            place, environment = place_of_process(), lightning()
            assert place == Place(variables.__name__, rank, nodes * each, rank % each, each)
            assert place.several
            assert (place.rank, place.size) == (environment.global_rank(), environment.world_size())
            assert place.local_rank == environment.local_rank()


@pytest.mark.parametrize(
    "environment", [{}, {"SLURM_NTASKS": "4", "SLURM_PROCID": "0"}, torchrun(0, 1, 1), srun(0, 1, 1)]
)
def test_one_process_is_not_several(monkeypatch: pytest.MonkeyPatch, environment: dict[str, str]) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    place = place_of_process()
    assert not place.several and place.rank == 0


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({**torchrun(0, 1, 2), "WORLD_SIZE": "5"}, "^torchrun: got 5 processes, 2 on a node"),
        ({"SLURM_STEP_NUM_TASKS": "3"}, "^srun: .* add --ntasks-per-node"),
        ({"WORLD_SIZE": "2"}, "^WORLD_SIZE=2: got an unknown launcher"),
    ],
)
def test_other_numbers_and_launchers_are_refused(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], message: str
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(UserError, match=message):
        place_of_process()


@pytest.mark.parametrize(
    ("environment", "threads"),
    [
        ({}, [6]),
        ({"OMP_NUM_THREADS": "8"}, []),
        ({"SLURM_CPUS_PER_TASK": "5"}, [5]),
        ({"SLURM_CPUS_PER_TASK": "0"}, [6]),
        ({**torchrun(0, 1, 2), "OMP_NUM_THREADS": "1"}, [3]),
        ({**torchrun(0, 1, 64), "OMP_NUM_THREADS": "1"}, [1]),
        ({**torchrun(0, 1, 2), "OMP_NUM_THREADS": "2"}, []),
        ({**torchrun(0, 1, 1), "OMP_NUM_THREADS": "1"}, []),
    ],
)
def test_threads_are_the_share_of_the_cores_unless_the_user_or_slurm_says_more(
    monkeypatch: pytest.MonkeyPatch, environment: dict[str, str], threads: list[int]
) -> None:
    given: list[int] = []
    monkeypatch.setattr(process, "usable_cores", lambda: 6)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 18)
    monkeypatch.setattr(torch, "set_num_threads", given.append)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")  # so that it is restored after the test
    monkeypatch.delenv("OMP_NUM_THREADS")
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    process.speed_up(place_of_process())
    assert given == threads


@pytest.mark.parametrize(("count", "gpu"), [(1, 0), (2, 1), (4, 3)])  # a task of srun may see only its own GPU
def test_each_process_has_its_own_gpu(monkeypatch: pytest.MonkeyPatch, count: int, gpu: int) -> None:
    given: list[int] = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    monkeypatch.setattr(torch.cuda, "set_device", given.append)
    process.take_own_gpu(Place("srun", 3, 8, 3))
    assert given == [gpu]


@pytest.mark.parametrize(
    ("own", "files", "cores"),
    [
        ("0::/", {"cpu.max": "200000 100000"}, 2),
        ("0::/", {"cpu.max": "max 100000"}, 64),
        ("0::/", {"cpu.max": "150000 100000"}, 1),
        ("0::/a.slice/b.scope", {"a.slice/cpu.max": "50000 100000", "a.slice/b.scope/cpu.max": "300000 100000"}, 1),
        ("0::/a.slice/b.scope", {"a.slice/cpu.max": "900000 100000", "a.slice/b.scope/cpu.max": "300000 100000"}, 3),
        ("0::/../../x", {"cpu.max": "200000 50000"}, 4),
        ("", {"cpu.max": "100000 100000"}, 64),
        ("0::/", {"cpu.max": "damaged"}, 64),
    ],
)
def test_a_quota_counts_as_cores(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, own: str, files: dict[str, str], cores: int
) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: range(64), raising=False)
    for name, text in {
        "proc/self/cgroup": own,
        **{f"sys/fs/cgroup/{name}": text for name, text in files.items()},
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, "utf-8")
    assert usable_cores(tmp_path) == cores


def test_processes_that_torchrun_has_started_again_have_the_time_of_the_first_start(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for number in (0, 1):
        (tmp_path / f"attempt_{number}" / "0").mkdir(parents=True)
    os.utime(tmp_path / "attempt_0", (1e9, 1e9))
    now = start_of_run()
    monkeypatch.setenv("TORCHELASTIC_ERROR_FILE", str(tmp_path / "attempt_1" / "0" / "error.json"))
    assert start_of_run().timestamp() == 1e9 and now.timestamp() > 1e9
