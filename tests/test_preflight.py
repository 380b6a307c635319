"""What is checked before data are read: a model whose parts do not fit names the part and the key of its node."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from nmt.config.compose import compose
from nmt.config.settings import validate
from nmt.errors import UserError
from nmt.models.attention.base import Attention, AttentionMemory
from nmt.models.positions.base import Positions
from nmt.preflight import build_components, initial_checkpoint

MODULE = "nmt.models.a_module_of_the_tests"
ADAMS_OWN = ["~optimizer.betas", "~optimizer.eps", "~optimizer.weight_decay", "~optimizer.fused"]


class Mismatched(Attention):
    """Scores with a map that takes the memory's width, and is given the query's."""

    def __init__(self, query_width: int, memory_width: int) -> None:
        super().__init__(query_width, memory_width)
        self.scorer = nn.Linear(memory_width + 1, memory_width)

    def project_keys(self, memory: Tensor) -> Tensor:
        return memory

    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        return self.scorer(query) @ memory.keys.transpose(1, 2)  # type: ignore[no-any-return]


class Spaced(Attention):
    """Reads the values of a tensor in its constructor."""

    def __init__(self, query_width: int, memory_width: int, excess: int = 0) -> None:
        super().__init__(query_width, memory_width)
        self.rates = torch.linspace(0, 1, 3).tolist()
        self.key = nn.Linear(memory_width, query_width + excess)

    def project_keys(self, memory: Tensor) -> Tensor:
        return self.key(memory)  # type: ignore[no-any-return]

    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        return query @ memory.keys.transpose(1, 2)


class Buffered(Spaced):
    """Needs the value of a buffer in a step."""

    def __init__(self, query_width: int, memory_width: int) -> None:
        super().__init__(query_width, memory_width)
        self.register_buffer("groups", torch.tensor(1))

    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        return sum(query @ part.transpose(1, 2) for part in memory.keys.chunk(int(self.groups), 2))  # type: ignore


class Shortening(Positions):
    """Returns embeddings that have lost a dimension."""

    def embed(self, x: Tensor, start: int = 0) -> Tensor:
        return x[0]


class Stranger:
    """Takes what the program adds to any node, and is no part of a run."""

    def __init__(self, params: Any = None, target_lang: str = "") -> None:
        pass


@pytest.fixture(autouse=True)
def shipped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the classes above classes of the package, which a node may name."""
    module = ModuleType(MODULE)
    for kind in (Mismatched, Spaced, Buffered, Shortening):
        monkeypatch.setattr(kind, "__module__", MODULE)
        setattr(module, kind.__name__, kind)
    monkeypatch.setitem(sys.modules, MODULE, module)


def message(*overrides: str) -> str:
    with pytest.raises(UserError) as error:
        build_components(validate(compose("train", overrides)))
    assert "\n" not in str(error.value)
    return str(error.value)


def test_a_mistake_in_an_attention_of_ones_own_names_its_class_key_and_line() -> None:
    text = message(
        "model=rnn",
        "model/attention=general",
        "~model.attention.query_state",
        "~model.attention.scale",
        "~model.attention.normalizer",
        f"model.attention._target_={MODULE}.Mismatched",
    )
    assert text.startswith("model.decoder.attention: Mismatched fails on toy sentences: mat1 and mat2 shapes cannot")
    assert f"({Path(__file__).name}, line" in text


OWN_ATTENTION = [
    "model=rnn",
    "model/attention=general",
    "~model.attention.query_state",
    "~model.attention.scale",
    "~model.attention.normalizer",
    "allow=[my_package]",
]


def test_a_class_of_ones_own_may_read_a_buffer_in_each_step() -> None:
    build_components(validate(compose("train", [*OWN_ATTENTION, f"model.attention._target_={MODULE}.Buffered"])))


def test_a_constructor_may_read_the_values_of_a_tensor() -> None:
    node = [*OWN_ATTENTION, f"model.attention._target_={MODULE}.Spaced"]
    threads = torch.get_num_threads()
    build_components(validate(compose("train", node)))
    assert torch.get_num_threads() == threads
    text = message(*node, "+model.attention.excess=1")
    assert text.startswith("model.decoder.attention: Spaced fails on toy sentences: "), "of the try that has values"


def test_a_model_larger_than_the_machine_is_refused_before_it_takes_memory() -> None:
    widths = ["model.encoder.block.width=65536", "model.encoder.block.feed_forward=65536", "model.encoder.layers=25"]
    assert "model: got 1,718," in (text := message(*widths)) and "GiB; use fewer layers or smaller widths" in text


def test_weights_that_no_prediction_depends_on_are_named() -> None:
    text = message("model=rnn", "model/attention=none", "model.encoder.memory_norm=true")
    assert text.startswith("model.encoder.memory_norm: ")
    assert "no prediction depends on the weights encoder.memory_norm.weight; leave them out, or choose" in text


