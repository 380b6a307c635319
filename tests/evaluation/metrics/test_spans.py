"""Kept spans, the share of the terms of a glossary that translations use, and the ratio of lengths."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest

from nmt.build import build_metrics, check_monitor
from nmt.config.compose import compose
from nmt.errors import UserError
from nmt.evaluation.metrics.base import Metric, score
from nmt.evaluation.metrics.length_ratio import LengthRatio
from nmt.evaluation.metrics.spans import KeptSpans, TermAccuracy
from tests.text.test_protect import COMMON

SOURCES = ["a {x} b", "{x} {y}", "{x} {x}", "plain", "plain"]
RIGHT = ["B {x} A", "{y} {x}", "{x}, {x}", "PLAIN", "PLAIN"]


def kept_spans() -> KeptSpans:
    return KeptSpans(patterns={"braces": r"\{\w\}"})


def test_lines_without_spans_do_not_count() -> None:
    assert kept_spans().score(RIGHT, RIGHT, sources=SOURCES).value == 100
    wrong = ["B A", "{y} {x}", "{x}", "{x}", "PLAIN"]  # one lost, one of two lost, one that the source does not have
    found = kept_spans().score(wrong, RIGHT, sources=SOURCES, bootstrap=100)
    assert found.value == 25 and found.signature is not None and found.signature.startswith("lines:4|patterns:")
    assert found.interval is not None and abs(found.interval.mean - 25) <= found.interval.half_width
    assert kept_spans().score(["a"], ["a"], sources=["b"]).value == 100
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


# Terms


@pytest.fixture
def metric(tmp_path: Path) -> TermAccuracy:
    words = {"file": "파일", "file name": "파일 이름", "URL": "URL", "formula": "公式", "column": "열"}
    (tmp_path / "terms.tsv").write_text("".join(f"{term}\t{word}\n" for term, word in words.items()), "utf-8")
    return TermAccuracy(file=str(tmp_path / "terms.tsv"))


@pytest.mark.parametrize(
    ("source", "translation", "share"),
    [
        ("a file", "파일을", 100),
        ("a file", "새파일", 0),  # within a word
        ("a file and a File", "파일", 50),
        ("a file and a File", "파일과 파일", 100),
        ("the file name of a file", "파일 이름", 50),  # what one term has used is not counted again
        ("the URL", "url은", 100),
        ("no terms", "파일", 100),
        ("Insert the formula.", "请插入公式。", 100),  # a script without spaces
        ("a URL", "打开URL", 100),
        ("column 2", "2열", 100),
        ("a file", "이것은 파일이라고 한다", 100),
        ("Select a column.", "파일을 열어 봅니다.", 0),  # another word
        ("a file", unicodedata.normalize("NFD", "파일을"), 100),
    ],
)
def test_each_term_needs_its_own_translation(metric: TermAccuracy, source: str, translation: str, share: float) -> None:
    found = metric.score([translation], [translation], sources=[source], bootstrap=10)
    assert found.value == share and found.signature is not None and found.signature.startswith("terms:")
    both = metric.score([translation, "URL"], [translation, "URL"], sources=[source, "URL"])
    total = 1 + int(found.signature.split("|")[0].removeprefix("terms:"))
    assert both.value == pytest.approx((100 + share * (total - 1)) / total)


def test_terms_inside_spans_do_not_count(metric: TermAccuracy) -> None:
    sources = ["Open https://x.org/file now", '<a href="file">x</a>', "Open {file} now", "Open {file} in the file"]
    found = replace(metric, patterns=COMMON.patterns).score(sources, sources, sources=sources)
    assert found.value == 0 and found.signature is not None and found.signature.startswith("terms:1|")


def test_the_shipped_option_needs_a_file(tmp_path: Path) -> None:
    nodes = compose("train", ["scores=[terms]"])["scores"]
    with pytest.raises(UserError, match=r"^scores\.terms\.file: not given; expected a glossary"):
        build_metrics(nodes, target_lang="ko")
    nodes = compose("train", ["scores=[terms]", f"scores.terms.file={tmp_path}/none.tsv"])["scores"]
    assert {**nodes["terms"]["patterns"]} == COMMON.patterns
    with pytest.raises(UserError, match=r"^scores\.terms\.file: .*none\.tsv: no such file"):
        build_metrics(nodes, target_lang="ko")
