"""The Markdown tables of results, from the files of docs/results. results.py uses it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import yaml

from nmt.build import build_search
from nmt.system.machine import summary as machine_summary
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


def whole_table(results: Path) -> str:
    """Return a Markdown table for each test set with all runs, and the settings that the scores depend on."""
    return "\n\n".join(table_of(each, results) for each in comparisons(results))


def table_of(comparison: dict[str, Any], results: Path) -> str:
    """Return a row for each run, a row for the mean of each system with several seeds, and the settings."""
    rows = []
    for system in comparison["systems"]:
        for run in system["runs"]:
            facts = metrics_of(run, results)
            cells = [cell(score) for score in run["scores"].values()]
            name = f"[{system['name']}]({run['folder']}/{CONFIG})"
            tests = difference_of_run(run), p_of_run(run)
            rows.append([name, str(run["seed"]), *cells, *tests, *(make(facts) for make in FACTS.values())])
        if len(system["runs"]) > 1:
            count = f"mean of {len(system['runs'])}"
            tests = next(map(with_width, system["seeds_tests"].values()), ""), p_value(system)
            rows.append([system["name"], count, *summaries(system), *tests, *[""] * len(FACTS)])
    runs = [metrics_of(run, results) for system in comparison["systems"] for run in system["runs"]]
    tested = f" Differences and p-values are of {labels(comparison)[0]} against {comparison['baseline']}."
    lines = [
        f"{comparison['source_lang']} to {comparison['target_lang']}, {comparison['sentences']:,} sentences."
        f"{tested if len(comparison['systems']) > 1 else ''}",
        "",
        markdown(["model", "seed", *labels(comparison), "difference", "p", *FACTS], rows),
    ]
    scores = comparison["systems"][0]["runs"][0]["scores"].values()
    signatures = zip(labels(comparison), (f"`{score['signature']}`" for score in scores), strict=True)
    for title, values in (
        ("Command", {command(run, results) for run in runs}),
        *((label, {signature}) for label, signature in signatures),
        ("Search", {search(run["search"]) for run in runs}),
        ("Hardware", {machine_summary(run["hardware"]) for run in runs}),
        ("Torch", {run["versions"]["torch"] for run in runs}),
        ("Commit", {f"{run['name']} (seed {run['seed']}) {str(run['commit'])[:7]}" for run in runs}),
    ):
        lines += ["", f"{title}: {'; '.join(sorted(values))}"]
    # The first note and the one on columns are about the table of compare.py.
    notes = [note for note in comparison["notes"][1:] if not note.startswith("tokens/s:")]
    return "\n".join([*lines, *(line for note in notes for line in ("", note))])


def office_help_table() -> str:
    """Return a Markdown table with the systems of LibreOffice's help, in both directions."""
    rows = []
    for each in comparisons(RESULTS):
        for system in each["systems"]:
            if system["name"].startswith("office_help_"):
                direction = f"{each['source_lang']} to {each['target_lang']}"
                scores = dict(zip(system["mean"], summaries(system), strict=True))
                cells = [scores.get(name, "") for name in ("bleu", MORPHEMES, "chrf")]
                link = f"[{system['name']}](README.md)"
                rows.append([direction, link, str(len(system["runs"])), *cells])
    return markdown(["direction", "system", "seeds", "BLEU", "BLEU of morphemes", "chrF"], rows)


def techniques_table() -> str:
    """Return a Markdown table with a row for each technique: its differences from the row without the technique."""
    first = comparisons(RESULTS)[0]
    names = ["technique", "row", "against", "training", "seeds", "validation loss", "validation BLEU"]
    rows = []
    for each in first["techniques"]:
        loss, bleu = each["validation"]["loss"], each["validation"]["bleu"]
        rows.append(
            [
                each["technique"],
                f"`{each['row']}`",
                f"`{each['against']}`",
                each["training"],
                ", ".join(map(str, each["seeds"])),
                "" if loss is None else signed(loss, 3),
                signed(bleu, 1),
                *(with_width(each["tests"][name]) for name in ("bleu", "chrf")),
                shown(each["tests"]["bleu"]["p"]),
            ]
        )
    return markdown([*names, "test BLEU", "test chrF", "p (BLEU)"], rows)


def with_width(test: dict[str, float]) -> str:
    """Return a difference with half the width of its interval."""
    return f"{signed(test['difference'], 1)} ± {test['half_width']:.1f}"


def signed(value: float, places: int) -> str:
    """Return a difference with its sign; a difference that is rounded to 0 is +0."""
    return f"{round(value, places) + 0.0:+.{places}f}"


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
    """Return the command that trains this run with a shipped recipe, or a reference to its config.yaml."""
    if not recipe(run["name"]).is_file():
        return f"{run['name']} by its config.yaml"
    config = yaml.safe_load((results / run["name"] / f"seed{run['seed']}" / CONFIG).read_text("utf-8"))
    start = "init=RUN_FOLDER " if config.get("init") else ""
    return f"`python train.py experiment=NAME {start}data.path=FOLDER seed=SEED`"


def search(settings: dict[str, Any]) -> str:
    """Return the label of the search, which names the settings that change its results, and its length limits."""
    strategy = build_search(settings)
    limits = f"max_length_factor {strategy.max_length_factor}, max_length_extra {strategy.max_length_extra}"
    return f"`{strategy.label}` with {limits}"
