"""What `trainer.precision=auto` stands for."""

from __future__ import annotations

import pytest
import torch
import yaml

from nmt.config.compose import compose
from nmt.config.recipe import Recipe
from nmt.training import precision
from tests.integration.small_training import go


@pytest.mark.parametrize(("share", "expected"), [(0.5, "bf16-mixed"), (0.95, "32-true"), (2.0, "32-true")])
def test_bfloat16_is_used_where_it_is_faster(tmp_path, monkeypatch, share, expected):
    monkeypatch.setattr(precision, "bfloat16_share", lambda device: share)
    recipe = Recipe(compose("train", ["trainer.precision=auto"]), tmp_path)
    found, line = precision.decided(recipe)
    assert found.settings.trainer.precision == expected
    assert found.plain == {**recipe.plain, "trainer": {**recipe.plain["trainer"], "precision": expected}}
    assert line == f"trainer.precision: {expected}, because a layer takes {share:.2f} of float32's time with bfloat16"


def test_where_bfloat16_is_not_tried_the_line_says_so(tmp_path, monkeypatch):
    monkeypatch.setattr(torch.accelerator, "current_accelerator", lambda: torch.device("mps"))
    found, line = precision.decided(Recipe(compose("train", ["trainer.precision=auto"]), tmp_path))
    assert found.settings.trainer.precision == "32-true"
    assert line == "trainer.precision: 32-true, because auto tries bfloat16 on cpu and cuda only, not on mps"


def test_a_named_precision_is_kept(tmp_path):
    recipe = Recipe(compose("train", ["trainer.precision=bf16-mixed"]), tmp_path)
    assert precision.decided(recipe) == (recipe, None)


def test_the_trial_changes_neither_the_random_numbers_nor_the_gradients_mode():
    torch.manual_seed(3)
    before = torch.get_rng_state()
    assert precision.bfloat16_share(torch.device("cpu")) > 0
    assert torch.equal(torch.get_rng_state(), before)


def test_the_run_keeps_what_was_decided(tmp_path, monkeypatch):
    monkeypatch.setattr(precision, "bfloat16_share", lambda device: 0.5)
    go(tmp_path / "run", "debug=fast", "trainer.precision=auto", "trainer.accelerator=cpu")
    config = yaml.safe_load((tmp_path / "run" / "config.yaml").read_text(encoding="utf-8"))
    assert config["trainer"]["precision"] == "bf16-mixed"
    assert "trainer.precision: bf16-mixed, because" in (tmp_path / "run" / "train.log").read_text(encoding="utf-8")
