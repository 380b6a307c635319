"""A run that starts from a checkpoint, and a run that is resumed: whose settings count."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nmt.config.compose import compose, compose_run, parse, with_checkpoint_settings
from nmt.config.recipe import read_recipe
from nmt.config.schema import read_yaml
from nmt.errors import UserError


def sections(*words: str) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """Return the settings of a run that starts from a checkpoint, those of the checkpoint, and those of the words."""
    start = compose("train", ["data=cldr", "model.encoder.layers=5", "tokenizer.vocab_size=77"])
    plain = compose("train", ["data=cldr", *words])
    return with_checkpoint_settings(plain, start, ["data=cldr", *words]), start, plain


@pytest.mark.parametrize("words", [[], ["debug=fast"], ["experiment=demo"], ["trainer.max_steps=9"]])
def test_what_nobody_types_comes_from_the_checkpoint(words: list[str]) -> None:
    values, start, plain = sections(*words)
    assert (values["model"], values["tokenizer"], values["trainer"]) == (
        start["model"],
        start["tokenizer"],
        plain["trainer"],
    )


def test_a_typed_setting_counts_also_where_the_config_copies_it() -> None:
    values, start, _ = sections("model.encoder.block.residual_dropout=0.4")
    sides = [values["model"][side]["block"].pop("residual_dropout") for side in ("encoder", "decoder")]
    assert sides == [0.4, 0.4] and values["model"]["encoder"]["layers"] == 5
    for side in ("encoder", "decoder"):
        del start["model"][side]["block"]["residual_dropout"]
    assert values["model"] == start["model"]


@pytest.mark.parametrize("word", ["model=rnn", "model/positions=rotary"])
def test_a_typed_option_replaces_the_section(word: str) -> None:
    values, start, plain = sections(word)
    assert (values["model"], values["tokenizer"]) == (plain["model"], start["tokenizer"])


def test_a_resumed_run_has_its_own_settings_and_those_of_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    words = ["data.path=corpus", "scores=[bleu,terms]", "scores.terms.file=g.tsv", "data.source_lang='1e3'"]
    recipe = compose_run([*words, "allow=[mine]", "hydra.run.dir=run"])
    recipe.folder.mkdir()
    (recipe.folder / "config.yaml").write_text(recipe.to_yaml(), "utf-8")
    resumed = read_recipe(recipe.folder, ["mine"], [*map(parse, words[::2]), parse("trainer.max_epochs=9")])
    assert resumed.plain == {**recipe.plain, "trainer": {**recipe.plain["trainer"], "max_epochs": 9}}
    assert resumed.plain["scores"]["terms"]["file"] == str(tmp_path / "g.tsv")
    assert read_recipe(recipe.folder).settings.allow == [], "the list of a file is not trusted"
    for wrong, said in (
        ("+a.b=1", "a: unknown key"),
        ("sed=1", "did you mean 'seed'"),
        ("model=rnn", "model: got 'rnn', expected a mapping"),
    ):
        with pytest.raises(UserError, match=said):
            read_recipe(recipe.folder, (), [parse(wrong)])


@pytest.mark.parametrize("text", ["a: &x [1]\nb: *x", "a: !!python/object:os.system {}", "[" * 100_000, "a: b: c", "3"])
def test_a_config_of_a_stranger_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(UserError, match=r"config\.yaml: damaged \(.*\); restore"):
        read_yaml(tmp_path / "config.yaml", dict[str, Any], remedy="restore it")
