"""What torchrun and srun tell a process about its place, and its share of the cores."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
import torch

from nmt.system import process
from nmt.system.launcher import Place, launched

TORCHRUN = {"RANK": "5", "WORLD_SIZE": "8", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "4"}
BATCH_SCRIPT = {"SLURM_PROCID": "0", "SLURM_NTASKS": "4", "SLURM_LOCALID": "0"}
SRUN = {"SLURM_PROCID": "3", "SLURM_NTASKS": "4", "SLURM_STEP_NUM_TASKS": "4", "SLURM_LOCALID": "1"}


@pytest.mark.parametrize(
    ("environment", "place"),
    [
        ({}, None),
        ({"RANK": "1", "LOCAL_RANK": "1"}, None),
        (TORCHRUN, Place("torchrun", 5, 8, 1)),
        (SRUN, Place("srun", 3, 4, 1)),
        ({**SRUN, **TORCHRUN}, Place("torchrun", 5, 8, 1)),
        (BATCH_SCRIPT, None),
    ],
)
def test_place_of_a_process(environment: Mapping[str, str], place: Place | None) -> None:
    assert launched(environment) == place


@pytest.mark.parametrize(
    ("environment", "threads"),
    [
        ({}, None),
        ({"OMP_NUM_THREADS": "1"}, None),
        ({**TORCHRUN, "OMP_NUM_THREADS": "1"}, 4),
        ({**TORCHRUN, "OMP_NUM_THREADS": "2"}, None),
        ({**TORCHRUN, "LOCAL_WORLD_SIZE": "64", "OMP_NUM_THREADS": "1"}, 1),
        ({**TORCHRUN, "LOCAL_WORLD_SIZE": "1", "OMP_NUM_THREADS": "1"}, None),
    ],
)
def test_share_of_the_cores(
    monkeypatch: pytest.MonkeyPatch, environment: Mapping[str, str], threads: int | None
) -> None:
    given: list[int] = []
    monkeypatch.setattr(process, "usable_cores", lambda: 18)
    monkeypatch.setattr(torch, "set_num_threads", given.append)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    process.share_machine(Place("torchrun", 5, 8, 1), environment)
    assert given == ([] if threads is None else [threads])


@pytest.mark.parametrize(("count", "gpu"), [(1, 0), (2, 1), (4, 3)])  # a task of srun may see only its own GPU
def test_each_process_has_its_own_gpu(monkeypatch: pytest.MonkeyPatch, count: int, gpu: int) -> None:
    given: list[int] = []
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: count)
    monkeypatch.setattr(torch.cuda, "set_device", given.append)
    process.share_machine(Place("srun", 3, 8, 3), {})
    assert given == [gpu]
