"""The module gives an objective what it asks for: repeated passes, and attention weights."""

from types import SimpleNamespace

import pytest
import torch

from nmt.build import build_objects
from nmt.config.compose import compose
from nmt.config.recipe import Recipe
from nmt.data.batches import BatchLoader
from nmt.training.module import TranslationModule
from nmt.training.objectives.base import Objective
from nmt.training.prepare import prepare
from nmt.training.schedules import Limits
from nmt.training.scored import scored_pairs
from tests.integration.small_training import SMALL_TRANSFORMER

OVERRIDES = [
    "data=cldr", "data.sizes=[60,8,4]", "data.topics=[dates,numbers]", "data.max_parts=1", "data.batch_tokens=200",
    "tokenizer.vocab_size=330", *SMALL_TRANSFORMER, "model.encoder.layers=2", "trainer.accelerator=cpu",
]  # fmt: skip


@pytest.fixture(scope="module")
def recipe(tmp_path_factory):
    return Recipe(compose("train", OVERRIDES), tmp_path_factory.mktemp("run"))


@pytest.fixture(scope="module")
def make_module(recipe):
    """Return a function that makes the module of a run with an objective."""
    settings, objects = recipe.settings, build_objects(recipe.settings)
    prepared = prepare(recipe, objects)
    scored = scored_pairs(settings, objects, prepared.corpora)

    def make(objective):
        others = {"schedule": objects.schedule, "metrics": {}, "limits": Limits(epochs=1)}
        module = TranslationModule(recipe, prepared, scored=scored, objective=objective, **others)
        module.trainer = SimpleNamespace(num_training_batches=8, world_size=1)
        batch = next(iter(BatchLoader(prepared.train.of_epoch, settings.data.batch_tokens, seed=settings.seed)))
        return module, batch

    return make


class Recorder(Objective):
    """Keeps what it was given."""

    def __init__(self, passes, needs_weights):
        super().__init__(label_smoothing=0.0)
        self.passes, self.needs_weights = passes, needs_weights

    def __call__(self, hidden, output, batch, weights):
        self.hidden, self.weights = hidden.detach(), weights
        return self.cross_entropy(hidden, output, batch)


@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("needs_weights", [True, False])
def test_an_objective_gets_its_passes_and_weights(make_module, passes, needs_weights):
    objective = Recorder(passes, needs_weights)
    module, batch = make_module(objective)
    module.train()
    loss = module.training_step(batch, 0)
    sentences, length = batch.target_out.shape
    assert objective.hidden.shape == (passes * sentences, length, 16)
    assert loss.requires_grad and module.accumulating
    assert module.meter.totals().target_tokens == batch.target_mask.sum(), "one copy counts"
    assert module.meter.totals().epochs == 1 / 8
    copies = objective.hidden.chunk(passes)
    assert all(not torch.equal(copies[0], other) for other in copies[1:]), "dropout differs between the passes"
    if needs_weights:
        assert objective.weights.cross.shape == (passes * sentences, 2, 2, length, batch.source.shape[1])
    else:
        assert objective.weights is None
