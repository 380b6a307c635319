"""The program that compares finished runs."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from nmt.errors import UserError
from nmt.evaluation.metrics.bleu import BLEU
from nmt.evaluation.metrics.chrf import ChrF
from nmt.lab.cli import compare as program
from nmt.lab.compare.runs import read_runs
from nmt.lab.compare.significance import bootstrap_test, randomization_test
from tests.finished_runs import SEARCH, spoiled, write_run, write_translations
from tests.html_page import Page
from tests.tiny_run import sentences

SOURCES = sentences(60, seed=5)
REFERENCES = [line[::-1] for line in SOURCES]
QUICK = ["bootstrap=50", "shuffles=50"]


@pytest.fixture
def multirun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two models with two seeds each, as `train.py -m` leaves them."""
    monkeypatch.chdir(tmp_path)
    for number, (layers, seed, share) in enumerate([(1, 1, 0.4), (1, 2, 0.45), (2, 1, 0.1), (2, 2, 0.12)]):
        run = write_run(tmp_path / "multi" / f"{number}_layers={layers},seed={seed}", seed=seed, layers=layers)
        write_translations(run, SOURCES, REFERENCES, spoiled(REFERENCES, share, seed=number))
    return tmp_path / "multi"


def hypotheses(run: Path) -> list[str]:
    return (run / "translations" / "test.beam3.lp1.hyp.de").read_text("utf-8").splitlines()


def test_a_multirun_is_the_whole_ablation(multirun: Path, capsys: pytest.CaptureFixture[str]) -> None:
    program.main(["multi", *QUICK])
    shown = capsys.readouterr().out
    found = json.loads(Path("comparison", "comparison.json").read_text("utf-8"))
    small, large = found["systems"]
    assert (small["name"], large["name"], found["baseline"]) == ("layers=1", "layers=2", "layers=1")
    folders = [multirun / f"{number}_layers={number // 2 + 1},seed={number % 2 + 1}" for number in range(4)]
    assert [each["folder"] for each in small["runs"] + large["runs"]] == [f"multi/{path.name}" for path in folders]
    lines = [hypotheses(folder) for folder in folders]
    markdown = Path("comparison", "comparison.md").read_text("utf-8")
    for run, theirs, against in zip(large["runs"], lines[2:], lines[:2], strict=True):
        expected = BLEU().score(theirs, REFERENCES, bootstrap=50)
        assert run["scores"]["bleu"]["value"] == expected.value and expected.interval is not None
        assert run["scores"]["bleu"]["interval"] == vars(expected.interval)
        assert f"{expected.value:.2f} ± {expected.interval.half_width:.2f}" in shown
        one, two = (np.asarray(ChrF().statistics(each, REFERENCES), float) for each in (against, theirs))
        test = bootstrap_test([one], [two], metric=ChrF(), resamples=50)
        assert run["tests"]["chrf"] == {
            "randomization": randomization_test(one, two, metric=ChrF(), shuffles=50),
            "bootstrap": vars(test),
        }
        assert f"{test.difference:+.2f} ± {test.half_width:.2f}" in markdown
        assert list(run["tests"]) == ["bleu", "chrf", "exact_match"]
        assert (run["parameters"], run["updates"], run["minutes"]) == (2000, 100, 1.5)
        assert (run["tokens/s"], run["sentences/s"]) == (2000.0, 30.0)
    assert all(run["tests"] == {} and run["against"] is None for run in small["runs"])
    one, two = (run["scores"]["chrf"]["value"] for run in large["runs"])
    assert large["mean"]["chrf"] == pytest.approx((one + two) / 2)
    assert large["deviation"]["chrf"] == pytest.approx(abs(one - two) / 2**0.5)
    statistics = [np.asarray(ChrF().statistics(each, REFERENCES), float) for each in lines]
    over_seeds = bootstrap_test(statistics[:2], statistics[2:], metric=ChrF(), resamples=50)
    assert large["seeds_tests"] == large["seeds_tests"] | {"chrf": vars(over_seeds)} and small["seeds_tests"] == {}
    assert over_seeds.difference == pytest.approx(large["mean"]["chrf"] - small["mean"]["chrf"])
    assert "| layers=1 (baseline) | mean of 2 |" in markdown and "tok:13a" in markdown


