"""Which settings and which environments mean one process, several, or a start that is refused."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from nmt.cli.processes import check_start, several_devices
from nmt.config.compose import compose
from nmt.config.schema import validate
from nmt.config.settings import TrainerConfig
from nmt.errors import UserError


@pytest.fixture(scope="module")
def trainer() -> TrainerConfig:
    return validate(compose("train")).trainer


@pytest.mark.parametrize(
    ("gpus", "settings", "several"),
    [
        (0, {"devices": "auto"}, False),
        (1, {"devices": -1}, False),
        (2, {"devices": "auto"}, True),
        (2, {"devices": "auto", "accelerator": "cpu"}, False),
        (2, {"devices": [1]}, False),
        (2, {"devices": [0, 1]}, True),
        (0, {"devices": 2}, True),
    ],
)
def test_devices_are_counted_as_lightning_would_take_them(
    trainer: TrainerConfig, monkeypatch: pytest.MonkeyPatch, gpus: int, settings: Mapping[str, Any], several: bool
) -> None:
    monkeypatch.setattr("torch.cuda.device_count", lambda: gpus)
    assert several_devices(replace(trainer, **settings)) == several


@pytest.mark.parametrize(
    ("environment", "settings", "message"),
    [
        ({"WORLD_SIZE": "2", "RANK": "1", "LOCAL_RANK": "1"}, {}, "^WORLD_SIZE=2: a launcher .* start it once"),
        ({"SLURM_NTASKS": "2", "SLURM_PROCID": "1"}, {}, "^SLURM_NTASKS=2: .* start env -u SLURM_NTASKS"),
        ({"SLURM_NTASKS": "1"}, {"devices": 2}, "^SLURM_NTASKS=1: "),
        ({"SLURM_NTASKS": "1"}, {"strategy": "ddp"}, "^SLURM_NTASKS=1: "),
        ({"SLURM_NTASKS": "1"}, {}, ""),
        ({"SLURM_NTASKS": "2", "SLURM_JOB_NAME": "bash"}, {"devices": 2}, ""),
    ],
)
def test_starts_by_torchrun_or_slurm_tasks_are_refused(
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
