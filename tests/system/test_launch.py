"""The place of a process among those that torchrun or srun has started, read as Lightning reads it."""

from __future__ import annotations

from collections.abc import Mapping

import pytest
from lightning_fabric.plugins.environments import SLURMEnvironment, TorchElasticEnvironment

from nmt.errors import UserError
from nmt.system.launch import Launch, launch


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
)
def test_one_process_is_not_several(environment: Mapping[str, str]) -> None:
    found = launch(environment)
    assert not found.several and found.rank == 0 and found.nodes == 1


@pytest.mark.parametrize(
    ("environment", "message"),
    [
        ({"SLURM_NTASKS": "4", "SLURM_PROCID": "0"}, "^SLURM_NTASKS=4: .* add --ntasks-per-node"),
        ({**srun(0, 1, 2), "SLURM_NTASKS": "3"}, "^--ntasks-per-node=2: got 3 processes"),
        ({**torchrun(0, 1, 2), "WORLD_SIZE": "5"}, "^--nproc-per-node=2: got 5 processes"),
    ],
)
def test_other_numbers_on_each_node_are_refused(environment: Mapping[str, str], message: str) -> None:
    with pytest.raises(UserError, match=message):
        launch(environment)
