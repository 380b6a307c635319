"""A run with the callbacks of the laboratory: the pictures and the data report that it leaves."""

from __future__ import annotations

from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tests.integration.small_training import MODELS, go


@pytest.mark.slow
def test_training_draws_attention_and_reports_on_the_data(tmp_path: Path) -> None:
    words = ["callbacks=default", "callbacks.samples.sentences=1", "debug=fast", "views=occlusion", *MODELS["bahdanau"]]
    go(tmp_path, *words, "trainer.max_steps=1")
    pictures = {path.name for path in (tmp_path / "attention").glob("*")}
    assert pictures == {f"0.{kind}" for kind in ("occlusion.png", "json", "png")}
    assert (tmp_path / "train.log").read_text("utf-8").count("data report, ") == 3
    events = EventAccumulator(str(tmp_path), size_guidance={"tensors": 0, "images": 0})
    events.Reload()
    assert {"attention/0", "views/occlusion/0"} <= set(events.Tags()["images"])
    updates = [event.step for event in events.Scalars("val/bleu")]
    assert [event.step for event in events.Tensors("translations/text_summary")] == updates
    assert {"final/test_bleu", "final/minutes"} <= set(events.Tags()["scalars"])
