"""The settings in which the configs of two runs differ."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from nmt.config.compose import compose_run
from nmt.lab.compare.runs import OWN_TO_A_RUN, EvaluationSet, FinishedRun, differences

RESULTS = Path(__file__).resolve().parents[3] / "docs" / "results"


def both_ways(one: dict[str, Any], other: dict[str, Any]) -> set[str]:
    """Return the differences, after a check that the order of the runs does not matter."""
    assert differences(one, other) == differences(other, one)
    return differences(one, other)


def test_a_different_value_is_a_difference() -> None:
    assert both_ways({"model": {"encoder": {"layers": 2}}}, {"model": {"encoder": {"layers": 3}}}) == {
        "model.encoder.layers"
    }
    assert both_ways({"init": None}, {"init": "a"}) == {"init"}


@pytest.mark.parametrize("name", ["multi30k_transformer", "multi30k_bahdanau", "multi30k_rnn"])
def test_a_run_of_an_earlier_version_is_a_run_of_its_recipe(name: str) -> None:
    """The settings that came later have defaults."""
    stored = yaml.safe_load((RESULTS / name / "seed1" / "config.yaml").read_text("utf-8"))
    today = compose_run([f"experiment={name}", "data.path=data", "hydra.run.dir=run"]).plain
    assert both_ways(stored, today) <= OWN_TO_A_RUN
    freeze = {**today, "freeze": ["encoder"], "search": {**today["search"], "n_best": 2}}
    assert both_ways(stored, freeze) - OWN_TO_A_RUN == {"freeze", "search.n_best"}


def test_a_setting_that_one_run_lacks_has_its_default_there() -> None:
    assert both_ways({"data": {"path": None}}, {"data": {"path": None, "more": None}}) == set()
    assert both_ways({"data": {"more": {}}}, {"data": {"more": {"back": {"train": "a"}}}}) == {"data.more.back"}
    back = {"train": "a", "weight": 1.0}
    assert both_ways({"data": {"more": {"b": {"train": "a"}}}}, {"data": {"more": {"b": back}}}) == set()


def test_what_only_shows_the_training_is_no_difference() -> None:
    bleu, ter = ({"_target_": f"nmt.evaluation.metrics.{name}"} for name in ("bleu.BLEU", "ter.TER"))
    assert both_ways({"scores": {"bleu": bleu}}, {"scores": {"bleu": bleu, "ter": ter}}) == set()
    assert both_ways({"callbacks": {"samples": None}}, {"callbacks": {"samples": {"count": 3}, "watch": None}}) == set()
    tokenized = {"scores": {"bleu": {**bleu, "tokenize": "char"}}}  # it may choose the weights
    assert both_ways({"scores": {"bleu": bleu}}, tokenized) == {"scores.bleu.tokenize"}


def test_a_path_that_is_not_published_may_be_any_path() -> None:
    assert both_ways({"data": {"path": "FOLDER"}}, {"data": {"path": "/my/data"}}) == set()
    assert both_ways({"init": "RUN_FOLDER"}, {"init": "/my/run"}) == set()
    assert both_ways({"init": "RUN_FOLDER"}, {"init": None}) == {"init"}
    assert both_ways({"data": {"path": "/a"}}, {"data": {"path": "/b"}}) == {"data.path"}


def run(**config: Any) -> FinishedRun:
    return FinishedRun(Path("run"), config, {}, EvaluationSet("en", "de", (), ()), (), 0.0)


def test_a_seed_a_name_and_a_newer_setting_leave_the_system_the_same() -> None:
    model = {"encoder": {"layers": 2}}
    older = run(seed=1, name="a", model=model, search={"beam_size": 5, "batch_tokens": 1000})
    newer = run(seed=2, name="b", model=model, search={"beam_size": 5, "batch_tokens": 2000}, init=None)
    assert older.same_system(newer) and newer.same_system(older)


def test_runs_that_began_with_other_runs_are_one_system_by_their_name_and_not_by_their_beginning() -> None:
    one, again = run(seed=1, name="a", init="/a/seed1"), run(seed=2, name="a", init="/a/seed2")
    assert one.same_system(again) and again.same_system(one)
    assert not one.same_system(run(seed=2, name="b", init="/b/seed2"))
    assert not one.same_system(run(seed=1, name="a", init="/a/seed2"))
    assert not one.same_system(run(seed=2, name="a", init=None))
    assert not run(seed=2, name="a").same_system(one)
