"""The settings in which the configs of two runs differ."""

from __future__ import annotations

from typing import Any

import pytest

from nmt.lab.compare.runs import differences

ADAM = {"_target_": "torch.optim.Adam", "lr": 0.001}
BLOCK = {"_target_": "nmt.models.transformer.TransformerBlock", "width": 8}


def both_ways(one: dict[str, Any], other: dict[str, Any]) -> set[str]:
    """Return the differences, after a check that the order of the runs does not matter."""
    assert differences(one, other) == differences(other, one)
    return differences(one, other)


def test_a_different_value_is_a_difference() -> None:
    assert both_ways({"model": {"encoder": {"layers": 2}}}, {"model": {"encoder": {"layers": 3}}}) == {
        "model.encoder.layers"
    }
    assert both_ways({"init": None}, {"init": "a"}) == {"init"}


@pytest.mark.parametrize(
    ("section", "older", "key", "default", "other"),
    [
        ("optimizer", ADAM, "amsgrad", False, True),
        ("model", BLOCK, "qk_norm", False, True),
        ("data", {"_target_": "nmt.data.sources.hub.Hub", "name": "a"}, "streaming", False, True),
        ("data", {"_target_": "nmt.data.sources.hub.Hub", "name": "a"}, "subword_sampling", None, 0.2),
        ("data", {"path": None}, "more", None, {"back": {"train": "back.tsv"}}),
        ("tokenizer", {"joint": True}, "max_pairs", 1_000_000, 5),
    ],
)
def test_a_newer_setting_is_a_difference_unless_it_has_its_default(
    section: str, older: dict[str, Any], key: str, default: Any, other: Any
) -> None:
    assert both_ways({section: older}, {section: {**older, key: default}}) == set()
    assert both_ways({section: older}, {section: {**older, key: other}}) == {f"{section}.{key}"}


def test_a_newer_setting_without_a_default_is_a_difference() -> None:
    assert both_ways({"data": {"more": {}}}, {"data": {"more": {"back": {"train": "a"}}}}) == {"data.more.back"}
    strange = {"_target_": "my_package.Encoder"}
    assert both_ways({"model": strange}, {"model": {**strange, "depth": 2}}) == {"model.depth"}


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
