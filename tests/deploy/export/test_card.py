"""The card of an exported model."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from nmt.checkpoint import LoadedModel
from nmt.deploy.export.argos import Argos
from nmt.deploy.export.base import Exportable
from nmt.deploy.export.card import write_card
from nmt.deploy.export.check import Report
from nmt.deploy.export.ctranslate2 import CTranslate2
from nmt.evaluation.metrics.base import score
from nmt.evaluation.metrics.bleu import BLEU
from nmt.text.protect import Spans
from tests.deploy.export.models import SEARCH, transformer
from tests.tiny_run import Run

pytest.importorskip("ctranslate2")


def card_of(model: LoadedModel, folder: Path) -> str:
    scores = score({"bleu": BLEU()}, ["a dog"], ["a dog"], sources=["a dog"])
    write_card(CTranslate2(), Exportable(model, SEARCH, "a dog"), Report(1, 1e-6, 1.0, (scores, scores)), folder)
    return (folder / "README.md").read_text("utf-8")


def test_the_card_says_what_spans_need_only_if_the_model_has_some(run: Run, tmp_path: Path) -> None:
    spans = Spans({"braces": "{.}", "tags": "<.>"})
    assert "(braces, tags)" in card_of(transformer(run, tokenizer=run.translator.tokenizer.with_spans(spans)), tmp_path)
    plain = card_of(transformer(run), tmp_path)
    assert "marks" not in plain and "| bleu | 1.50 |\n\n## The same" in plain


@pytest.mark.parametrize(
    ("source", "target", "hub", "tags", "argos"),
    [
        ("en", "deu", ["en", "de"], None, ["en", "de", "English", "German"]),
        ("pt_BR", "zh_TW", ["pt", "zh"], ["pt-BR", "zh-Hant"],
         ["pb", "zt", "Portuguese (Brazil)", "Chinese (Traditional)"]),
    ],
)  # fmt: skip
def test_the_codes_of_languages_are_those_of_the_other_program(
    source: str, target: str, hub: list[str], tags: list[str] | None, argos: list[str], run: Run, tmp_path: Path
) -> None:
    model = transformer(run)
    data = {**model.config["data"], "source_lang": source, "target_lang": target}
    model = replace(model, config={**model.config, "data": data})
    head = yaml.safe_load(card_of(model, tmp_path).split("---")[1])
    assert (head["language"], head.get("language_bcp47")) == (hub, tags)
    Argos().write(Exportable(model, SEARCH, "a dog"), tmp_path)
    with zipfile.ZipFile(tmp_path / "translate.argosmodel") as archive:
        about = json.loads(archive.read(f"{archive.namelist()[0].partition('/')[0]}/metadata.json"))
    assert [about[name] for name in ("from_code", "to_code", "from_name", "to_name")] == argos


def test_the_card_names_the_training_data_but_no_folder_of_this_machine(run: Run, tmp_path: Path) -> None:
    model = transformer(run)
    hub = {"_target_": "nmt.data.sources.hub.Hub", "name": "/home/anna/corpus", "path": None}
    data = {**model.config["data"], **hub, "more": {"talks": {"train": "/home/anna/a.tsv"}}}
    more = card_of(replace(model, config={**model.config, "data": data}), tmp_path)
    assert "Its training data: Hub, talks.\n\n" in more and "anna" not in more
    begun = card_of(replace(model, config={**model.config, "init": "/home/anna/run"}), tmp_path)
    assert "local files, those of another model." in begun and "anna" not in begun
