"""The card of an exported model."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from nmt.checkpoint import LoadedModel
from nmt.deploy.export.base import Exportable
from nmt.deploy.export.card import write_card
from nmt.deploy.export.check import Report
from nmt.deploy.export.ctranslate2 import CTranslate2
from nmt.evaluation.metrics.base import score
from nmt.evaluation.metrics.bleu import BLEU
from nmt.text.protect import Spans
from tests.deploy.export.models import SEARCH, transformer
from tests.tiny_run import Run


def card_of(model: LoadedModel, folder: Path) -> str:
    scores = score({"bleu": BLEU()}, ["a dog"], ["a dog"], sources=["a dog"])
    write_card(CTranslate2(), Exportable(model, SEARCH, "a dog"), Report(1, 1e-6, 1.0, (scores, scores)), folder)
    return (folder / "README.md").read_text("utf-8")


def test_only_scores_are_in_the_table_of_scores(run: Run, tmp_path: Path) -> None:
    scores = {"val": {"loss": 2.5, "bleu": {"value": 39.5, "label": "BLEU", "signature": "a|b"}}, "weights": "average"}
    card = card_of(replace(transformer(run), scores=scores), tmp_path)
    table = card.partition("## Scores of the checkpoint")[2].partition("##")[0].split("\n")
    assert [line for line in table if line][2:] == ["| val | loss | 2.50 |  |", r"| val | BLEU | 39.50 | a\|b |"]


def test_the_card_says_what_spans_need_only_if_the_model_has_some(run: Run, tmp_path: Path) -> None:
    spans = Spans({"braces": "{.}", "tags": "<.>"})
    assert "(braces, tags)" in card_of(transformer(run, tokenizer=run.translator.tokenizer.with_spans(spans)), tmp_path)
    assert "marks" not in card_of(transformer(run), tmp_path)


def test_the_card_names_no_folder_of_this_machine(run: Run, tmp_path: Path) -> None:
    model = transformer(run)
    data = {**model.config["data"], "_target_": "nmt.data.sources.hub.Hub", "name": "/home/anna/corpus"}
    data["path"] = None  # files there would take the place of the data of the Hub
    assert "Its training data: Hub." in card_of(replace(model, config={**model.config, "data": data}), tmp_path)


def test_the_card_names_further_corpora_and_says_that_there_was_another_model(run: Run, tmp_path: Path) -> None:
    model = transformer(run)
    data = {**model.config["data"], "more": {"captions": {"train": "/home/anna/a.tsv"}, "talks": {"train": "b.tsv"}}}
    more = card_of(replace(model, config={**model.config, "data": data}), tmp_path)
    assert "Its training data: local files, captions, talks.\n\n" in more and "anna" not in more
    begun = card_of(replace(model, config={**model.config, "init": "/home/anna/run"}), tmp_path)
    assert "local files, those of another model." in begun and "anna" not in begun
