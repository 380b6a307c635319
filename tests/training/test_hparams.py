"""The settings and scores of a run in TensorBoard's tab HPARAMS."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.plugins.hparams import metadata

from nmt.training.finish import write_hparams


def test_settings_and_final_scores_are_columns(tmp_path: Path) -> None:
    config: dict[str, Any] = {name: {} for name in ("objective", "optimizer", "scheduler", "tokenizer", "trainer")}
    config |= {"name": "rnn", "seed": 3, "data": {"path": None, "sizes": [1, 2]}, "search": {"beam_size": 5}}
    attention = {"_target_": "nmt.models.attention.luong.LuongAttention", "_partial_": True}
    config["model"] = {"attention": attention, "decoder": {"attention": attention, "width": 4}}
    metrics = {
        **{"val": {"bleu": {"value": 20.5}}, "parameters": 1000, "wall_seconds": 90.0},
        **{"best_update": 7, "test": {"bleu": {"value": 21.5}}},
    }
    write_hparams(tmp_path, config, metrics)
    events = EventAccumulator(str(tmp_path)).Reload()
    plugin = events.SummaryMetadata(metadata.SESSION_START_INFO_TAG).plugin_data
    written = metadata.parse_session_start_info_plugin_data(plugin.content).hparams
    assert (written["name"].string_value, written["seed"].number_value) == ("rnn", 3)
    assert written["model.attention"].string_value == "LuongAttention" and written["search.beam_size"].number_value == 5
    assert written["model.decoder.width"].number_value == 4 and "model.decoder.attention" not in written  # a copy
    assert (written["data.path"].string_value, written["data.sizes"].string_value) == ("None", "[1, 2]")
    scores = {tag: events.Scalars(tag)[0].value for tag in events.Tags()["scalars"]}
    expected = {"val_bleu": 20.5, "test_bleu": 21.5, "parameters": 1000, "minutes": 1.5}
    assert scores == pytest.approx({f"final/{name}": value for name, value in expected.items()})
    assert metadata.EXPERIMENT_TAG not in events.Tags()["tensors"]  # it would fix the columns for the other runs
