"""A training that takes no time, for tests of the frame around it."""

from __future__ import annotations

import logging
import sys
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from nmt.cli import train
from nmt.config.settings import TrainConfig

Work = Callable[[TrainConfig, Path], None]


class Runs:
    """Stands for nmt.training.run: keeps what it was called with, and does what a test says."""

    def __init__(self) -> None:
        self.calls: list[tuple[TrainConfig, dict[str, Any], Path, bool]] = []
        self.work: Work = lambda config, folder: None

    def train(
        self, config: TrainConfig, plain: dict[str, Any], folder: Path, *, resume: bool = False
    ) -> dict[str, Any]:
        self.calls.append((config, plain, folder, resume))
        logging.getLogger("nmt.fake").info("training")
        self.work(config, folder)
        (folder / "checkpoints").mkdir(exist_ok=True)
        return {}


class Interrupted(Exception):
    number = 2


def stand_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runs:
    """Return a stand-in for training, in force, and go to an empty working folder."""
    made = Runs()
    for name, values in (("run", {"train": made.train}), ("checkpointing", {"Interrupted": Interrupted})):
        module = types.ModuleType(f"nmt.training.{name}")
        vars(module).update(values)
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.chdir(tmp_path)
    return made


def status(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Return the status that the program ends with."""
    monkeypatch.setattr(sys, "argv", ["train.py", *arguments])
    with pytest.raises(SystemExit) as end:
        train.main()
    assert isinstance(end.value.code, int)
    return end.value.code


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
