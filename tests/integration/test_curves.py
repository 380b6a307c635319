"""The curves of a run that was stopped and resumed are those of a run that was not."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from nmt.cli import train as train_program
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
    for stop in (5, 10):  # after a log line, because the next one covers the updates of one session

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
