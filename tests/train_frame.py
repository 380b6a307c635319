"""A training that takes no time, for tests of the programs around it."""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from nmt.build import Objects
from nmt.cli import train
from nmt.config.recipe import Recipe
from nmt.config.settings import TrainConfig
from nmt.training.state import begin_folder, check_folder

Work = Callable[[TrainConfig, Path], None]


class Runs:
    """Takes the place of `nmt.training.run.train`: keeps what it was called with, and does what a test says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch = monkeypatch
        self.calls: list[tuple[TrainConfig, dict[str, Any], Path, bool]] = []
        self.prepare: Callable[[TrainConfig], None] = lambda config: None  # before the folder exists
        self.work: Work = lambda config, folder: None
        monkeypatch.setattr("nmt.training.run.train", self.train)

    def train(
        self,
        recipe: Recipe,
        objects: Objects | None = None,
        *,
        resume: bool | None = False,
        begin: Callable[[Path], None] = lambda folder: None,
    ) -> dict[str, Any]:
        resume = check_folder(recipe, resume=resume)
        self.calls.append((recipe.settings, dict(recipe.plain), recipe.folder, resume))
        logging.getLogger("nmt.fake").info("preparing")
        self.prepare(recipe.settings)
        begin(recipe.folder)
        begin_folder(recipe, new=not resume)
        self.work(recipe.settings, recipe.folder)
        (recipe.folder / "checkpoints").mkdir(exist_ok=True)
        return {}

    def run(self, arguments: Sequence[str]) -> None:
        """Run train.py with this training."""
        train.main(arguments)

    def status(self, *arguments: str) -> int:
        """Return the status that train.py ends with, given this training."""
        return status(self.monkeypatch, *arguments)


def status(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    """Return the status that train.py ends with."""
    monkeypatch.setattr(sys, "argv", ["train.py", *arguments])
    with pytest.raises(SystemExit) as end:
        train.main()
    assert isinstance(end.value.code, int)
    return end.value.code


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
