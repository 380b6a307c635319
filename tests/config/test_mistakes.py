"""Mistakes in settings, from the command line or from a file: each is one line that names the key. One of a kind."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from nmt.build import build_objects
from nmt.config.compose import compose
from nmt.config.settings import validate, with_absolute_paths
from nmt.errors import UserError


@pytest.fixture(scope="module")
def base() -> dict[str, Any]:
    """The default training config."""
    return compose("train")


def message(*words: str) -> str:
    """Return what is said about the words of a command line, by the composition or by the constructors."""
    with pytest.raises(UserError) as error:
        build_objects(validate(with_absolute_paths(compose("train", words))))
    assert "\n" not in str(error.value) and "full_key" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["data=/my/files"], "; for files: data.path=/my/files"),
        (["model=trnsformer"], "model: got 'trnsformer', expected one of hybrid, rnn, transformer; did you mean 'tran"),
        (["modle=rnn"], "modle: unknown key; did you mean 'model'?"),
        (["model=rnn", "model/atention=luong"], "unknown group; did you mean 'model/attention'?"),
        (["search.beam_sise=5"], "search.beam_sise: unknown key; did you mean 'search.beam_size'?"),
        (["beam_size=5"], "beam_size: unknown key; did you mean 'search.beam_size'?"),
        (["trainer.foo=9"], "trainer.foo: unknown key; known keys: max_epochs, max_steps"),
        (["optimizer.foreach=true"], "a plus adds a key: +optimizer.foreach=..."),
        (["~seed"], "seed: missing; expected an integer of at least 0"),
        (["model=rnn", "model.attention=luong"], "'luong' is an option of a group; write model/attention=luong"),
        (["+model=rnn"], "Multiple values for model"),
        (["model/attention=luong"], "model/attention: this model has no attention to choose"),
        (["seed=1,2"], "seed=1,2: several values; seed=[a,b] is a list; train.py -m makes a run for each value"),
        (["rnn"], "got 'rnn', expected key=value"),
        (["filters=[script,duplicat]"], "filters: got 'duplicat', expected one of duplicate, identical, language"),
        (["data.name=???"], "data.name: not given; set data.name=..."),
        (["data.name=${nothing}"], "Interpolation key 'nothing' not found"),
        (["optimizer._target_=torch.load"], "optimizer._target_: got 'torch.load', expected a class in torch.optim"),
        (["scores=[]"], "scores: got no metric"),
        (["optimizer=adamW"], "did you mean 'adamw'?"),
        (["attention=bahdanau"], "attention: unknown key"),
        (["model.dropout"], "got 'model.dropout', expected key=value without spaces"),
        (["callbacks.early_stopping=false"], "got false, expected a mapping or null"),
        (["debug=true"], "debug: got true, expected one of fast, overfit"),
        (["logger=[3]"], "logger: got [3], expected one of none, tensorboard"),
        (["data.path="], "data.path: got nothing, expected a file or folder, or null"),
        (["model/positions=alibi", "+model.positions.slope=2"], "positions.slope: unknown key; Alibi takes"),
        (["model/positions=rotary", "model.encoder.block.width=12"], "rotary needs an even width"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_a_mistake_on_the_command_line(words: list[str], expected: str) -> None:
    assert expected in message(*words)


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("data.limit", 2**70, "data.limit: got 1180591620717411303424, expected an integer"),
        ("data.source_lang", False, "got false, expected text of at most 32 letters, digits, - and _; YAML reads"),
        ("tokenizer.type", "unigrm", "got 'unigrm', expected one of unigram, bpe"),
        ("name", "..", "name: got '..', expected text of at most 200 letters"),
        ("trainer.max_time", "00:00:00:00", "expected text of the form DD:HH:MM:SS"),
        ("trainer.devices", [], "trainer.devices: got [], expected an integer of at least 1 and at most 1024 or auto"),
        ("model.encoder.block.heads", 3, "heads: got 3"),
        ("model.tie_embedings", "all", "model.tie_embedings: unknown key; did you mean 'model.tie_embeddings'"),
        ("tokenizer.path", ["a", "b"], "got ['a', 'b'] with tokenizer.joint=true, expected one file"),
    ],
)
def test_a_mistake_in_a_value(base: dict[str, Any], key: str, value: Any, words: str) -> None:
    values = copy.deepcopy(base)
    *parents, last = key.split(".")
    node = values
    for parent in parents:
        node = node[parent]
    node[last] = value
    with pytest.raises(UserError) as error:
        build_objects(validate(values))
    assert words in str(error.value) and "\n" not in str(error.value)
