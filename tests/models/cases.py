"""Every model that tests of a contract hold to it: each YAML of configs/model with each choice of its groups.

The models are made small. A model is found by its YAML; so are a new family of attention and new positions.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml
from hydra import compose, initialize_config_dir
from hydra.core.global_hydra import GlobalHydra
from omegaconf import OmegaConf

from nmt.build import MODELS, build_model
from nmt.config.nodes import instantiate
from nmt.models.attention.base import Attention, AttentionFactory
from nmt.models.rnn import RecurrentEncoder
from nmt.models.rnn_decoder import RecurrentDecoder
from nmt.models.seq2seq import Seq2Seq

CONFIGS = Path(__file__).parents[2] / "configs"
VOCABULARY = 23
VARIANTS = [
    "rnn model/attention=bahdanau model.encoder.cell=lstm model.encoder.layers=2 model.decoder.layers=3",
    "rnn model/attention=bahdanau model.encoder.bidirectional=false model.encoder.layers=3 model.decoder.layers=2",
    "rnn model/attention=luong model.attention.score=concat",
    "rnn model/attention=scaled_dot model.attention.query_state=previous model.attention.scale=learned",
    "rnn model/attention=multihead model.attention.query_state=previous",
    "rnn model/attention=additive model.attention.query_state=between model.encoder.cell=lstm model.decoder.layers=2",
    "rnn model/attention=coverage model.attention.query_state=between model.decoder.layers=3",
    "rnn model/attention=dot model.encoder.memory_norm=true",
    "rnn model/attention=luong model.decoder.layers=2",
    "rnn model/attention=luong model.encoder.cell=lstm model.decoder.input_feeding=false",
    "rnn model/attention=local_p model.attention.window=1",
    "rnn model/attention=local_p model/attention@model.attention.scores=multihead model.attention.window=2",
    "rnn model/attention=local_p model/attention@model.attention.scores=location model.attention.scores.max_length=2",
    "rnn model/attention=local_m model/attention@model.attention.scores=coverage model.attention.window=1",
    "rnn model/attention=local_m model.attention.window=1 model.decoder.input_feeding=false",
    "rnn model/attention=none model.encoder.cell=lstm model.decoder.layers=2",
    "transformer model.encoder.block.norm_first=false model.encoder.block.norm=rms",
    "transformer model/positions=relative model.encoder.block.scale_scores=false model.positions.max_distance=2",
    "transformer model/positions=rotary model.encoder.block.qk_norm=true",
    "transformer model.encoder.block.activation=swiglu model.encoder.block.attention_gate=true",
    "transformer model.encoder.block.activation=geglu",
    "transformer model/positions=relative model.encoder.block.attention_gate=true",
    "transformer model/positions=alibi +model/positions@model.decoder.positions=none",
    "transformer model/positions=none +model/positions@model.encoder.positions=learned",
    "transformer +model/positions@model.decoder.positions=relative",
]


# Models, found and made small


@functools.cache
def options() -> dict[str, dict[str, Any]]:
    """Return the node of each option below configs/model by its group ("model/attention") and name.

    Hydra composes all of them at once: a composition takes 0.15 s, whatever it holds.
    """
    paths = sorted((CONFIGS / "model").rglob("*.yaml"))
    groups = {path.parent.relative_to(CONFIGS).as_posix(): path.parent for path in paths}
    packages = {group: group.replace("/", "_") for group in groups}
    GlobalHydra.instance().clear()
    with initialize_config_dir(str(CONFIGS), version_base="1.3"):
        composed = compose(
            overrides=[
                f"+{group}@{packages[group]}.{path.stem}={path.stem}"
                for group, folder in groups.items()
                for path in sorted(folder.glob("*.yaml"))
            ]
        )
    plain = OmegaConf.to_container(composed)
    assert isinstance(plain, dict)
    return {group: plain[package] for group, package in packages.items()}


def shrink(node: Any, key: str = "") -> Any:
    """Divide what is large enough to be a width (equal ones stay equal, and heads keep dividing theirs); 3 layers."""
    if isinstance(node, dict):
        return {key: shrink(value, key) for key, value in node.items()}
    if key == "layers":
        return min(node, 3)
    return node // 16 if isinstance(node, int) and node >= 64 else node


def model_config(words: str) -> dict[str, Any]:
    """Return the plain, small `model` node of "rnn model/attention=luong model.attention.score=concat"."""
    name, *overrides = words.split()
    tree = OmegaConf.create({"model": options()["model"][name], "data": {"max_length": 128}})
    for override in overrides:
        key, value = override.removeprefix("+").split("=")
        group, _, place = key.partition("@")
        if "/" not in group:
            OmegaConf.update(tree, key, yaml.safe_load(value))
        else:
            node = options()[group][value]
            place = place or group.replace("/", ".")
            OmegaConf.update(tree, place, node if "_target_" in node else None, merge=False)  # None: no attention
    plain = OmegaConf.to_container(tree, resolve=True)
    assert isinstance(plain, dict)
    return shrink(plain["model"])


def shipped() -> Iterator[str]:
    """Yield every model: the recurrent one with each attention, and the others with each choice of their positions.

    An attention whose query is the current state comes with and without input feeding.
    """
    for name in options()["model"]:
        group = "model/attention" if name == "rnn" else "model/positions"
        if group.removeprefix("model/") not in options()["model"][name]:
            yield name
            continue
        for choice in options()[group]:
            words = f"{name} {group}={choice}"
            yield words
            if group == "model/attention" and query_state(attention_node(choice)) == "current":
                yield f"{words} model.decoder.input_feeding=false"


def attention_node(name: str) -> dict[str, Any]:
    node: dict[str, Any] = copy.deepcopy(options()["model/attention"][name])
    return node | {"max_length": 128} if "max_length" in node else node


def query_state(node: dict[str, Any]) -> str | None:
    """Return which decoder state is the query of the attention that a node names; None for no attention."""
    if "_target_" not in node:
        return None
    attention = instantiate(node, "model.attention", within=MODELS)(query_width=16, memory_width=16)
    assert isinstance(attention, Attention)
    return attention.query_state


def between() -> dict[str, AttentionFactory]:
    """Return the attentions whose query state can be set, with a query between two cells; a window has its scores'."""
    found: dict[str, AttentionFactory] = {}
    for name in options()["model/attention"]:
        node = attention_node(name)
        scores = node.get("scores", node)
        if "query_state" in scores:
            scores["query_state"] = "between"
            found[f"{name}, between"] = instantiate(node, "model.attention", within=MODELS)
    return found


def build(words: str, vocabulary: int = VOCABULARY) -> Seq2Seq:
    if words in BETWEEN:
        return build_recurrent(BETWEEN[words], vocabulary)
    return build_model(model_config(words), source_vocab_size=vocabulary, target_vocab_size=vocabulary)


def build_recurrent(
    attention: AttentionFactory, vocabulary: int, *, input_feeding: bool | None = None, layers: int = 1
) -> Seq2Seq:
    encoder = RecurrentEncoder(vocab_size=vocabulary, embedding_width=16, hidden_width=16)
    decoder = RecurrentDecoder(
        vocab_size=vocabulary,
        memory_width=encoder.width,
        embedding_width=16,
        width=32,
        readout_width=16,
        attention=attention,
        layers=layers,
        input_feeding=input_feeding,
    )
    return Seq2Seq(encoder, decoder)


# The cases


BETWEEN = between()
CASES = [*shipped(), *VARIANTS, *BETWEEN]
