"""The place of a process among those that torchrun or srun has started, read as Lightning reads it."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path

import pytest
import torch
from lightning_fabric.plugins.environments import SLURMEnvironment, TorchElasticEnvironment

from nmt.errors import UserError
from nmt.system import process
from nmt.system.launch import Launch, independent_launch, launch


@pytest.fixture
def environment(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Set the environment variables of the parameter; no launcher has set others."""
    for name, value in request.param.items():
        monkeypatch.setenv(name, value)


def torchrun(rank: int, nodes: int, each: int) -> dict[str, str]:
    numbers = {
        "RANK": rank,
        "WORLD_SIZE": nodes * each,
        "LOCAL_RANK": rank % each,
        "LOCAL_WORLD_SIZE": each,
        "GROUP_RANK": rank // each,
    }
    return {"TORCHELASTIC_RUN_ID": "none", **{name: str(number) for name, number in numbers.items()}}


def srun(rank: int, nodes: int, each: int) -> dict[str, str]:
    numbers = {
        "NTASKS": nodes * each,
        "NTASKS_PER_NODE": each,
        "PROCID": rank,
        "LOCALID": rank % each,
        "NODEID": rank // each,
    }
    return {"SLURM_JOB_NAME": "train", **{f"SLURM_{name}": str(number) for name, number in numbers.items()}}


@pytest.mark.parametrize(
    ("variables", "lightning"),
    [(torchrun, TorchElasticEnvironment), (srun, SLURMEnvironment)],
    ids=["torchrun", "srun"],
)
@pytest.mark.parametrize(("nodes", "each"), [(1, 2), (3, 1), (2, 4)])
def test_numbers_are_those_of_lightning(monkeypatch: pytest.MonkeyPatch, variables, lightning, nodes, each) -> None:
    for rank in range(nodes * each):
        with monkeypatch.context() as patch:
            for name, value in variables(rank, nodes, each).items():
                patch.setenv(name, value)
            found, environment = launch(), lightning()
            assert found == Launch(variables.__name__, rank, nodes * each, rank % each, each, rank // each)
            assert found.several and found.nodes == nodes
            assert (found.rank, found.size) == (environment.global_rank(), environment.world_size())
            assert (found.local_rank, found.node) == (environment.local_rank(), environment.node_rank())


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"RANK": "1", "LOCAL_RANK": "1", "WORLD_SIZE": "2"},  # as in a process that Lightning has started
        {"SLURM_NTASKS": "1", "SLURM_NTASKS_PER_NODE": "4"},  # srun -n1 in a larger job
        {**srun(1, 1, 2), "SLURM_JOB_NAME": "bash"},  # Lightning ignores the tasks of an interactive job
        torchrun(0, 1, 1),
    ],
    indirect=True,
)
@pytest.mark.usefixtures("environment")
def test_one_process_is_not_several() -> None:
    found = launch()
    assert not found.several and found.rank == 0 and found.nodes == 1


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"SLURM_NTASKS": "4", "SLURM_PROCID": "0"}, "^SLURM_NTASKS=4: .* add --ntasks-per-node"),
        ({**srun(0, 1, 2), "SLURM_NTASKS": "3"}, "^--ntasks-per-node=2: got 3 processes"),
        ({**torchrun(0, 1, 2), "WORLD_SIZE": "5"}, "^--nproc-per-node=2: got 5 processes"),
    ],
    indirect=["environment"],
)
@pytest.mark.usefixtures("environment")
def test_other_numbers_on_each_node_are_refused(message: str) -> None:
    with pytest.raises(UserError, match=message):
        launch()


@pytest.mark.parametrize(
    "environment", [{"SLURM_JOB_NAME": "mine", "SLURM_NTASKS": "2", "SLURM_NTASKS_PER_NODE": "2"}], indirect=True
)
@pytest.mark.usefixtures("environment")
def test_process_that_srun_has_not_started_is_refused_and_its_remedy_works(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match=r"^SLURM_NTASKS=2: .* set SLURM_JOB_NAME=interactive"):
        launch()
    monkeypatch.setenv("SLURM_JOB_NAME", "interactive")
    assert launch() == Launch()


STEP = {"SLURM_PROCID": "3", "SLURM_LOCALID": "1", "SLURM_NTASKS": "7", "SLURM_STEP_NUM_TASKS": "5"}


@pytest.mark.parametrize(
    ("environment", "place"),
    [
        ({}, Launch()),
        ({"RANK": "1", "LOCAL_RANK": "1", "WORLD_SIZE": "2"}, Launch()),
        ({**torchrun(5, 2, 4), "WORLD_SIZE": "7"}, Launch("torchrun", 5, 7, 1, 4, 1)),
        (STEP, Launch("srun", 3, 5, 1)),
        ({**STEP, **torchrun(5, 2, 4)}, Launch("torchrun", 5, 8, 1, 4, 1)),  # torchrun is a task of srun
        ({"SLURM_NTASKS": "4", "SLURM_PROCID": "0", "SLURM_LOCALID": "0"}, Launch()),  # a batch script
    ],
    indirect=["environment"],
)
@pytest.mark.usefixtures("environment")
def test_place_of_an_independent_process(place: Launch) -> None:
    assert independent_launch() == place


@pytest.mark.parametrize(
    ("local_size", "set_by", "threads"),
    [(4, "1", [4]), (4, "2", []), (64, "1", [1]), (1, "1", []), (4, None, [])],
)
def test_share_of_the_cores(
    monkeypatch: pytest.MonkeyPatch, local_size: int, set_by: str | None, threads: list[int]
) -> None:
    given: list[int] = []
    monkeypatch.setattr(process, "usable_cores", lambda: 18)
    monkeypatch.setattr(os, "getppid", lambda: 0)  # no process, so nothing is known of its environment
    monkeypatch.setattr(torch, "set_num_threads", given.append)
    monkeypatch.setenv("OMP_NUM_THREADS", set_by or "")
    process.share_machine(Launch("torchrun", 0, 64, 0, local_size))
    assert given == threads


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="only Linux tells what the launcher was given")
@pytest.mark.parametrize(
    ("launcher", "given", "threads"),
    [("torchrun", {}, [4]), ("torchrun", {"OMP_NUM_THREADS": "1"}, []), ("srun", {}, [])],
)
def test_threads_that_the_user_has_set_are_kept(
    monkeypatch: pytest.MonkeyPatch, launcher: str, given: Mapping[str, str], threads: list[int]
) -> None:
    """torchrun sets one thread for its processes too, and only its own environment tells whether the user has."""
    found: list[int] = []
    monkeypatch.setattr(process, "usable_cores", lambda: 8)
    monkeypatch.setattr(torch, "set_num_threads", found.append)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    with subprocess.Popen(["sleep", "60"], env={"PATH": os.environ["PATH"], **given}) as started:
        while not Path(f"/proc/{started.pid}/environ").read_bytes():
            time.sleep(0.001)  # a program that has just begun has no environment yet
        monkeypatch.setattr(os, "getppid", lambda: started.pid)
        process.share_machine(Launch(launcher, 0, 2, 0, 2))
        started.kill()
    assert found == threads


@pytest.mark.parametrize(("count", "gpu"), [(1, 0), (2, 1), (4, 3)])  # a task of srun may see only its own GPU
def test_each_process_has_its_own_gpu(monkeypatch: pytest.MonkeyPatch, count: int, gpu: int) -> None:
    given: list[int] = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    monkeypatch.setattr(torch.cuda, "set_device", given.append)
    process.share_machine(Launch("srun", 3, 8, 3))
    assert given == [gpu]
