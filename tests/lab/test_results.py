"""The tables of results and the figures in the pages are what the committed files say."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest
import yaml

from nmt.evaluation.metrics.bleu import BLEU
from nmt.lab.claims.memory import FixedVectorMulti30k
from scripts import results
from scripts.result_files import RESULTS, add, comparisons
from scripts.result_tables import update_runs
from tests.finished_runs import write_run, write_translations
from tests.tiny_run import sentences

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def claims() -> dict[str, Any]:
    found = json.loads((ROOT / "docs" / "lab" / "claims.json").read_text("utf-8"))
    return {each["name"]: each for each in found}


@pytest.fixture(scope="module")
def by_length() -> dict[str, list[float]]:
    """The BLEU of each system of docs/results on short to long sentences."""
    systems = next(iter(json.loads((RESULTS / "comparison.json").read_text("utf-8")).values()))["systems"]
    return {system["name"]: system["by_length"] for system in systems}


def test_tables_of_results_are_up_to_date() -> None:
    assert all(path.read_text("utf-8") == text for path, text in results.pages().items())


def test_every_committed_run_is_in_the_tables() -> None:
    compared = {RESULTS / run["folder"] for each in comparisons(RESULTS) for s in each["systems"] for run in s["runs"]}
    assert compared == {path.parent for path in RESULTS.glob("*/*/metrics.json")}


def test_the_complete_table_has_the_runs_of_today_and_keeps_the_others(tmp_path: Path) -> None:
    folder = shutil.copytree(RESULTS, tmp_path / "results")
    update_runs(folder)
    assert (folder / "runs.tsv").read_bytes() == (RESULTS / "runs.tsv").read_bytes()


@pytest.mark.slow
def test_results_are_added_without_their_test_set_and_compared(tmp_path: Path) -> None:
    facts = json.loads((RESULTS / "multi30k_rnn" / "seed1" / "metrics.json").read_text("utf-8"))
    sources, runs = sentences(30, seed=5), []
    for name, seed, kept in (("one", 1, 20), ("two", 1, 25), ("two", 2, 26)):
        run = write_run(tmp_path / f"{name}{seed}", seed=seed, layers=1 if name == "one" else 2, name=name)
        own = json.loads((run / "metrics.json").read_text("utf-8"))
        (run / "metrics.json").write_text(json.dumps(facts | own | {"test": {}}), "utf-8")
        runs.append(write_translations(run, sources, sources, [*sources[:kept], *["nothing"] * (30 - kept)]))
    for run in runs[1:]:
        config = yaml.safe_load((run / "config.yaml").read_text("utf-8"))
        config["data"]["more"] = {"translated": {"train": [f"{run}/a.en", f"{run}/a.de"], "weight": 2}}
        config["data"]["pairs"] = {"other": {"target_lang": "fr", "path": f"{run}/fr"}}
        (run / "config.yaml").write_text(yaml.safe_dump(config), "utf-8")
    folder = tmp_path / "results"
    add(runs[:1], folder)
    add(runs[1:], folder)
    added = folder / "two" / "seed2"
    files = {path.name for path in (added / "translations").iterdir()}
    assert files == {"test.beam3.lp1.hyp.de", "test.beam3.lp1.scores.json"}
    data = yaml.safe_load((added / "config.yaml").read_text("utf-8"))["data"]
    assert data["path"] == data["pairs"]["other"]["path"] == "FOLDER"
    assert data["more"] == {"translated": {"train": "FILE", "weight": 2}}
    (found,) = comparisons(folder)
    assert [(system["name"], len(system["runs"])) for system in found["systems"]] == [("two", 2), ("one", 1)]
    update_runs(folder)
    head, *lines = (line.split("\t") for line in (folder / "runs.tsv").read_text("utf-8").splitlines())
    rows = [dict(zip(head, line, strict=True)) for line in lines]
    assert [(row["model"], row["seed"]) for row in rows] == [("two", "1"), ("two", "2"), ("one", "1")]
    for run, row in zip(runs, (rows[2], *rows[:2]), strict=True):
        value = BLEU().score((run / "translations" / "test.beam3.lp1.hyp.de").read_text().splitlines(), sources).value
        assert row["BLEU"].startswith(f"{value:.1f} ± ")


def test_the_claim_on_captions_has_the_runs_of_the_results(
    claims: dict[str, Any], by_length: dict[str, list[float]]
) -> None:
    curves = FixedVectorMulti30k().measure({}).lines
    assert [list(map(fmean, line.values())) for line in curves.values()] == [
        pytest.approx(by_length[name]) for name in ("multi30k_rnn", "multi30k_bahdanau", "multi30k_luong")
    ]
    stored = claims["fixed_vector_multi30k"]
    assert stored["curves"] == json.loads(json.dumps(curves))
    lines = [by_length[f"multi30k_{name}"] for name in ("rnn", "bahdanau", "luong")]
    said = [float(number) for number in re.findall(r"\d+", stored["remember"]["en"])]
    assert said == [round(value) for line in lines for value in (line[0], line[-1])]


@pytest.mark.parametrize("page", ["attention.md", "attention.ko.md"])
def test_tutorial_has_the_figures_of_the_files(
    page: str, claims: dict[str, Any], by_length: dict[str, list[float]]
) -> None:
    text = (ROOT / "docs" / page).read_text("utf-8")
    curves = {name: each["curves"] for name, each in claims.items()}
    attention, far = ("no attention", "Bahdanau", "Transformer"), [str(distance) for distance in range(6, 9)]
    rates = curves["alignment"]["alignment error rate"]
    expected = {
        "`parallel`": [f"{fmean(curves['parallel'][f'{name}, training']['1000']):.1f}" for name in attention[1:]],
        "`distance`": [f"{fmean(fmean(curves['distance'][name][place]) for place in far):.0f}" for name in attention],
        "`gradient`": [f"{fmean(curves['gradient'][name]['40']):.1f}" for name in attention],
        "`fixed_vector`": [
            f"{fmean(fmean(curves['fixed_vector'][name][place]) for place in ('9', '10')):.0f}" for name in attention
        ],
        "`multi30k_rnn`": [
            f"{by_length[f'multi30k_{name}'][place]:.1f}"
            for name in ("rnn", "bahdanau", "transformer")
            for place in (0, -1)
        ],
        "`alignment`": [f"{fmean(rates[name]):.1f}" for name in ("diagonal", "eflomal", "Bahdanau", "Transformer")],
    }
    for source, values in expected.items():
        row = next(line for line in text.splitlines() if line.startswith("| ") and source in line)
        assert [value for value in values if not re.search(rf"\b{re.escape(value)}\b", row)] == []
    decoding = [f"{fmean(curves['parallel'][f'{name}, decoding']['1000']):.1f}" for name in attention[1:]]
    assert f"| {decoding[0]} | {decoding[1]} |" in text
    recalled = [f"{fmean(values):.1f}" for values in curves["memory"]["no attention, left to right"].values()]
    assert ", ".join(recalled[:3]) in text and recalled[3] in text
    assert f"{fmean(map(fmean, curves['positions']['none'].values())):.0f}" in text.partition("negation")[2][:200]
    notebook = json.loads((ROOT / "docs" / "attention.ipynb").read_text("utf-8"))
    (table,) = (
        "".join(output["text"])
        for cell in notebook["cells"]
        for output in cell.get("outputs", [])
        if output.get("text", [""])[0].startswith("word ")
    )
    assert table in text
