"""The Markdown tables of results, from the files of docs/results. results.py uses it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml

from nmt.errors import counted
from nmt.system.run_files import CONFIG
from scripts.result_files import MORPHEMES, RESULTS, ROOT, SPEEDS, comparisons, metrics_of

FACTS: dict[str, Callable[[dict[str, Any]], str]] = {
    "parameters": lambda run: f"{run['parameters'] / 1e6:.1f} M",
    "updates": lambda run: f"{run['updates']:,}",
    "epochs": lambda run: f"{run['epochs']:.1f}",
    "weights": lambda run: run["weights"],
    "minutes": lambda run: f"{run['wall_seconds'] / 60:.0f}",
    "target tokens/s": lambda run: f"{run['target_tokens_per_second']:,.0f}",
}
RUNS = "runs.tsv"  # the complete table, with a row for each run
SHORT = ["parameters", "updates"]
README_ROWS = {f"multi30k_{name}" for name in ("transformer", "bit", "luong", "bahdanau", "rnn")}


def short_table() -> str:
    """Return the README's Markdown table: a row for each system in `README_ROWS`."""
    first = comparisons(RESULTS)[0]
    systems = [system for system in first["systems"] if system["name"] in README_ROWS]
    speeds = yaml.safe_load((RESULTS / SPEEDS).read_text("utf-8"))
    rows = []
    for system in systems:
        link = recipe(system["name"]).relative_to(ROOT).as_posix()
        facts = metrics_of(system["runs"][0], RESULTS)
        seeds = "" if len(system["runs"]) == 1 else f", {len(system['runs'])} seeds"
        rows.append(
            [
                f"[{system['name']}]({link}){seeds}",
                *summaries(system),
                p_value(system),
                *(FACTS[key](facts) for key in SHORT),
                f"{speeds[system['name']]['tokens'] / speeds[system['name']]['speed'] / 60:.0f}",
            ]
        )
    return markdown(["model", *labels(first), "p", *SHORT, "minutes"], rows)


def means_table(comparison: dict[str, Any]) -> str:
    """Return a Markdown table with a row for each system, below a line with the signatures of the scores."""
    rows = []
    for system in comparison["systems"]:
        facts = metrics_of(system["runs"][0], RESULTS)
        difference = next(map(with_width, system["seeds_tests"].values()), "") or difference_of_run(system["runs"][0])
        cells = [str(len(system["runs"])), *summaries(system), difference, p_value(system)]
        rows.append([f"[{system['name']}]({system['name']})", *cells, *(FACTS[key](facts) for key in SHORT)])
    head = ["model", "seeds", *labels(comparison), "difference", "p", *SHORT]
    scores = comparison["systems"][0]["runs"][0]["scores"].values()
    signatures = [f"{name}: `{score['signature']}`" for name, score in zip(labels(comparison), scores, strict=True)]
    direction = f"{comparison['source_lang']} to {comparison['target_lang']}"
    tested = f"differences of {labels(comparison)[0]} from {comparison['baseline']}"
    title = f"{direction}, {comparison['sentences']:,} sentences; {tested}. {'; '.join(signatures)}."
    return f"{title}\n\n{markdown(head, rows)}"


def update_runs(results: Path) -> None:
    """Write a row for each compared run to runs.tsv. Rows of other runs stay, even if their folder is gone."""
    file = results / RUNS
    rows: dict[tuple[str, ...], dict[str, str]] = {}
    if file.is_file():
        head, *lines = (line.split("\t") for line in file.read_text("utf-8").splitlines())
        for cells in lines:
            row = dict(zip(head, cells, strict=True))
            rows[key_of(row)] = row
    for comparison in comparisons(results):
        for system in comparison["systems"]:
            for run in system["runs"]:
                row = run_row(comparison, system["name"], run, results)
                rows[key_of(row)] = row
    head = list(dict.fromkeys(name for row in rows.values() for name in row))
    lines = [head, *([row.get(name, "") for name in head] for row in rows.values())]
    file.write_text("".join("\t".join(line) + "\n" for line in lines), "utf-8")


