"""The figures of a report as values, and as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from nmt.attention_map import DECIMALS
from nmt.build import architecture, search_node
from nmt.evaluation.metrics.base import Metric
from nmt.evaluation.split import Evaluation
from nmt.lab.attention.view import View, view
from nmt.lab.compare.compare import sentence_scores
from nmt.lab.compare.lengths import length_groups, length_unit, score_on
from nmt.lab.report.confidence import confidence
from nmt.lab.report.errors import Verdict, shares, totals
from nmt.lab.report.examples import Example
from nmt.lab.report.rarity import Rarity, WordGroup
from nmt.translation.translator import Translator


@dataclass(frozen=True)
class Group:
    """Some sentences, and their score as one corpus."""

    name: str
    sentences: int
    score: float


@dataclass(frozen=True)
class Report:
    """The content of a report. `model` is the architecture in few words; `update` is 0 if it is not known.

    `metric` is the name of the first metric, which the groups are scored with. `by_length` groups the sentences by the
    length of the source, `by_rarest` by the frequency in training of the rarest word of the reference, and `words` the
    words by their frequency. If the words of the training were not counted, `rarity` is None, and the latter two are
    empty. `faults` are shares from 0 to 1, `errors` are numbers of sentences (empty if the search cannot be judged).
    `confidence` is as from `confidence`. `attends` says whether there is cross attention.
    """

    name: str
    model: str
    update: int
    evaluation: Evaluation
    metric: str
    length_unit: str
    by_length: Sequence[Group]
    rarity: Rarity | None
    by_rarest: Sequence[Group]
    words: Sequence[WordGroup]
    faults: Mapping[str, float]
    errors: Mapping[str, int]
    confidence: Mapping[str, Any] | None
    examples: Mapping[str, Sequence[Example]]
    attends: bool


def report(
    translator: Translator,
    evaluation: Evaluation,
    verdicts: Sequence[Verdict],
    rarity: Rarity | None,
    examples: Mapping[str, Sequence[Example]],
    good: float,
) -> Report:
    """Return the report on an evaluation that `translator` made. Translations with a chrF of `good` count as good."""
    sources, references, hypotheses = evaluation.sources, evaluation.references, evaluation.hypotheses
    language = evaluation.subject.source_lang
    name, metric = next(iter(evaluation.scores.metrics.items()))
    lengths = {str(group): group.indices for group in length_groups(sources, language)}
    config = translator.model.config
    return Report(
        name=translator.name,
        model="" if config is None else architecture(config),
        update=translator.update,
        evaluation=evaluation,
        metric=name,
        length_unit=length_unit(language),
        by_length=_scored(lengths, metric, evaluation),
        rarity=rarity,
        by_rarest=[] if rarity is None else _scored(rarity.sentences(references), metric, evaluation),
        words=[] if rarity is None else rarity.words(references, hypotheses),
        faults=shares(sources, references, hypotheses),
        errors=totals(verdicts),
        confidence=confidence(evaluation.translations, sentence_scores(hypotheses, references), good),
        examples=examples,
        attends=translator.model.decoder.attends,
    )


def _scored(groups: Mapping[str, Sequence[int]], metric: Metric, evaluation: Evaluation) -> list[Group]:
    texts = evaluation.sources, evaluation.hypotheses, evaluation.references
    return [Group(name, len(places), score_on(places, metric, *texts)) for name, places in groups.items()]


def to_dict(report: Report) -> dict[str, Any]:
    """Return the report as plain values."""
    evaluation, subject, rarity = report.evaluation, report.evaluation.subject, report.rarity
    return {
        "name": report.name,
        "model": report.model,
        "update": report.update,
        **asdict(subject),
        "search": search_node(evaluation.search),
        "sentences": len(evaluation.references),
        "scores": evaluation.scores.to_dict(),
        "by_length": {
            "metric": report.metric,
            "unit": report.length_unit,
            "groups": [asdict(group) for group in report.by_length],
        },
        "by_rarity": rarity and {"metric": report.metric, "groups": [asdict(group) for group in report.by_rarest]},
        "words": rarity
        and {
            "words": rarity.words_are,
            "counted_in": rarity.origin,
            "groups": [_word_group(group) for group in report.words],
        },
        "faults": dict(report.faults),
        "errors": dict(report.errors),
        "confidence": report.confidence,
        "examples": {name: [_example(each) for each in found] for name, found in report.examples.items()},
    }


def _word_group(group: WordGroup) -> dict[str, Any]:
    measures = {"precision": group.precision, "recall": group.recall, "f_measure": group.f_measure}
    return {**asdict(group), **measures}


def _example(example: Example) -> dict[str, Any]:
    translation = example.translation
    return {
        "number": example.number,
        "source": example.source,
        "reference": example.reference,
        "hypothesis": example.hypothesis,
        "chrf": example.chrf,
        "kind": example.kind,
        "faults": list(example.faults),
        "score": translation.score,
        "log_prob": translation.log_prob,
        "pieces": translation.pieces,
        "token_log_probs": translation.token_log_probs,
        "n_best": [{"text": each.text, "score": each.score, "log_prob": each.log_prob} for each in example.n_best],
        "attention": None if example.attention is None else mean(view(example.attention)),
        "views": {name: mean(each.view()) for name, each in example.views.items()},
    }


def mean(seen: View) -> dict[str, Any]:
    """Return the mean of all layers and heads, with the labels of the rows and columns, and of the cells if any."""
    (rows, columns), (panel, _) = seen.axes, seen.panel()
    weights = panel.round(DECIMALS).astype(float).tolist()
    return {"rows": rows, "columns": columns, "weights": weights} | ({"cells": seen.cells} if seen.cells else {})