def test_the_runs_of_one_system_are_not_tested_against_each_other(
    multirun: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """They differ only in their seed: no column is empty, and nothing speaks of a baseline or of systems."""
    program.main(["multi/0_layers=1,seed=1", "multi/1_layers=1,seed=2", "out=there", *QUICK])
    head, _, *rows = (line.split(" | ") for line in Path("there", "comparison.md").read_text("utf-8").splitlines()[:5])
    assert [row[1].strip() for row in rows] == ["1", "2", "mean of 2"]
    assert not any("difference" in name or name.strip().endswith(" p") for name in head)
    page = Page(Path("there", "comparison.html").read_text("utf-8"))
    assert "Comparison of 2 runs of layers=1, which differ only in their seed" in page.text
    for said in (page.text, capsys.readouterr().out):
        assert not any(word in said for word in ("baseline", "systems", "probability", "differ most"))


def test_the_baseline_may_be_any_run(multirun: Path) -> None:
    one, two = multirun / "0_layers=1,seed=1", multirun / "2_layers=2,seed=1"
    program.main([str(one), f"baseline={two}", "scores=[chrf]", "out=there", *QUICK])
    found = json.loads(Path("there", "comparison.json").read_text("utf-8"))
    assert [system["name"] for system in found["systems"]] == ["layers=2", "layers=1"]
    assert found["baseline"] == "layers=2" and list(found["systems"][1]["runs"][0]["tests"]) == ["chrf"]
    groups = found["lengths"]["groups"]
    assert sum(group["sentences"] for group in groups) == 60 == found["sentences"] and len(groups) == 3
    differences = found["differences"]["layers=1"]
    gains = [each["gain"] for each in differences]
    assert gains == sorted(gains[:-5], reverse=True) + sorted(gains[-5:]) and gains[-5] < 0
    for each in differences:
        index = each["number"] - 1
        assert (each["source"], each["reference"]) == (SOURCES[index], REFERENCES[index])
        assert (each["baseline"], each["system"]) == (hypotheses(two)[index], hypotheses(one)[index])


def test_a_file_of_translations_is_a_row(multirun: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It may be the baseline, and its name may have a "="."""
    run, lines = multirun / "2_layers=2,seed=1", spoiled(REFERENCES, 0.5, seed=9)
    Path("x=1.de").write_text("".join(f" {line} \n" for line in lines), "utf-8")
    for names in (["layers=2", "x=1.de"], ["x=1.de", "layers=2"]):
        program.main([*(str(run) if name == "layers=2" else name for name in names), "out=there", *QUICK])
        found = json.loads(Path("there", "comparison.json").read_text("utf-8"))
        rows = {system["name"]: system["runs"][0] for system in found["systems"]}
        assert [*rows] == names and found["baseline"] == names[0]
        assert rows["x=1.de"]["scores"]["bleu"]["value"] == BLEU().score(lines, REFERENCES).value
        assert 0 < rows[names[1]]["tests"]["bleu"]["randomization"] < 0.1 and "updates" not in rows["x=1.de"]
    program.main(["x=1.de", f"baseline={run}", *QUICK])
    assert Path("comparison", "comparison.md").is_file()
    assert "x=1.de (baseline)" in capsys.readouterr().out


def translate(run: Path, digit: str, data: str, count: int = 60, **changes: Any) -> None:
    """Let a run translate the first `count` sentences of other data, with these changes of its search."""
    update = changes.pop("update", 100)
    lines = SOURCES[:count], REFERENCES[:count], changes.pop("lines", hypotheses(run)[:count])
    settings: dict[str, Any] = {"label": f"test.beam3.lp1.{digit * 8}", "data": data, "search": {**SEARCH, **changes}}
    write_translations(run, *lines, update=update, **settings)


def test_another_test_set_is_named_by_its_folder_or_source_file(multirun: Path) -> None:
    """Other weights, limits and rules of the search are not taken."""
    runs = [multirun / "0_layers=1,seed=1", multirun / "2_layers=2,seed=1"]
    here = Path().resolve()
    folder, pair = f"data.path={here}/alt", f"data.test=[{here}/b,c/x.en,{here}/x.de]"
    bad = ["x"] * 60
    for run in runs:
        translate(run, "1", folder, batch_tokens=100)
        translate(run, "2", pair, count=20)
        translate(run, "3", folder, lines=bad, max_length_factor=0.3)
        translate(run, "4", folder, count=40, lines=bad[:40], update=50)
    own, other = (read_runs(runs, "test", data) for data in (None, "alt"))
    assert [each.hypotheses for each in own] == [each.hypotheses for each in other]
    assert {len(each.hypotheses) for each in read_runs(runs, "test", "b,c/x.en")} == {20}
    with pytest.raises(UserError, match=r"seed=1: holds no translations of x\.de .*; make them with scripts/evaluate"):
        read_runs(runs, "test", "x.de")
    for run in runs:
        translate(run, "5", folder, count=10)
    with pytest.raises(UserError, match="alt names 2 sets of sentences that all runs have translated from en to de"):
        read_runs(runs, "test", "alt")


def test_the_direction_is_that_of_the_first_run_or_the_given_one(multirun: Path) -> None:
    runs = [multirun / "0_layers=1,seed=1", multirun / "2_layers=2,seed=1"]
    config = yaml.safe_load((runs[0] / "config.yaml").read_text("utf-8"))
    config["data"]["pairs"] = {"back": {"source_lang": "de", "target_lang": "en"}}
    (runs[0] / "config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    place = f"data.path={Path('alt').resolve()}"
    for run in runs:
        write_translations(run, REFERENCES, SOURCES, SOURCES, languages=("de", "en"), label="test.de-en.beam3.lp1")
        write_translations(
            run, REFERENCES, SOURCES, SOURCES, languages=("de", "en"), label="test.de-en.beam3.lp1.a", data=place
        )
        translate(run, "b", place, lines=REFERENCES)
    for data, main in ((None, hypotheses(runs[1])), ("alt", tuple(REFERENCES))):
        assert read_runs(runs, "test", data)[1].hypotheses == tuple(main)
        for codes in (("de", None), (None, "en")):
            one, other = read_runs(runs, "test", data, codes=codes)
            assert one.test_set == other.test_set and other.test_set.target_lang == "en"
            assert other.hypotheses == tuple(SOURCES)
    with pytest.raises(UserError, match="target_lang: got fr, expected en to de or de to en"):
        read_runs(runs, "test", codes=(None, "fr"))
    with pytest.raises(UserError, match=r"layers=1,seed=1: .* of its val split from de to en \(no val\.de-en\.beam3"):
        read_runs(runs, "val", codes=("de", None))


def test_the_page_shows_markup_in_sentences_and_runs_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    evil = "<script>alert('x')</script> & <img src=x onerror=alert(1)> {{ 1 + 1 }}"
    sources = [evil, *SOURCES[1:]]
    for name, share in (("a <b>", 0.1), ("b", 0.5)):
        lines = [evil if share < 0.2 else "nothing", *spoiled(REFERENCES, share, seed=1)[1:]]
        write_translations(
            write_run(tmp_path / name, layers=len(name), name=name), sources, [evil, *REFERENCES[1:]], lines
        )
    program.main(["a <b>", "b", *QUICK])
    text = Path("comparison", "comparison.html").read_text("utf-8")
    page = Page(text)
    assert not page.tags & {"script", "img", "link", "iframe", "b"} and page.addresses == []
    assert page.text.count(evil) == 3, "source, reference and the baseline's translation"
    assert "a <b>" in page.text and not re.search(r"https?://|@import|url\(", text)
    assert "prefers-color-scheme: dark" in text and {"svg", "polyline", "table"} <= page.tags


def test_damaged_files_of_a_run_are_named(multirun: Path) -> None:
    run = write_translations(write_run(Path("run")), SOURCES, REFERENCES, REFERENCES)
    for name, content, match in (
        ("config.yaml", b"a: [", r"run/config\.yaml: damaged \(.*restore the file, or leave out this run"),
        ("config.yaml", b"name: a\nseed: 1", r"run/config\.yaml: damaged \(data: missing; "),
        ("metrics.json", b"{}", r"run/metrics\.json: damaged \(search: missing; "),
        ("translations/test.beam3.lp1.scores.json", b"[]", r"scores\.json: damaged \(.*expected a mapping"),
        ("translations/test.beam3.lp1.hyp.de", b"a\n\xe9\n", r"hyp\.de:2: not UTF-8; convert"),
        ("translations/test.beam3.lp1.hyp.de", b"a\n", r"hyp\.de: got 1 lines, expected 60"),
    ):
        before = (run / name).read_bytes()
        (run / name).write_bytes(content)
        with pytest.raises(UserError, match=match) as error:
            read_runs([run], "test")
        assert "\n" not in str(error.value)
        (run / name).write_bytes(before)
    (run / name).unlink()
    os.mkfifo(run / name)
    with pytest.raises(UserError, match=r"hyp\.de: no such file; restore the file, or leave out this run"):
        read_runs([run], "test")
    (run / name).unlink()
    odd = ["a\u2028b", "\x0c", "a\x85", "", "\ufffd"]
    write_translations(run, odd, odd, odd)
    assert read_runs([run], "test")[0].hypotheses == tuple(odd)


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ([], "RUN: not given"),
        (["nothing"], "nothing: no such folder or file; expected"),
        (["multi", "short.de"], r"short\.de: got 2 lines, expected 60, one for each test sentence of multi/0"),
        (["short.de", "short.de"], "got one run"),
        (["short.de", "other.de"], "short.de: a file; name also a run's folder, whose test set has the references"),
        (["multi", "weights.safetensors"], "weights.safetensors: weights without translations; name the folder of"),
        (["stopped"], r"stopped: the run is not finished .* wait, resume it, or name"),
        (["ckpt=multi", "other"], "ckpt=multi: name the folders of runs without a key"),
        (["up"], r"up: holds no metrics.json; .*; this is one: up/a/b"),
        (["up/a/b/translations"], r"translations: holds no metrics.json; .*; this is one: up/a/b"),
        (["multi", "baseline=multi"], "baseline: multi holds 4 runs, expected one"),
        (["multi", "other"], "other: tested on other sentences .en to de, 59 sentences. than multi/0"),
        (["bare", "bare2"], "bare: holds translations without their sources and references; compare it together with"),
    ],
)
def test_compare_errors_are_one_line(multirun: Path, words: list[str], match: str) -> None:
    (write_run(Path("stopped")) / "metrics.json").unlink()
    (write_run(Path("up", "a", "b")) / "translations").mkdir(exist_ok=True)
    files = {"short.de": b"a\nb\n", "other.de": b"a\n", "weights.safetensors": b""}
    for file, content in files.items():
        Path(file).write_bytes(content)
    write_translations(write_run(Path("other")), SOURCES[1:], REFERENCES[1:], REFERENCES[1:])
    for name in ("bare", "bare2"):
        run = write_translations(write_run(Path(name), name=name), SOURCES, REFERENCES, REFERENCES)
        for side in ("src.en", "ref.de"):  # the committed results do not have these files
            (run / "translations" / f"test.beam3.lp1.{side}").unlink()
    with pytest.raises(UserError, match=match) as error:
        program.main([*words, *QUICK])
    assert "\n" not in str(error.value) and not list(multirun.glob("comparison.*"))
