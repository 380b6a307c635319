"""Every metric of configs/scores: what all of them keep to, and their values against the sacrebleu program."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from nmt.build import build_metrics
from nmt.config.compose import compose
from nmt.evaluation.metrics.base import Metric
from nmt.evaluation.metrics.bleu import BLEU
from nmt.evaluation.metrics.exact_match import ExactMatch
from nmt.evaluation.metrics.ter import TER
from tests.evaluation.metrics.corpus import HYPOTHESES, REFERENCES
from tests.optional import SCORES

GLOSSARY = Path(__file__).with_name("glossary.tsv")
NODES = compose("train", [f"scores=[{','.join(SCORES)}]", f"scores.terms.file='{GLOSSARY}'"])["scores"]
SHIPPED = build_metrics(NODES, target_lang="de")
OF_SACREBLEU = {
    **{name: metric for name, metric in SHIPPED.items() if metric.sacrebleu_arguments},
    "korean": BLEU(target_lang="ko"),
    "tercom": TER(case_sensitive=True, normalized=True, no_punct=True, asian_support=True),
}
# test_spans.py has the others
QUALITIES = [name for name, each in SHIPPED.items() if not each.reads_sources and each.higher_is_better is not None]


@pytest.fixture(params=QUALITIES)
def metric(request: pytest.FixtureRequest) -> Metric:
    return SHIPPED[request.param]


def test_the_perfect_corpus_is_the_best(metric: Metric) -> None:
    perfect, real = metric.score(REFERENCES, REFERENCES).value, metric.score(HYPOTHESES, REFERENCES).value
    assert perfect == pytest.approx(100.0 if metric.higher_is_better else 0.0)
    assert real < perfect if metric.higher_is_better else real > perfect


def test_an_interval_only_where_a_bootstrap_is_asked_for(metric: Metric) -> None:
    assert metric.score(HYPOTHESES, REFERENCES).interval is None
    found = metric.score(HYPOTHESES, REFERENCES, bootstrap=200)
    assert found.interval is not None and found.interval.half_width > 0
    assert abs(found.interval.mean - found.value) < found.interval.half_width
    assert metric.score(HYPOTHESES, REFERENCES, bootstrap=200) == found, "the seed is fixed"


def test_intervals_where_some_resamples_score_nothing(metric: Metric) -> None:
    found = metric.score(["a", "b", "c d e f"], ["x", "y", "c d e f"], bootstrap=50).interval
    assert found is not None and found.half_width > 0
    nothing = metric.score(["a"], ["b"], bootstrap=10).interval
    assert nothing is not None and (nothing.mean, nothing.half_width) == (0.0 if metric.higher_is_better else 100.0, 0)


def test_nothing_of_sacrebleu_on_the_terminal(metric: Metric, capfd: pytest.CaptureFixture[str]) -> None:
    metric.score(["a dog ."] * 150, ["a dog ."] * 150, bootstrap=10)
    captured = capfd.readouterr()
    assert captured.out == "" and captured.err == ""


@pytest.mark.parametrize("name", OF_SACREBLEU)
def test_equals_the_sacrebleu_program(tmp_path: Path, name: str) -> None:
    metric = OF_SACREBLEU[name]
    assert metric.sacrebleu_arguments is not None
    (tmp_path / "ref").write_text("".join(f"{line}\n" for line in REFERENCES), encoding="utf-8")
    (tmp_path / "hyp").write_text("".join(f"{line}\n" for line in HYPOTHESES), encoding="utf-8")
    command = [sys.executable, "-m", "sacrebleu", "ref", "-i", "hyp", *metric.sacrebleu_arguments, "-w", "10"]
    command += ["--confidence", "--confidence-n", "50"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, encoding="utf-8", check=True)
    theirs = json.loads(done.stdout)
    ours = metric.score(HYPOTHESES, REFERENCES, bootstrap=50)
    assert ours.interval is not None and ours.signature == theirs["signature"]
    assert ours.value == pytest.approx(theirs["score"], abs=1e-8)
    assert ours.interval.mean == pytest.approx(theirs["confidence_mean"], abs=1e-4)
    assert ours.interval.half_width == pytest.approx(theirs["confidence_var"], abs=1e-4)
    assert theirs["name"].replace("chrF2", "chrF") == metric.label


@pytest.mark.parametrize(
    ("language", "tokenizer"),
    [("de", "13a"), ("zh-TW", "zh"), ("zho_Hans", "zh"), ("ko", "char"), ("ja_JP", "char"), ("kor_Hang", "char")],
)
def test_the_tokenizer_of_bleu_is_the_languages_unless_one_is_chosen(language: str, tokenizer: str) -> None:
    found = BLEU(target_lang=language).score(["가 나 다 라 마"], ["가 나 다 라 바"])
    assert found.signature is not None and f"tok:{tokenizer}|" in found.signature
    chosen = BLEU(target_lang=language, tokenize="intl").score(["가 나"], ["가 나"])
    assert chosen.signature is not None and "tok:intl|" in chosen.signature and "case:mixed" in chosen.signature


def test_an_empty_line_matches_no_reference() -> None:
    assert ExactMatch().score(["", " ", "a", "a "], ["", "", "a", ""]).value == 25.0
