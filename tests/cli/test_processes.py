"""The processes of a run: how many a setting means, which starts are refused, and what further ones share."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from nmt.cli.processes import device_count
from nmt.cli.run_folder import check_start
from nmt.config.compose import compose
from nmt.config.settings import TrainerConfig, validate
from nmt.errors import UserError
from tests.train_frame import Runs, files

TORCHRUN = {
    "TORCHELASTIC_RUN_ID": "none", "RANK": "3", "WORLD_SIZE": "4", "LOCAL_RANK": "1", "LOCAL_WORLD_SIZE": "2",
    "GROUP_RANK": "1",
}  # fmt: skip


@pytest.fixture(scope="module")
def trainer() -> TrainerConfig:
    return validate(compose("train")).trainer


@pytest.mark.parametrize(
    ("gpus", "settings", "expected"),
    [
        (0, {"devices": "auto"}, 1),
        (1, {"devices": -1}, 1),
        (2, {"devices": "auto"}, 2),
        (2, {"devices": "auto", "accelerator": "cpu"}, 1),
        (2, {"devices": [1]}, 1),
        (4, {"devices": [0, 3]}, 2),
        (0, {"devices": 2}, 2),
    ],
)
def test_device_count_equals_that_of_lightning(
    trainer: TrainerConfig, monkeypatch: pytest.MonkeyPatch, gpus: int, settings: Mapping[str, Any], expected: int
) -> None:
    monkeypatch.setattr("torch.cuda.device_count", lambda: gpus)
    assert device_count(replace(trainer, **settings)) == expected


@pytest.mark.parametrize(
    ("environment", "settings", "message"),
    [
        ({"WORLD_SIZE": "2", "RANK": "1", "LOCAL_RANK": "1"}, {}, "^WORLD_SIZE=2: an unknown launcher"),
        ({"SLURM_NTASKS": "2", "SLURM_PROCID": "1"}, {}, "^SLURM_NTASKS=2: .* add --ntasks-per-node"),
        ({"SLURM_NTASKS": "1"}, {"devices": 2}, ""),
        ({"SLURM_NTASKS": "1"}, {"strategy": "ddp"}, "^trainer.strategy: .* srun has started one process"),
        ({"SLURM_NTASKS": "1"}, {}, ""),
        (TORCHRUN, {}, ""),
        (TORCHRUN, {"devices": 2, "strategy": "ddp"}, ""),
        ({**TORCHRUN, "NMT_STARTED_PROCESSES": "1"}, {"devices": [4, 7]}, ""),  # it has chosen the GPUs
        (
            TORCHRUN,
            {"devices": [2, 3], "accelerator": "gpu"},
            r"^trainer.devices: got \[2, 3\], but torchrun gives .*; set trainer.devices=auto, and CUDA_VIS.*=2,3$",
        ),
        (TORCHRUN, {"devices": 3}, "^trainer.devices: got 3, but torchrun has started 2 processes on each node"),
        ({"SLURM_NTASKS": "2", "SLURM_JOB_NAME": "bash"}, {"devices": 2}, ""),
    ],
)
def test_starts_that_contradict_the_settings_are_refused(
    trainer: TrainerConfig,
    monkeypatch: pytest.MonkeyPatch,
    environment: Mapping[str, str],
    settings: Mapping[str, Any],
    message: str,
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    said = ""
    try:
        check_start(replace(trainer, **settings))
    except UserError as error:
        said = str(error)
    assert re.search(message, said) if message else said == ""


def test_rank_variable_alone_starts_no_process(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in ("0", "1"):
        monkeypatch.setenv("SLURM_PROCID", number)
        monkeypatch.setenv("LOCAL_RANK", number)
        runs.run([f"hydra.run.dir={number}"])
        assert files(Path(number)) == ["config.yaml", "train.log"]
    with pytest.raises(UserError, match="already holds a run"):
        runs.run(["seed=2", "hydra.run.dir=0"])


def test_processes_of_one_run_are_started_by_the_first_one_only(runs: Runs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(UserError, match=r"^WORLD_SIZE=2: an unknown launcher .* once"):
        runs.run([])
    assert runs.calls == []
