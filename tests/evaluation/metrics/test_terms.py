"""The share of the terms of a glossary that translations use."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest

from nmt.build import build_metrics
from nmt.config.compose import compose
from nmt.errors import UserError
from nmt.evaluation.metrics.spans import TermAccuracy
from tests.text.test_protect import COMMON


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
