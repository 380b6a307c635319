"""The curves of a run that was stopped and resumed are those of a run that was not."""

from __future__ import annotations

import math
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from pytorch_lightning.utilities import rank_zero_only
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from nmt.cli import train as train_program
from nmt.system.run_files import METRICS
from nmt.training.module import TranslationModule
from tests.integration.small_training import SMALL_TRANSFORMER, go

SHORT = [*SMALL_TRANSFORMER, "data.sizes=[130,4,4]", "trainer.max_steps=14", "trainer.log_every_n_steps=5"]


def curves(folder: Path) -> dict[str, list[tuple[int, float]]]:
    """Return the points of each curve but those of times."""
    events = EventAccumulator(str(folder)).Reload()
    names = set(events.Tags()["scalars"]) - {"train/target_tokens_per_second", "final/minutes"}
    return {name: [(each.step, each.value) for each in events.Scalars(name)] for name in names}


@pytest.mark.usefixtures("default_signals")
def test_a_signal_changes_no_point_of_a_curve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go(tmp_path / "whole", *SHORT)
    whole = curves(tmp_path / "whole")
    assert {5, 10} <= {step for step, _ in whole["train/loss"]}
    original = TranslationModule.training_step
    for stop in (7, 10):

        def interrupt(self: TranslationModule, *arguments: Any, stop: int = stop) -> Any:
            if self.global_step == stop - 1:
                os.kill(os.getpid(), signal.SIGTERM)
            return original(self, *arguments)

        folder = tmp_path / f"stop{stop}"
        with monkeypatch.context() as patch, pytest.raises(SystemExit):
            patch.setattr(TranslationModule, "training_step", interrupt)
            go(folder, *SHORT)
        train_program.main([f"resume={folder}"])
        assert curves(folder) == whole


def test_a_run_that_was_stopped_while_it_was_scored_knows_its_training_loss(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    go(folder, *SHORT, "trainer.max_steps=2", "callbacks=default")
    (folder / METRICS).unlink()
    train = {name: curve for name, curve in curves(folder).items() if name.startswith("train/")}
    train_program.main([f"resume={folder}"])
    assert train and train.items() <= curves(folder).items()
    points = [value for curve in curves(folder).values() for _, value in curve]
    assert all(map(math.isfinite, points))
    lines = [
        line for line in (folder / "train.log").read_text("utf-8").splitlines() if "validation: at the end" in line
    ]
    assert len(lines) == 2 and all("train loss" in line for line in lines)


def test_a_single_process_has_curves_whatever_number_its_environment_gives_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rank_zero_only, "rank", 1)  # as Lightning reads it from RANK=1 when it is imported
    go(tmp_path, *SHORT, "trainer.max_steps=5", "trainer.log_every_n_steps=1")
    assert [step for step, _ in curves(tmp_path)["train/loss"]] == [1, 2, 3, 4, 5]
