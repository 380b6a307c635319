"""Kept spans and the ratio of lengths."""

from __future__ import annotations

import pytest

from nmt.build import build_metrics, check_monitor
from nmt.config.compose import compose
from nmt.errors import UserError
from nmt.evaluation.metrics.base import Metric, score
from nmt.evaluation.metrics.length_ratio import LengthRatio
from nmt.evaluation.metrics.spans import KeptSpans

SOURCES = ["a {x} b", "{x} {y}", "{x} {x}", "plain", "plain"]
RIGHT = ["B {x} A", "{y} {x}", "{x}, {x}", "PLAIN", "PLAIN"]


def metric() -> KeptSpans:
    return KeptSpans(patterns={"braces": r"\{\w\}"})


def test_lines_without_spans_do_not_count() -> None:
    assert metric().score(RIGHT, RIGHT, sources=SOURCES).value == 100
    wrong = ["B A", "{y} {x}", "{x}", "{x}", "PLAIN"]  # one lost, one of two lost, one that the source does not have
    found = metric().score(wrong, RIGHT, sources=SOURCES, bootstrap=100)
    assert found.value == 25 and found.signature is not None and found.signature.startswith("lines:4|patterns:")
    assert found.interval is not None and abs(found.interval.mean - 25) <= found.interval.half_width
    assert metric().score(["a"], ["a"], sources=["b"]).value == 100
    other = KeptSpans(patterns={"braces": r"\{\w+\}"})
    assert other.score(wrong, RIGHT, sources=SOURCES).signature != found.signature


def test_the_ratio_of_lengths_is_of_characters() -> None:
    assert LengthRatio().score(["ab", "c"], ["abcd", "ef"]).value == 50
    assert LengthRatio().score(["ab"], [""]).value == 100  # there is nothing to compare with


def test_shipped_options_are_built_and_scored() -> None:
    nodes = compose("train", ["scores=[bleu,spans,length_ratio]"])["scores"]
    metrics: dict[str, Metric] = build_metrics(nodes, target_lang="de")
    found = score(metrics, RIGHT, RIGHT, sources=SOURCES)
    assert found["spans"].value == 100 and found["length_ratio"].value == 100
    with pytest.raises(UserError, match="neither a higher nor a lower length is better"):
        check_monitor("length_ratio", metrics)


def test_patterns_that_cannot_be_used_name_their_key() -> None:
    nodes = compose("train", ["scores=[spans]", "scores.spans.patterns.urls='('"])["scores"]
    with pytest.raises(UserError, match=r"^scores\.spans\.patterns: spans\.urls: got '\('"):
        build_metrics(nodes, target_lang="de")
