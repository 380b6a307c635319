"""The program that scores a checkpoint."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from nmt.cli import evaluate as evaluate_program
from nmt.cli.arguments import read_config
from nmt.errors import UserError
from nmt.evaluation.metrics.bleu import BLEU
from nmt.system.lines import as_line
from nmt.text.protect import Spans
from nmt.text.terms import Terms
from nmt.translation.translator import Translator
from tests.tiny_run import Run, save_other, with_spans


def test_evaluate_program(run: Run, elsewhere: Path, capsys: pytest.CaptureFixture[str]) -> None:
    relative = os.path.relpath(run.folder)
    evaluate_program.main([f"ckpt={relative}", "bootstrap=10", "search.length_penalty=0.5"])
    out = capsys.readouterr().out
    hypotheses = (run.folder / "translations" / "test.beam3.lp0.5.hyp.de").read_text(encoding="utf-8").splitlines()
    references = (run.data / "test.de").read_text(encoding="utf-8").splitlines()
    expected = BLEU().score(hypotheses, references, bootstrap=10)
    assert f"{expected.value:.2f}" in out and str(expected.signature) in out and "exact match" in out
    facts = json.loads((run.folder / "translations" / "test.beam3.lp0.5.scores.json").read_text(encoding="utf-8"))
    assert facts["scores"]["bleu"]["value"] == expected.value and facts["search"]["length_penalty"] == 0.5
    translated = run.translator.translate(
        (run.data / "test.en").read_text(encoding="utf-8").splitlines(), length_penalty=0.5
    )
    assert hypotheses == [as_line(t.text) for t in translated]


def test_evaluate_program_refuses_a_checkpoint_without_data(run: Run, tmp_path: Path) -> None:
    run.translator.save(tmp_path / "mine.safetensors")
    with pytest.raises(UserError, match="saved from Python without data settings"):
        evaluate_program.main([f"ckpt={tmp_path}/mine.safetensors"])


def test_a_folder_that_cannot_be_written_is_refused_before_the_translation(
    run: Run, elsewhere: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("mine", "utf-8")
    with pytest.raises(UserError, match=r"file: cannot be written \(.*\); write elsewhere: out=FOLDER"):
        evaluate_program.main([f"ckpt={run.folder}", f"out={tmp_path}/file"])
    assert "translating" not in capfd.readouterr().err
    assert (tmp_path / "file").read_text("utf-8") == "mine"


def test_evaluate_program_on_other_data_from_a_lone_file(run: Run, tmp_path: Path, elsewhere: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    (other / "dev.tsv").write_text("a dog\tgod a\nred\tder\n", encoding="utf-8")
    lone = tmp_path / "lone.safetensors"
    lone.write_bytes((run.folder / "checkpoints" / "best.safetensors").read_bytes())
    words = ["split=val", "bootstrap=0", "search=greedy", "data.path=../other"]
    evaluate_program.main([f"ckpt={lone}", *words])
    (lines,) = (tmp_path / "translations").glob("val.lone.beam1.lp1.????????.src.en")
    assert lines.read_text(encoding="utf-8") == "a dog\nred\n"


def test_evaluate_warns_of_data_in_another_language(
    run: Run, tmp_path: Path, elsewhere: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for split in ("train", "val", "test"):
        (tmp_path / f"{split}.tsv").write_text("a dog\t개\n", encoding="utf-8")
    for language, warned in (("de", False), ("ko", True)):
        words = [f"data.path={tmp_path}", f"data.target_lang={language}", f"out={tmp_path / language}"]
        evaluate_program.main([f"ckpt={run.folder}", *words, "bootstrap=0"])
        told = "best.safetensors translates en to de, but these data are en to ko" in capfd.readouterr().err
        assert told is warned


def test_a_run_in_both_directions_is_scored_in_both(run: Run, tmp_path: Path) -> None:
    both = save_other(run, tmp_path / "both.safetensors", both_directions=True)
    words = [f"ckpt={both}", f"out={tmp_path}"]
    inputs = []
    for languages in ([], ["data.source_lang=de", "data.target_lang=en"]):
        config = read_config("evaluate", [*words, *languages], evaluate_program.EvaluateConfig)
        inputs.append(evaluate_program.load_inputs(config))
    forward, backward = inputs
    assert forward.translator.languages == ("en", "de") and backward.translator.languages == ("de", "en")
    assert [pair.source for pair in backward.pairs] == [pair.target for pair in forward.pairs]
    one_way = save_other(run, tmp_path / "one_way.safetensors")
    for order in (f"{both},{one_way}", f"{one_way},{both}"):
        config = read_config("evaluate", [f"ckpt=[{order}]", *words[1:], *languages], evaluate_program.EvaluateConfig)
        with pytest.raises(UserError, match=r"^data\.source_lang: .*one_way\.safetensors translates en to de, not"):
            evaluate_program.load_inputs(config)


OWN = {"path": None, "train": "t.tsv", "val": None, "test": ["a", "b"], "limit": 3}
PAIRED = {"source_lang": "en", "target_lang": "de", "path": None, "train": ["t.en", "t.de"], "test": ["x.en", "x.de"]}
LINKED = {"path": None, "name": "a/corpus", "train_alignment": "t", "val_alignment": "v"}
BACKWARDS = {"source_lang": "de", "target_lang": "en"}
SWAPPED = {**PAIRED, **BACKWARDS, "swapped": True}


@pytest.mark.parametrize(
    ("own", "given", "expected"),
    [
        (OWN, {"path": "p", "val": "v.tsv"}, {"path": "p", "train": None, "val": "v.tsv", "test": None, "limit": 3}),
        (OWN, {"test": "x"}, {**OWN, "test": "x"}),
        ({"path": "p", "name": None}, {"name": "a/corpus"}, {"path": None, "name": "a/corpus"}),
        (PAIRED, BACKWARDS, SWAPPED),
        (PAIRED, {**BACKWARDS, "test": ["y.de", "y.en"]}, {**SWAPPED, "test": ["y.en", "y.de"]}),
        (PAIRED, {"source_lang": "en"}, PAIRED),
        (LINKED, {"path": "p"}, {**LINKED, "path": "p", "train_alignment": None, "val_alignment": None}),
        (LINKED, {"val": "v.tsv"}, {**LINKED, "val": "v.tsv", "val_alignment": None}),
    ],
)
def test_given_data_settings_replace_those_of_the_run(
    own: dict[str, Any], given: dict[str, Any], expected: dict[str, Any]
) -> None:
    found = evaluate_program.merge_data(own, given)
    assert {key: value for key, value in found.items() if key in own or value is not None} == expected


@pytest.mark.parametrize(
    ("words", "match"),
    [
        (["ckpt={run}", "data=cldr"], "this program has no such group"),
        (["ckpt={run}", "scores=[bleu]", "scores.ter.no_punct=true"], "scores.ter: got .*, expected .* metrics bleu"),
        (["ckpt={run}", "device=tpu9"], "device=tpu9"),
        (["ckpt={run}", "terms=a.tsv", "scores.terms=b"], r"^a\.tsv: no such file"),
    ],
)
def test_evaluate_program_refuses(run: Run, elsewhere: Path, words: list[str], match: str) -> None:
    with pytest.raises(UserError, match=match):
        evaluate_program.main([word.format(run=run.folder) for word in words])


def test_a_glossary_is_used_and_its_terms_are_scored(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "terms.tsv").write_text("dog\tgod\nred\tder\n", "utf-8")
    ckpt = with_spans(run, tmp_path / "run" / "checkpoints" / "best.safetensors")
    glossary, out = f"terms={tmp_path}/terms.tsv", f"out={tmp_path}/out"
    evaluate_program.main([f"ckpt={ckpt}", glossary, out, "bootstrap=0"])
    assert re.search(r"terms +[0-9.]+ +terms:", capsys.readouterr().out)
    written = tmp_path / "out" / "translations"
    (file,) = written.glob("test.terms-????????.beam3.lp1.scores.json")
    facts = json.loads(file.read_text("utf-8"))
    hypotheses = Path(str(file).replace("scores.json", "hyp.de")).read_text("utf-8").splitlines()
    tokenizer = run.translator.tokenizer.with_spans(Spans({"braces": r"\{\w\}"}))
    knowing = Translator(run.translator.model, tokenizer, run.translator.search)
    texts = (run.data / "test.en").read_text("utf-8").splitlines()
    terms = Terms({"dog": "god", "red": "der"})
    assert hypotheses == [as_line(each.text) for each in knowing.with_terms(terms).translate(texts)]
    count = len(re.findall(r"\b(?:dog|red)\b", " ".join(texts)))
    assert facts["scores"]["terms"]["signature"].startswith(f"terms:{count}|")
    evaluate_program.main(
        [f"ckpt={ckpt}", "scores=[terms]", f"scores.terms.file={tmp_path}/terms.tsv", out, "bootstrap=0"]
    )
    plain = (written / "test.beam3.lp1.hyp.de").read_text("utf-8").splitlines()
    assert plain == [as_line(each.text) for each in run.translator.translate(texts)] != hypotheses
    with pytest.raises(UserError, match=r"^scores\.terms\.file: terms= names the glossary already"):
        evaluate_program.main([f"ckpt={ckpt}", glossary, "scores=[terms]", f"scores.terms.file={tmp_path}/other.tsv"])