def key_of(row: dict[str, str]) -> tuple[str, ...]:
    """Return the cells that name a run."""
    return row["direction"], row["model"], row["seed"]


def run_row(comparison: dict[str, Any], name: str, run: dict[str, Any], results: Path) -> dict[str, str]:
    """Return the cells of a run, by the names of their columns."""
    facts = metrics_of(run, results)
    return {
        "direction": f"{comparison['source_lang']} to {comparison['target_lang']}",
        "model": name,
        "seed": str(run["seed"]),
        **dict(zip(labels(comparison), map(cell, run["scores"].values()), strict=True)),
        "difference": difference_of_run(run),
        "p": p_of_run(run),
        **{column: show(facts) for column, show in FACTS.items()},
        "commit": str(facts["commit"])[:7],
        "hardware": hardware(facts["hardware"]),
        "torch": facts["versions"]["torch"],
        "command": command(facts, results),
    }


def hardware(facts: dict[str, Any]) -> str:
    """Return the most important facts of `nmt.system.machine.describe` as a short text."""
    memory = f", {facts['memory_bytes'] / 2**30:.0f} GiB" if facts["memory_bytes"] else ""
    return ", ".join(facts["gpus"]) or f"{counted(facts['threads'], 'thread')} of an {facts['cpu']}{memory}"


def with_width(test: dict[str, float]) -> str:
    """Return a difference with half the width of its interval; one that is rounded to 0 is +0."""
    return f"{round(test['difference'], 1) + 0.0:+.1f} ± {test['half_width']:.1f}"


def markdown(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    return "\n".join(
        [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}", *(f"| {' | '.join(row)} |" for row in rows)]
    )


def labels(comparison: dict[str, Any]) -> list[str]:
    """Return the labels of the scores."""
    scores = comparison["systems"][0]["runs"][0]["scores"]
    return [
        "BLEU of morphemes" if name == MORPHEMES else score["label"].partition(" (")[0]
        for name, score in scores.items()
    ]


def cell(score: dict[str, Any]) -> str:
    """Return the score of a run with half the width of its interval."""
    return f"{score['value']:.1f} ± {score['interval']['half_width']:.1f}"


def summaries(system: dict[str, Any]) -> list[str]:
    """Return each score of a system: mean ± standard deviation over seeds, or the score of its only run."""
    if len(system["runs"]) == 1:
        return [cell(score) for score in system["runs"][0]["scores"].values()]
    return [f"{system['mean'][name]:.1f} ± {system['deviation'][name]:.1f}" for name in system["mean"]]


def difference_of_run(run: dict[str, Any]) -> str:
    """Return the difference of a run from the baseline, for the first metric."""
    return next((with_width(each["bootstrap"]) for each in run["tests"].values()), "")


def p_of_run(run: dict[str, Any]) -> str:
    """Return the p-value of a run against the baseline by approximate randomization, for the first metric."""
    return next((shown(each["randomization"]) for each in run["tests"].values()), "")


def p_value(system: dict[str, Any]) -> str:
    """Return the p-value of a system against the baseline, for the first metric: over seeds, if there are several."""
    return next((shown(each["p"]) for each in system["seeds_tests"].values()), "") or p_of_run(system["runs"][0])


def shown(p: float) -> str:
    """Return a p-value in the form of the table."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def recipe(name: str) -> Path:
    """Return the path that the shipped experiment with this name has, or would have."""
    return ROOT / "configs" / "experiment" / f"{name}.yaml"


def command(run: dict[str, Any], results: Path) -> str:
    """Return the command that trains this run with a shipped recipe, or where its settings are."""
    if not recipe(run["name"]).is_file():
        return "config.yaml in its folder"
    config = yaml.safe_load((results / run["name"] / f"seed{run['seed']}" / CONFIG).read_text("utf-8"))
    start = "init=RUN_FOLDER " if config.get("init") else ""
    return f"python train.py experiment={run['name']} {start}data.path=FOLDER seed={run['seed']}"
