"""A run with the callbacks of the laboratory: the pictures and the data report that it leaves."""

from __future__ import annotations

from pathlib import Path

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tests.integration.small_training import MODELS, go


@pytest.mark.parametrize("name", ["bahdanau", pytest.param("none", marks=pytest.mark.slow)])
def test_training_draws_attention_and_reports_on_the_data(name: str, tmp_path: Path) -> None:
    attends = name != "none"
    go(tmp_path, "callbacks=default", "debug=fast", "views=[occlusion,input_x_gradient]", *MODELS[name])
    pictures = {path.name for path in (tmp_path / "attention").glob("*")}
    kinds = ["occlusion.png", "input_x_gradient.png", *(["json", "png"] if attends else [])]
    assert pictures == {f"{n}.{kind}" for n in range(3) for kind in kinds}
    assert (tmp_path / "train.log").read_text("utf-8").count("data report, ") == 3
    events = EventAccumulator(str(tmp_path), size_guidance={"tensors": 0, "images": 0})
    events.Reload()
    assert any(tag.startswith("attention/") for tag in events.Tags()["images"]) == attends
    assert any(tag.startswith("views/occlusion/") for tag in events.Tags()["images"])
    updates = [event.step for event in events.Scalars("val/bleu")]
    assert [event.step for event in events.Tensors("translations/text_summary")] == updates
