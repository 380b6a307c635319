"""A split translated and scored, and the files that show it."""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import unicodedata
from dataclasses import replace
from pathlib import Path

import pytest

from nmt.data.normalization import normalized
from nmt.data.pair import SentencePair
from nmt.evaluation.metrics.base import Metric
from nmt.evaluation.metrics.bleu import BLEU
from nmt.evaluation.metrics.chrf import ChrF
from nmt.evaluation.metrics.exact_match import ExactMatch
from nmt.evaluation.metrics.spans import KeptSpans
from nmt.evaluation.metrics.ter import TER
from nmt.evaluation.split import Subject, evaluate, table, write_evaluation
from nmt.text.protect import Spans
from nmt.training.validation import validation_scores
from nmt.translation.loading import load_translator
from nmt.translation.translator import Translator
from tests.tiny_run import Run, sentences

SUBJECT = Subject(split="test", source_lang="en", target_lang="de", data="a list")


def test_the_sacrebleu_program_gives_the_score_of_the_written_files(run: Run, tmp_path: Path) -> None:
    """With line breaks of every kind inside the texts."""
    sources = sentences(6, seed=6)
    targets = ["a\rdog ", "b\u2028c", "", "two\r\nmen\n", "\x85x\x0by", "a man."]
    pairs = [SentencePair(*pair) for pair in zip(sources, targets, strict=True)]
    metrics = {"bleu": BLEU(), "exact": ExactMatch(), "chrfpp": ChrF(word_order=2), "ter": TER()}
    found = evaluate(run.translator, pairs, metrics, SUBJECT, bootstrap=20)
    interval = found.scores["bleu"].interval
    assert interval is not None and f"(95%: {interval})" in table(found)
    written = write_evaluation(tmp_path, found)
    named = write_evaluation(tmp_path / "2", replace(found, subject=replace(SUBJECT, checkpoint="my model")))
    commands = json.loads(named.read_text(encoding="utf-8"))["commands"]
    assert "test.my model.beam3.lp1.hyp.de" in shlex.split(commands["bleu"])
    assert list(commands) == ["bleu", "chrfpp", "ter"]
    assert sorted(path.name for path in (tmp_path / "translations").iterdir()) == [
        *("test.beam3.lp1.hyp.de", "test.beam3.lp1.ref.de", "test.beam3.lp1.scores.json", "test.beam3.lp1.src.en"),
    ]
    facts = json.loads(written.read_text(encoding="utf-8"))
    for name, command in facts["commands"].items():
        words = [sys.executable, "-m", *shlex.split(command), "-w", "10"]
        done = subprocess.run(words, cwd=written.parent, capture_output=True, check=True)
        assert facts["scores"][name]["value"] == pytest.approx(json.loads(done.stdout)["score"], abs=1e-8)
    assert facts["sentences"] == 6 and facts["search"]["beam_size"] == 3
    assert "bs:20" in facts["scores"]["bleu"]["signature"] and facts["scores"]["exact"]["signature"] is None


def test_references_are_normalized_as_translations_are(run: Run, tmp_path: Path) -> None:
    """The reference is a translation of this very model, typed in another way."""
    sources = [text for text in sentences(6, seed=6) if text]
    texts = [translation.text for translation in run.translator.translate(sources)]
    run_on = [f"{text}  한국어\u00a0é" for text in texts]
    spelt = [unicodedata.normalize("NFD", text) for text in run_on]
    found, usual = (
        evaluate(run.translator, list(map(SentencePair, sources, targets)), {"chrf": ChrF()}, SUBJECT)
        for targets in (spelt, run_on)
    )
    assert found.references == usual.references == [" ".join(text.split()) for text in run_on]
    assert found.data_sha256 == usual.data_sha256 and found.scores.to_dict() == usual.scores.to_dict()
    write_evaluation(tmp_path, found)
    (file,) = tmp_path.glob("translations/*.ref.*")
    assert file.read_text("utf-8").splitlines() == usual.references


def test_spans_in_another_unicode_form_change_no_score(run: Run) -> None:
    """The references are translations of this very model, so a span in another form would be an error."""
    ours = run.translator
    tokenizer = ours.tokenizer.with_spans(Spans({"braces": r"\{[^{}]+\}"}))
    translator = Translator(ours.model, tokenizer, ours.search.replace(max_length_extra=20))
    sources = ["a {이름} dog", "{é} sees {x\u00a0y}", "the bike"]
    targets = [each.text for each in translator.translate(sources)]
    metrics: dict[str, Metric] = {"exact": ExactMatch(), "spans": KeptSpans(patterns=tokenizer.spans.patterns)}
    read = []
    for form in ("NFC", "NFD"):
        sides = ([unicodedata.normalize(form, text) for text in texts] for texts in (sources, targets))
        pairs = list(map(SentencePair, *sides))
        found = evaluate(translator, pairs, metrics, SUBJECT)
        assert found.hypotheses == found.references == list(map(normalized, targets))
        assert {each.value for each in found.scores.values()} == {100}
        for translation in found.translations:
            assert {*tokenizer.spans.find(translation.source)} == {*tokenizer.spans.find(translation.text)}
        read.append([each.ids for each in translator.encode_pairs([each.source for each in pairs], found.references)])
        scores = validation_scores({"loss": 1.0, "nll": 1.0}, metrics, found.translations, pairs)
        assert scores["exact"] == scores["spans"] == 100
    assert read[0] == read[1], "the model reads the same references"


def test_evaluating_again_replaces_the_same_files_only(run: Run, tmp_path: Path) -> None:
    pairs = [SentencePair(line, line) for line in sentences(5, seed=8)]
    metrics = {"bleu": BLEU(tokenize="char")}
    found = evaluate(run.translator, pairs, metrics, SUBJECT)
    written = write_evaluation(tmp_path, found)
    hypothesis = written.with_name(found.files[1])
    hypothesis.write_text("to be replaced", encoding="utf-8")
    assert write_evaluation(tmp_path, found) == written
    assert hypothesis.read_text(encoding="utf-8").splitlines() == found.hypotheses
    assert "tok:char" in json.loads(written.read_text(encoding="utf-8"))["scores"]["bleu"]["signature"]
    others = [
        replace(found, subject=replace(SUBJECT, checkpoint="last")),
        replace(found, subject=replace(SUBJECT, own=False)),
        evaluate(run.translator, pairs[:2], metrics, replace(SUBJECT, own=False)),
        evaluate(load_translator(run.folder, device="cpu", beam_size=1), pairs, metrics, SUBJECT),
    ]
    for number, other in enumerate(others, start=2):
        write_evaluation(tmp_path, other)
        assert len(list((tmp_path / "translations").iterdir())) == 4 * number


def test_translations_with_a_problem_are_counted(run: Run, caplog: pytest.LogCaptureFixture) -> None:
    pairs = [SentencePair("", "a"), SentencePair("a dog", "b"), SentencePair("two red bike" * 9, "x")]
    evaluate(load_translator(run.folder, device="cpu", max_source_length=12), pairs, {"bleu": BLEU()}, SUBJECT)
    parts = "1 translation in parts, because the source is longer than 12 tokens (search.max_source_length); line 3"
    assert caplog.messages[0] == f"test: {parts}" and "(cut)" in caplog.text
