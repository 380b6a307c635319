"""Make the tables of results in README.md and docs/results/README.md from the files in docs/results.

python scripts/results.py add RUN_FOLDER     copy a finished run's config.yaml and metrics.json to docs/results/NAME,
                                             and write the tables
python scripts/results.py table              write the tables
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from nmt.build import build_search
from nmt.cli import program
from nmt.cli.arguments import wants_help
from nmt.errors import UserError
from nmt.machine import summary

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "docs" / "results"
BEGIN, END = "<!-- results -->", "<!-- end of results -->"
FACTS: dict[str, Callable[[dict[str, Any]], str]] = {
    "parameters": lambda run: f"{run['parameters'] / 1e6:.1f} M",
    "updates": lambda run: f"{run['updates']:,}",
    "epochs": lambda run: f"{run['epochs']:.1f}",
    "minutes": lambda run: f"{run['wall_seconds'] / 60:.0f}",
    "target tokens/s": lambda run: f"{run['target_tokens_per_second']:,.0f}",
    "seed": lambda run: str(run["seed"]),
}
SHORT = ["parameters", "minutes", "target tokens/s"]


def add(run: Path) -> None:
    """Copy a run's config and metrics to docs/results. The path of its data becomes `FOLDER`."""
    if not (run / "metrics.json").is_file():
        raise UserError(f"{run}: holds no metrics.json; expected the folder of a finished run")
    metrics = json.loads((run / "metrics.json").read_text("utf-8"))
    if "test" not in metrics:
        raise UserError(f"{run}: its corpus has no test split, so there is nothing to put in the table")
    config = yaml.safe_load((run / "config.yaml").read_text("utf-8"))
    if config["data"]["path"]:
        config["data"]["path"] = "FOLDER"
    folder = RESULTS / metrics["name"]
    if (folder / "config.yaml").is_file():
        there = yaml.safe_load((folder / "config.yaml").read_text("utf-8"))
        changed = [key for key in config if config[key] != there.get(key)]
        if changed:
            raise UserError(
                f"{folder}: holds a run with another {', '.join(changed)}; train under another name (name=), or remove "
                "that folder"
            )
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.yaml").write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), "utf-8")
    (folder / "metrics.json").write_text(json.dumps(metrics, indent=2, ensure_ascii=False) + "\n", "utf-8")


def results() -> list[dict[str, Any]]:
    """Return the metrics of every result, best score first; see `rank`."""
    return sorted((json.loads(path.read_text("utf-8")) for path in RESULTS.glob("*/metrics.json")), key=rank)


def short_table() -> str:
    """Return the README's Markdown table: a row for each result of a shipped recipe, only scores with a signature."""
    runs = [run for run in results() if recipe(run).is_file()]
    labels = labels_of(runs, signed=True)
    rows = (row(run, labels, SHORT, recipe(run).relative_to(ROOT).as_posix()) for run in runs)
    return "\n".join([*header(["model", *labels, *SHORT]), *rows])


def whole_table() -> str:
    """Return the Markdown table with all scores and facts, and the settings that they depend on."""
    runs = results()
    labels = labels_of(runs)
    lines = [
        *header(["model", *labels, *FACTS]),
        *(row(run, labels, list(FACTS), f"{run['name']}/config.yaml") for run in runs),
    ]
    for title, values in (
        ("Command", {command(run) for run in runs}),
        *((label, signatures(runs, label)) for label in labels),
        ("Search", {search(run["search"]) for run in runs}),
        ("Hardware", {summary(run["hardware"]) for run in runs}),
        ("Torch", {run["versions"]["torch"] for run in runs}),
        ("Commit", {f"{run['name']} {str(run['commit'])[:7]}" for run in runs}),
    ):
        if values:
            lines += ["", f"{title}: {'; '.join(sorted(values))}"]
    return "\n".join(lines)


def header(names: list[str]) -> list[str]:
    """Return the first two lines of a Markdown table."""
    return [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]


def labels_of(runs: list[dict[str, Any]], *, signed: bool = False) -> list[str]:
    """Return the labels of all scores of the test split, or of those with a signature."""
    scores = (score for run in runs for score in run["test"].values())
    return list(dict.fromkeys(score["label"] for score in scores if score["signature"] or not signed))


def rank(run: dict[str, Any]) -> float:
    """Return the sort key of a run: its test score by its first metric, negated if higher is better."""
    first = next(iter(run["test"].values()))
    return -first["value"] if first["higher_is_better"] else first["value"]


def signatures(runs: list[dict[str, Any]], label: str) -> set[str]:
    """Return the signatures of a metric in all runs; none for a metric that has no signature."""
    scores = [score for run in runs for score in run["test"].values() if score["label"] == label]
    return {f"`{score['signature']}`" for score in scores if score["signature"] is not None}


def recipe(run: dict[str, Any]) -> Path:
    """Return the path that the shipped experiment with the name of this run has, or would have."""
    return ROOT / "configs" / "experiment" / f"{run['name']}.yaml"


def command(run: dict[str, Any]) -> str:
    """Return the command that trains this run with a shipped recipe, or a reference to its config.yaml."""
    if recipe(run).is_file():
        return f"`python train.py experiment=NAME data.path=FOLDER seed={run['seed']}`"
    return f"{run['name']} by its config.yaml"


def row(run: dict[str, Any], labels: list[str], facts: list[str], link: str) -> str:
    """Return a run's line of the table, with the scores called `labels`, the columns `facts`, and its name linked."""
    scores = {score["label"]: cell(score) for score in run["test"].values()}
    cells = [
        f"[{run['name']}]({link})",
        *(scores.get(label, "") for label in labels),
        *(FACTS[fact](run) for fact in facts),
    ]
    return f"| {' | '.join(cells)} |"


def cell(score: dict[str, Any]) -> str:
    """Return a score with half the width of its interval, if it has one."""
    interval = score["interval"]
    return f"{score['value']:.1f}" + ("" if interval is None else f" ± {interval['half_width']:.1f}")


def search(settings: dict[str, Any]) -> str:
    """Return the label of the search, which names the settings that change its results, and its length limits."""
    strategy = build_search(settings)
    limits = f"max_length_factor {strategy.max_length_factor}, max_length_extra {strategy.max_length_extra}"
    return f"`{strategy.label}` with {limits}"


def with_table(text: str, table: str) -> str:
    """Return a page with `table` between its two marks."""
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table}\n{END}{after}"


def write_tables() -> None:
    """Write both tables anew."""
    for path, table in ((ROOT / "README.md", short_table()), (RESULTS / "README.md", whole_table())):
        path.write_text(with_table(path.read_text("utf-8"), table), "utf-8")


def run(arguments: list[str]) -> None:
    """Run the command `add` or `table`. Raises UserError for other arguments."""
    if wants_help(arguments):
        print(__doc__)
        return
    if len(arguments) == 2 and arguments[0] == "add":
        add(Path(arguments[1]))
    elif arguments != ["table"]:
        raise UserError(f"got '{' '.join(arguments)}', expected add RUN_FOLDER, or table; see --help")
    write_tables()


if __name__ == "__main__":
    program.main(run)
