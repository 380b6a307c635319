"""What is built and checked before data are read: a mistake names the part and the key of its node."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any

import pytest
import torch

from nmt.build import architecture, build_objects
from nmt.config.compose import compose
from nmt.config.settings import validate
from nmt.errors import UserError
from tests.models.test_trial import Padded


class Stranger:
    """Takes what the program adds to any node, and is no part of a run."""

    def __init__(self, params: Any = None, target_lang: str = "") -> None:
        pass


@pytest.fixture(autouse=True)
def my_lab(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the classes above those of a user's package."""
    module = ModuleType("my_lab")
    for kind in (Padded, Stranger):
        monkeypatch.setattr(kind, "__module__", "my_lab")
        setattr(module, kind.__name__, kind)
    monkeypatch.setitem(sys.modules, "my_lab", module)


def message(*overrides: str) -> str:
    with pytest.raises(UserError) as error:
        build_objects(validate(compose("train", overrides)))
    assert "\n" not in str(error.value)
    return str(error.value)


def test_an_attention_of_ones_own_is_tried_on_toy_sentences() -> None:
    threads, random = torch.get_num_threads(), torch.get_rng_state()
    words = ["model=rnn", "model/attention=general", "allow=[my_lab]", "model.attention._target_=my_lab.Padded"]
    assert message(*words, *(f"~model.attention.{key}" for key in ("query_state", "scale", "normalizer"))) == (
        "model.decoder.attention: it fails on toy sentences: got weights of padding, expected 0: mask scores with -inf"
    )
    assert torch.get_num_threads() == threads and torch.equal(torch.get_rng_state(), random)


def test_a_model_of_the_project_takes_no_memory_before_data_are_read() -> None:
    widths = ["model.encoder.block.width=65536", "model.encoder.block.feed_forward=65536", "model.encoder.layers=25"]
    build_objects(validate(compose("train", [*widths, "model.tie_embeddings=target"])))


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (
            ["model=rnn", "model/attention=none", "search.coverage_penalty=0.2"],
            "decoder of this model has no attention",
        ),
        (["objective=guided_alignment", "objective.layer=5"], "objective.layer: got 5, but the decoder has 4"),
        (
            ["objective=guided_alignment", "model=rnn", "objective.head=2"],
            "objective.head: got 2, but the decoder has 1",
        ),
        (["objective=guided_alignment", "model=rnn", "model/attention=none"], "the decoder of this model has none"),
        (["tokenizer.joint=false"], "model.tie_embeddings: got all with tokenizer.joint=false"),
        (["data.target_lang=en"], "data.target_lang: got 'en', the same as source_lang"),
        (
            ["callbacks.monitor=blue"],
            "got 'blue', expected loss or one of the metrics of scores: bleu, chrf, exact_match; did you mean 'bleu'?",
        ),
        (
            ["+model/positions@model.decoder.positions=learned", "model.decoder.positions.max_length=9"],
            "model.decoder.positions.max_length: got 9, expected at least 128 for data.max_length; raise it",
        ),
    ],
)
def test_settings_that_contradict_each_other_are_refused(overrides: list[str], words: str) -> None:
    assert words in message(*overrides)


@pytest.mark.parametrize(
    ("key", "base"),
    [
        ("objective", "nmt.training.objectives.base.Objective"),
        ("optimizer", "torch.optim.Optimizer"),
        ("scheduler", "nmt.training.schedules.Schedule"),
        ("search", "nmt.search.base.Search"),
        ("scores.bleu", "nmt.evaluation.metrics.base.Metric"),
        ("callbacks.checkpointing", "nmt.training.callbacks.checkpointing.Checkpointing"),
        ("callbacks.extra.mine", "pytorch_lightning.Callback"),
    ],
)
def test_a_class_of_another_kind_is_refused(key: str, base: str) -> None:
    config: dict[str, Any] = compose("train", ["allow=[my_lab]"])
    *parents, name = key.split(".")
    parent = config
    for step in parents:
        parent = parent[step]
    parent[name] = {"_target_": "my_lab.Stranger"}
    with pytest.raises(UserError) as error:
        build_objects(validate(config))
    assert str(error.value) == f"{key}._target_: got my_lab.Stranger, expected a class derived from {base}"


def test_the_short_name_of_a_model_says_what_is_inside() -> None:
    def name(attention: dict[str, Any]) -> str:
        return architecture(
            {
                "encoder": {"_target_": "nmt.RecurrentEncoder"},
                "decoder": {"_target_": "nmt.RecurrentDecoder", "attention": attention},
            }
        )

    inner, additive = {"_target_": "nmt.DotAttention"}, {"_target_": "nmt.models.AdditiveAttention"}
    assert name({"_target_": "nmt.PredictiveLocalAttention", "scores": inner}) == "Recurrent, PredictiveLocal, Dot"
    for asks in ({}, {"query_state": "previous"}, {"query_state": "between"}):
        assert name({**additive, **asks}) == "Recurrent, Bahdanau"
    assert name({**additive, "query_state": "current"}) == "Recurrent, Additive"
