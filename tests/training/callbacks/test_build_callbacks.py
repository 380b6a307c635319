"""Nodes of `callbacks` become callbacks; every mistake in them is one clear line."""

import copy

import pytest
from pytorch_lightning.callbacks import LearningRateMonitor

from nmt.build import build_callbacks, build_objects
from nmt.config.compose import compose
from nmt.config.settings import validate
from nmt.errors import UserError
from nmt.training.callbacks.checkpointing import Checkpointing


@pytest.fixture
def nodes():
    return copy.deepcopy(compose("train", ["callbacks=plain"])["callbacks"])


def test_the_shipped_callbacks(nodes):
    built = build_callbacks(nodes)
    assert set(built) == {"checkpointing", "early_stopping", "progress"}
    assert isinstance(built["checkpointing"], Checkpointing) and built["checkpointing"].average_last == 5


def test_null_leaves_one_out_and_extra_ones_come_last(nodes):
    nodes |= {"progress": None, "extra": {"rate": {"_target_": "pytorch_lightning.callbacks.LearningRateMonitor"}}}
    built = build_callbacks(nodes)
    assert "progress" not in built and list(built)[-1] == "extra.rate"
    assert isinstance(built["extra.rate"], LearningRateMonitor)


@pytest.mark.parametrize(
    ("name", "node", "words"),
    [
        ("progress", {"plain_second": 2}, "callbacks.progress.plain_second: unknown key; did you mean 'plain_"),
        ("checkpointing", {"average_last": -1}, "average_last: got -1, expected an integer of at least 0"),
        (
            "early_stopping",
            {"patience": "x"},
            "callbacks.early_stopping.patience: got 'x', expected an integer of at least 1",
        ),
        ("progress", {"_target_": "pytorch_lightning.callbacks.Timer"}, "expected a class in nmt.training.callbacks"),
    ],
)
def test_a_mistake_in_a_shipped_one(nodes, name, node, words):
    nodes[name] |= node
    with pytest.raises(UserError) as refused:
        build_callbacks(nodes)
    assert words in str(refused.value) and "\n" not in str(refused.value)


@pytest.mark.parametrize(("name", "near"), [("blue", "; did you mean 'bleu'?"), ("perplexity", ""), ("ter", "")])
def test_the_monitor_is_the_loss_or_a_metric_of_scores(name, near):
    settings = validate(compose("train", ["data=cldr", f"callbacks.monitor={name}"]))
    with pytest.raises(UserError) as refused:
        build_objects(settings)
    assert str(refused.value) == (
        f"callbacks.monitor: got '{name}', expected loss or one of the metrics of scores: bleu, chrf, exact_match{near}"
    )
