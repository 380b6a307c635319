"""YAML files of one's own: what is said of the mistakes of an experiment, and a key that is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from nmt.build import build_objects
from nmt.config.compose import compose_run
from nmt.config.groups import use_configs_of
from nmt.errors import UserError


@pytest.fixture
def experiment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The place of an experiment of the user's own, `experiment=mine`."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "own" / "experiment" / "mine.yaml"
    path.parent.mkdir(parents=True)
    return path


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("defaults:\n  - override /model: rnnn\n", "model: got 'rnnn', expected one of hybrid, rnn"),
        ("defaults:\n  - override /modle: rnn\n", "Could not override 'modle'"),
        ("defaults:\n  - demo_rn\n", "did you mean 'demo_rnn'?"),
        ("name: mine\n data: 3\n", "own/experiment/mine.yaml, line 3: cannot be read as YAML (mapping values are not"),
        ("data: {limit: 0}\n", "data.limit: got 0, expected an integer of at least 1 or null"),
        ("data: {limi: 2}\n", "data.limi: unknown key; did you mean 'limit'?"),
    ],
)
def test_a_mistake_in_an_experiment_of_ones_own(experiment: Path, text: str, words: str) -> None:
    experiment.write_text(f"# @package _global_\n{text}", "utf-8")
    use_configs_of("own")
    with pytest.raises(UserError) as error:
        build_objects(compose_run(["experiment=mine"]).settings)
    assert words in str(error.value) and "\n" not in str(error.value)


def test_an_experiment_that_is_not_made_for_a_model_can_leave_a_key_out() -> None:
    with pytest.raises(UserError, match=r"model\.encoder\.block: unknown key"):
        build_objects(compose_run(["experiment=demo", "model=rnn"]).settings)
    build_objects(compose_run(["experiment=demo", "model=rnn", "~model.encoder.block"]).settings)
