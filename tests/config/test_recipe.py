"""A run that starts from a checkpoint: whose settings count; and a config.yaml that cannot be read."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from nmt.config.compose import compose, with_checkpoint_settings
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


def test_a_typed_setting_counts_also_if_it_is_the_default() -> None:
    values, _, plain = sections(f"model.encoder.layers={compose('train')['model']['encoder']['layers']}")
    assert values["model"] == plain["model"]


def test_fine_tuning_has_the_languages_of_the_checkpoint_unless_they_are_typed() -> None:
    words = ["experiment=fine_tune", "data.target_lang=fr"]
    data = with_checkpoint_settings(compose("train", words), compose("train", ["data.source_lang=ko"]), words)["data"]
    assert (data["source_lang"], data["target_lang"]) == ("ko", "fr")


@pytest.mark.parametrize("word", ["model=rnn", "model/positions=rotary"])
def test_a_typed_option_replaces_the_section(word: str) -> None:
    values, start, plain = sections(word)
    assert (values["model"], values["tokenizer"]) == (plain["model"], start["tokenizer"])


@pytest.mark.parametrize("text", ["a: !!python/object:os.system {}", "[" * 100_000, "a: b: c", "3"])
def test_a_config_of_a_stranger_is_refused_in_one_line(tmp_path: Path, text: str) -> None:
    (tmp_path / "config.yaml").write_text(text)
    with pytest.raises(UserError, match=r"config\.yaml: damaged \(.*\); restore"):
        read_yaml(tmp_path / "config.yaml", dict[str, Any], remedy="restore it")
