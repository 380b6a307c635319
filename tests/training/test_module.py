"""The module gives an objective what it asks for: repeated passes, and attention weights."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from nmt.config.compose import compose
from nmt.config.recipe import Recipe
from nmt.preflight import build_components
from nmt.training.module import TranslationModule
from nmt.training.objectives.base import Objective
from nmt.training.objectives.chunked import chunked_cross_entropy
from nmt.training.parts import Parts, build_parts

OVERRIDES = [
    "data=cldr", "data.sizes=[60,8,4]", "data.topics=[dates,numbers]", "data.max_parts=1", "data.batch_tokens=200",
    "tokenizer.vocab_size=330", "model.encoder.layers=2", "model.encoder.block.width=16", "model.encoder.block.heads=2",
    "model.encoder.block.feed_forward=16", "trainer.accelerator=cpu",
]  # fmt: skip


def parts_of(recipe: Recipe) -> Parts:
    return build_parts(recipe, build_components(recipe.settings))


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    plain = compose("train", OVERRIDES)
    return parts_of(Recipe(plain, tmp_path_factory.mktemp("run")))


class Recorder(Objective):
    """Keeps what it was given."""

    def __init__(self, passes, needs_weights):
        super().__init__(label_smoothing=0.0)
        self.passes, self.needs_weights = passes, needs_weights

    def __call__(self, hidden, output, batch, weights):
        self.hidden, self.weights = hidden.detach(), weights
        return chunked_cross_entropy(hidden, output, batch.target_out, batch.target_mask)


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("needs_weights", [True, False])
def test_an_objective_gets_its_passes_and_weights(parts, passes, needs_weights):
    objective = Recorder(passes, needs_weights)
    module = TranslationModule(replace(parts, objective=objective), lambda: 0.0)
    module.trainer = SimpleNamespace(num_training_batches=8, world_size=1)
    module.train()
    batch = next(iter(parts.data.train_dataloader()))
    loss = module.training_step(batch, 0)
    sentences, length = batch.target_out.shape
    assert objective.hidden.shape == (passes * sentences, length, 16)
    assert loss.requires_grad and module.accumulating
    assert module.meter.totals.target_tokens == batch.target_mask.sum(), "one copy counts"
    assert module.meter.totals.epochs == 1 / 8
    copies = objective.hidden.chunk(passes)
    assert all(not torch.equal(copies[0], other) for other in copies[1:]), "dropout differs between the passes"
    if needs_weights:
        assert objective.weights.cross.shape == (passes * sentences, 2, 2, length, batch.source.shape[1])
    else:
        assert objective.weights is None


def test_repeated_passes_are_the_same_batch(parts):
    module = TranslationModule(replace(parts, objective=Recorder(2, False)), lambda: 0.0)
    module.trainer = SimpleNamespace(num_training_batches=8, world_size=1)
    module.eval()  # no dropout
    module.training_step(next(iter(parts.data.train_dataloader())), 0)
    first, second = module.parts.objective.hidden.chunk(2)
    torch.testing.assert_close(first, second)
