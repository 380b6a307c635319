"""The scores of a corpus by several metrics, and a metric of one's own."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from nmt.build import build_metrics
from nmt.data.pair import SentencePair
from nmt.errors import UserError
from nmt.evaluation.metrics.base import Metric, Score, labels, score
from nmt.evaluation.metrics.bleu import BLEU
from nmt.evaluation.metrics.exact_match import ExactMatch
from nmt.evaluation.metrics.ter import TER
from nmt.evaluation.split import Subject, evaluate, table, write_evaluation
from tests.evaluation.metrics.corpus import HYPOTHESES, REFERENCES
from tests.tiny_run import Run, sentences

NODES: dict[str, dict[str, Any]] = {
    "bleu": {"_target_": "nmt.evaluation.metrics.bleu.BLEU", "tokenize": None},
    "ter": {"_target_": "nmt.evaluation.metrics.ter.TER"},
}


@dataclass(frozen=True, kw_only=True)
class LengthRatio(Metric):
    """A metric of one's own."""

    label = "length"
    unit = "% of the reference"

    characters: bool = False

    def score(
        self, hypotheses: Sequence[str], references: Sequence[str], *, sources: Sequence[str] = (), bootstrap: int = 0
    ) -> Score:
        units = [line if self.characters else line.split() for line in (*hypotheses, *references)]
        sizes = [len(line) for line in units]
        return Score(100.0 * sum(sizes[: len(references)]) / sum(sizes[len(references) :]))


class NoMetric:
    pass


def test_scores_are_a_mapping_in_the_order_of_the_metrics() -> None:
    scores = score({"ter": TER(), "bleu": BLEU()}, HYPOTHESES, REFERENCES, sources=REFERENCES, bootstrap=20)
    assert list(scores) == ["ter", "bleu"] and len(scores) == 2 and scores.metrics["ter"].label == "TER"
    plain = json.loads(json.dumps(scores.to_dict()))
    assert list(plain) == ["ter", "bleu"]
    assert plain["ter"]["higher_is_better"] is False and plain["bleu"]["higher_is_better"] is True
    bleu = scores["bleu"]
    assert bleu.interval is not None and plain["bleu"] == {
        **{"label": "BLEU", "value": bleu.value, "unit": "points", "higher_is_better": True},
        **{"signature": bleu.signature, "interval": vars(bleu.interval)},
    }
    exact = score({"exact": ExactMatch()}, HYPOTHESES, REFERENCES, sources=REFERENCES).to_dict()["exact"]
    assert exact["signature"] is None and exact["interval"] is None and exact["value"] == pytest.approx(20.0)


def test_the_value_of_a_score_is_a_plain_number() -> None:
    for number in (np.float32(5), np.float64(5), torch.tensor(5.0)):
        assert type(Score(number).value) is float and json.dumps(Score(number).value) == "5.0"  # type: ignore[arg-type]


def test_statistics_of_one_number_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ExactMatch, "statistics", lambda *lines, sources: [[1.0]] * len(HYPOTHESES))
    with pytest.raises(UserError, match="must give two or more finite numbers a sentence"):
        score({"exact": ExactMatch()}, HYPOTHESES, REFERENCES, sources=REFERENCES)


def test_metrics_with_one_label_are_told_apart_by_their_names() -> None:
    """Tables, results.tsv and the list of signatures need a label for each metric."""
    metrics = {"bleu": BLEU(), "ter": TER(), "char": BLEU(tokenize="char")}
    expected = {"bleu": "BLEU (bleu)", "ter": "TER", "char": "BLEU (char)"}
    assert labels(metrics) == expected
    plain = score(metrics, HYPOTHESES, REFERENCES, sources=REFERENCES).to_dict()
    assert {name: entry["label"] for name, entry in plain.items()} == expected


@pytest.mark.parametrize(
    ("nodes", "words"),
    [
        ({}, "scores: got no metric"),
        ({"loss": NODES["bleu"]}, "scores.loss: validation has a figure of this name"),
        ({"bleu": {**NODES["bleu"], "tokenize": "chars"}}, "scores.bleu.tokenize: got 'chars', expected one of 13a, "),
        ({"bleu": {**NODES["bleu"], "target_lang": "de"}}, "scores.bleu.target_lang: the program sets this parameter"),
        ({"a": {"_target_": "nmt.evaluation.metrics.base.Score"}}, "must take target_lang"),
    ],
)
def test_nodes_that_do_not_fit_are_refused_in_one_line(nodes: dict[str, Any], words: str) -> None:
    with pytest.raises(UserError) as error:
        build_metrics(nodes, target_lang="de")
    assert words in str(error.value) and "\n" not in str(error.value)


@pytest.fixture
def own() -> dict[str, Metric]:
    """BLEU, and a metric from a package outside this project."""
    nodes = {**NODES, "length": {"_target_": f"{__name__}.LengthRatio", "characters": True}}
    with pytest.raises(UserError, match=r"add allow=\[tests\]"):
        build_metrics(nodes, target_lang="de")
    with pytest.raises(UserError, match=r"NoMetric must take target_lang"):
        build_metrics({"a": {"_target_": f"{__name__}.NoMetric"}}, target_lang="de", allow=["tests"])
    return build_metrics(nodes, target_lang="de", allow=["tests"])


def test_a_metric_of_ones_own_is_shown_everywhere(own: dict[str, Metric], run: Run, tmp_path: Path) -> None:
    pairs = [SentencePair(line, line) for line in sentences(4, seed=3)]
    subject = Subject(split="test", source_lang="en", target_lang="de", data="a list")
    found = evaluate(run.translator, pairs, own, subject, bootstrap=5)
    value = 100 * sum(map(len, found.hypotheses)) / sum(map(len, found.references))
    shown = [line.split() for line in table(found).splitlines()[1:]]
    assert shown[2] == ["length", f"{value:.2f}", "%", "of", "the", "reference"]
    written = write_evaluation(tmp_path, found)
    facts = json.loads(written.read_text(encoding="utf-8"))
    assert facts["scores"]["length"]["value"] == pytest.approx(value) and list(facts["commands"]) == ["bleu", "ter"]


@pytest.mark.parametrize("count", [1, 15, 29])
def test_the_interval_of_a_percentage_has_only_percentages(count: int) -> None:
    found = ExactMatch().score(["a"] * count + ["b"] * (30 - count), ["a"] * 30, bootstrap=1000).interval
    assert found is not None
    low, high = found.mean - found.half_width, found.mean + found.half_width
    assert -1e-9 < low < 100 * count / 30 < high < 100 + 1e-9
    assert found.half_width == pytest.approx(1.96 * 100 * (count * (30 - count) / 30**3) ** 0.5, abs=2)
