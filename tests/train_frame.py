"""A training that takes no time, for tests of the programs around it."""

from __future__ import annotations

import json
import logging
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import torch

from nmt.cli import program, train
from nmt.cli.run import Train
from nmt.config.recipe import Recipe
from nmt.config.settings import TrainConfig
from nmt.errors import UserError

Work = Callable[[TrainConfig, Path], None]


class Runs:
    """Takes the place of `nmt.training.run.train`: keeps what it was called with, and does what a test says."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.monkeypatch = monkeypatch
        self.calls: list[tuple[TrainConfig, dict[str, Any], Path, bool]] = []
        self.work: Work = lambda config, folder: None

    def train(self, recipe: Recipe, *, resume: bool = False) -> dict[str, Any]:
        self.calls.append((recipe.settings, dict(recipe.plain), recipe.folder, resume))
        logging.getLogger("nmt.fake").info("training")
        self.work(recipe.settings, recipe.folder)
        (recipe.folder / "checkpoints").mkdir(exist_ok=True)
        return {}

    def run(self, arguments: Sequence[str]) -> None:
        """Run train.py with this training."""
        train.run(arguments, train=self.train)

    def status(self, *arguments: str) -> int:
        """Return the status that train.py ends with, given this training."""
        return status(self.monkeypatch, *arguments, train=self.train)


@dataclass(frozen=True)
class Meeting:
    """A training that ends only if another job of the same multirun is trained at the same time."""

    folder: Path

    def __call__(self, recipe: Recipe, *, resume: bool = False) -> dict[str, Any]:
        seed, other = recipe.settings.seed, 3 - recipe.settings.seed
        (self.folder / f"{seed}").write_text(f"{torch.get_num_threads()} {os.environ['OMP_NUM_THREADS']}")
        for _ in range(600):
            if (self.folder / f"{other}").is_file():
                break
            time.sleep(0.1)
        else:
            raise TimeoutError("the other job has not begun within a minute")
        if seed == 2:
            raise UserError("a mistake")
        logging.getLogger("nmt.fake").info("met")
        (recipe.folder / "metrics.json").write_text(
            json.dumps({"val": {"bleu": {"label": "BLEU", "value": 10.0 * seed}}}), "utf-8"
        )
        return {}


def status(monkeypatch: pytest.MonkeyPatch, *arguments: str, train: Train | None = None) -> int:
    """Return the status that train.py ends with."""
    monkeypatch.setattr(sys, "argv", ["train.py", *arguments])
    with pytest.raises(SystemExit) as end:
        program.main(lambda words: _run(words, train))
    assert isinstance(end.value.code, int)
    return end.value.code


def _run(words: Sequence[str], work: Train | None) -> None:
    train.run(words, train=work)


def files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
