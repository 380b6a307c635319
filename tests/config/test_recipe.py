"""A run that starts from a checkpoint has its model and its tokenizer, unless the user says something about them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nmt.config.compose import compose, compose_run
from nmt.config.recipe import read_recipe, with_checkpoint_settings

START = {"model": {"tie_embeddings": "mine"}, "tokenizer": {"type": "bpe", "vocab_size": 77, "joint": False}}


def sections(*overrides: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings of a command line with those of the checkpoint, and those that it composes."""
    plain = compose("train", ["data=cldr", *overrides])
    return with_checkpoint_settings(plain, START, overrides), plain


@pytest.mark.parametrize("debug", [[], ["debug=fast"], ["debug=overfit"], ["trainer.max_steps=9", "data.limit=3"]])
def test_what_nobody_sets_comes_from_the_checkpoint(debug: list[str]) -> None:
    values, plain = sections(*debug)
    assert (values["model"], values["tokenizer"]) == (START["model"], START["tokenizer"])
    assert values["trainer"] == plain["trainer"] and plain["tokenizer"]["type"] == "unigram"


@pytest.mark.parametrize(
    "words",
    [["model=rnn"], ["model.encoder.layers=2"], ["experiment=demo"], ["model/positions=rotary"]],
)
def test_a_model_that_the_user_sets_stays(words: list[str]) -> None:
    values, plain = sections(*words, "debug=fast")
    assert values["model"] == plain["model"]


def test_a_path_on_the_command_line_of_a_resumed_run_becomes_absolute(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["data.path=corpus", "scores=[bleu,terms]", "scores.terms.file=g.tsv"]
    recipe = compose_run([*words, "hydra.run.dir=run"])
    recipe.folder.mkdir()
    (recipe.folder / "config.yaml").write_text(recipe.to_yaml(), "utf-8")
    plain = read_recipe(recipe.folder, (), [words[0], words[2]]).plain
    assert plain == recipe.plain and plain["scores"]["terms"]["file"] == str(tmp_path / "g.tsv")


def test_what_a_debug_option_sets_gives_way() -> None:
    values, plain = sections("tokenizer.joint=false", "debug=fast")
    assert values["tokenizer"] == {**plain["tokenizer"], "vocab_size": 77}
    values, plain = sections("experiment=demo", "debug=fast")
    assert values["tokenizer"]["vocab_size"] == 77 and values["tokenizer"]["type"] == "unigram"
    values, plain = sections("tokenizer.vocab_size=99", "debug=fast")
    assert values["tokenizer"] == plain["tokenizer"] and plain["tokenizer"]["vocab_size"] == 99