@pytest.mark.parametrize(
    ("overrides", "words"),
    [
        (["+optimizer.differentiable=true", "optimizer.fused=false"], "optimizer: Adam cannot make an update here: a "),
        (["+optimizer.capturable=true", "optimizer.fused=false"], "optimizer: Adam cannot make an update here: "),
        (
            ["optimizer._target_=torch.optim.ASGD", *ADAMS_OWN, "+optimizer.alpha=1e300", "+optimizer.lambd=-1"],
            "optimizer: ASGD cannot make an update here: float division by zero",
        ),
        (
            ["optimizer._target_=torch.optim.Muon", "~optimizer.betas", "~optimizer.fused"],
            "optimizer: Muon only supports",
        ),
        (["optimizer._target_=torch.optim.LBFGS", *ADAMS_OWN], "optimizer: LBFGS cannot make an update here: "),
    ],
)
def test_an_optimizer_that_cannot_train_is_refused(overrides: list[str], words: str) -> None:
    assert words in message(*overrides)


def test_a_search_that_reads_attention_needs_a_decoder_that_has_some() -> None:
    coverage = "search.coverage_penalty=0.2"
    build_components(validate(compose("train", ["model=rnn", "model/attention=luong", coverage])))
    assert "the decoder of this model has no attention" in message("model=rnn", "model/attention=none", coverage)


def test_an_objective_is_asked_whether_the_model_fits() -> None:
    guided = "objective=guided_alignment"
    build_components(validate(compose("train", [guided, "objective.layer=4", "objective.head=null"])))
    assert message(guided, "objective.layer=5") == (
        "objective.layer: got 5, but the decoder has 4; expected 1 to 4, or null"
    )
    assert "objective.head: got 2, but the decoder has 1" in message(guided, "model=rnn", "objective.head=2")
    assert "the decoder of this model has none" in message(guided, "model=rnn", "model/attention=none")


def test_an_objective_that_compares_pieces_refuses_sampled_ones() -> None:
    sampled = "data.subword_sampling=0.1"
    build_components(validate(compose("train", ["objective=simcut", sampled])))
    assert message("objective=minimum_risk", sampled) == (
        "data.subword_sampling: got 0.1, but objective MinimumRisk compares translations with the usual pieces; use "
        "data.subword_sampling=null, or another objective"
    )


def test_a_mistake_that_shows_in_a_layer_names_its_encoder() -> None:
    text = message(f"model.positions._target_={MODULE}.Shortening")
    assert text.startswith("model.encoder: TransformerEncoder fails on toy sentences: ")


def test_positions_of_one_side_are_named_with_the_side() -> None:
    text = message("+model/positions@model.decoder.positions=learned", "model.decoder.positions.max_length=9")
    assert text.startswith(
        "model.decoder.positions.max_length: got 9, expected at least 128 for data.max_length; raise it"
    )


@pytest.mark.parametrize(
    ("key", "base"),
    [
        ("objective", "nmt.training.objectives.base.Objective"),
        ("optimizer", "torch.optim.optimizer.Optimizer"),
        ("scheduler", "nmt.training.schedules.Schedule"),
        ("search", "nmt.search.base.Search"),
        ("scores.bleu", "nmt.evaluation.metrics.base.Metric"),
        ("callbacks.checkpointing", "nmt.training.callbacks.checkpointing.Checkpointing"),
        ("callbacks.extra.mine", "pytorch_lightning.callbacks.callback.Callback"),
    ],
)
def test_a_class_of_another_kind_is_refused_before_data_are_read(
    key: str, base: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("strangers")
    monkeypatch.setattr(Stranger, "__module__", "strangers")
    monkeypatch.setattr(module, "Stranger", Stranger, raising=False)
    monkeypatch.setitem(sys.modules, "strangers", module)
    config: dict[str, Any] = compose("train", ["allow=[strangers]"])
    *parents, name = key.split(".")
    parent = config
    for step in parents:
        parent = parent[step]
    parent[name] = {"_target_": "strangers.Stranger"}
    with pytest.raises(UserError) as error:
        build_components(validate(config))
    assert f"{key}._target_: got strangers.Stranger, expected a class derived from {base}" in str(error.value)


@pytest.mark.parametrize("name", ["multi30k_bit", "multi30k_continued", "multi30k_simcut", "office_help_bit_ko_en"])
def test_a_recipe_that_continues_a_run_needs_that_run(name: str) -> None:
    config = validate(compose("train", [f"experiment={name}"]))
    with pytest.raises(UserError, match=rf"^init: not given, but {name} starts from a trained model.* add init=FOLDER"):
        initial_checkpoint(config)
