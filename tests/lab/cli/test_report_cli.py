"""The program that reports on a checkpoint's translations."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from nmt.cli import evaluate
from nmt.errors import UserError
from nmt.lab.cli import report as program
from tests.html_page import Page
from tests.tiny_run import Run, save_other

QUICK = ["bootstrap=10", "examples=1", "search.beam_size=2", "n_best=2"]


def test_the_report_stands_beside_the_evaluation_and_has_its_scores(
    run: Run, tmp_path: Path, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    evaluate.main([f"ckpt={run.folder}", "bootstrap=10", "search.beam_size=2", f"out={tmp_path}/one"])
    printed = capsys.readouterr().out.split(" (")[0]
    words = [f"ckpt={run.folder}", *QUICK, f"out={tmp_path}/two"]
    program.main(words)
    said = capsys.readouterr()
    assert said.out.startswith(printed)
    one, two = (tmp_path / name / "translations" for name in ("one", "two"))
    alone = {path.name: path.read_bytes() for path in one.iterdir()}
    beside = {path.name: path.read_bytes() for path in two.iterdir()}
    label = "test.beam2.lp1"
    page = Page(beside.pop(f"{label}.report.html").decode())
    figures = json.loads(beside.pop(f"{label}.report.json"))
    evaluations = [json.loads(each.pop(f"{label}.scores.json")) for each in (alone, beside)]
    assert alone == beside
    for facts in evaluations:
        for key in ("scores", "search", "sentences", "split", "data", "source_lang", "target_lang"):
            assert facts[key] == figures[key], key
    assert figures["update"] == 7 and "tiny: test, en to de" in page.text


def test_words_are_counted_in_a_copy_of_the_training_data(run: Run, tmp_path: Path, elsewhere: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for side, lines in (("en", "a dog\nred\n"), ("de", "god a\nunseen\n")):
        shutil.copy(run.data / f"train.{side}", other)
        (other / f"test.{side}").write_text(lines, encoding="utf-8")
    words = [f"ckpt={run.folder}", *QUICK, f"data.path={other}", f"out={tmp_path}"]
    program.main(words)
    (path,) = (tmp_path / "translations").glob("test.beam2.lp1.????????.report.json")
    groups = {group["name"]: group for group in json.loads(path.read_text("utf-8"))["by_rarity"]["groups"]}
    training = (run.data / "train.de").read_text("utf-8").split()
    assert training.count("god") >= 10 and groups["0"]["sentences"] == 1 and groups["10-99"]["sentences"] == 1
    program.main([*words, "rarity=false"])
    figures = json.loads(path.read_text("utf-8"))
    assert figures["by_rarity"] is None and figures["words"] is None
    assert "rarity=false" in path.with_suffix(".html").read_text("utf-8")


def test_a_model_of_both_directions_has_seen_the_words_of_both_sides(run: Run, tmp_path: Path, elsewhere: Path) -> None:
    both = save_other(run, tmp_path / "both.safetensors", both_directions=True)
    for side, line in (("en", "a dog"), ("de", "unseen")):
        shutil.copy(run.data / f"train.{side}", tmp_path)
        (tmp_path / f"test.{side}").write_text(f"{line}\n", encoding="utf-8")
    words = ["data.source_lang=de", "data.target_lang=en", f"data.path={tmp_path}", f"out={tmp_path}"]
    program.main([f"ckpt={both}", *QUICK, *words])
    (path,) = (tmp_path / "translations").glob("*.report.json")
    groups = json.loads(path.read_text("utf-8"))["by_rarity"]["groups"]
    assert [each["name"] for each in groups] == ["10-99"], "dog is a word of the sources"


@pytest.mark.slow
def test_views_are_reported_of_the_models_that_have_them(
    run: Run, tmp_path: Path, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = [*QUICK, "rarity=false", "views=alti", f"out={tmp_path}"]
    program.main([f"ckpt={run.folder}", *words])
    (path,) = (tmp_path / "translations").glob("*.report.json")
    (example,) = json.loads(path.read_text("utf-8"))["examples"]["best"]
    assert list(example["views"]) == ["alti"]
    assert "<summary>ALTI+</summary>" in path.with_suffix(".html").read_text("utf-8")
    capsys.readouterr()
    with pytest.raises(UserError, match=r"ALTI\+: .* but this model has a RecurrentEncoder"):
        program.main([f"ckpt={save_other(run, tmp_path / 'other.safetensors')}", *words])
    assert "bleu" not in capsys.readouterr().out.lower(), "before translating"


def test_where_the_training_pairs_are_lost_rare_words_are_left_out(
    run: Run, tmp_path: Path, elsewhere: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lost = save_other(run, tmp_path / "lost.safetensors", train=str(tmp_path / "gone.tsv"))
    (tmp_path / "test.tsv").write_text("red\tunseen god\n", encoding="utf-8")
    program.main([f"ckpt={lost}", *QUICK, f"out={tmp_path}", f"data.path={tmp_path}"])
    warning = r"warning: the training pairs cannot be used \(.*\); rare words are left out"
    assert re.search(warning, capsys.readouterr().err)
    (path,) = (tmp_path / "translations").glob("*.report.json")
    assert json.loads(path.read_text("utf-8"))["by_rarity"] is None
    page = Page(path.with_suffix(".html").read_text("utf-8"))
    assert "not counted, because of rarity=false or because the training pairs cannot be used" in page.text


def test_a_report_is_of_one_model(run: Run) -> None:
    with pytest.raises(UserError, match="ckpt: got a list of 2, but a report is about one model"):
        program.main([f'ckpt=["{run.folder}","{run.folder}"]'])
