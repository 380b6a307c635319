"""The benchmark of training."""

from __future__ import annotations

from scripts.benchmark import with_defaults


def test_a_recipe_keeps_its_own_sizes() -> None:
    assert with_defaults(["experiment=demo"]) == ["trainer.log_every_n_steps=10", "experiment=demo"]
    assert "data.batch_tokens=4096" in with_defaults(["data.path=x"])
