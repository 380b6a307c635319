"""Make the tables of results in both READMEs, docs/results and docs/ablation, and the READMEs' table of claims.

python scripts/results.py add RUN_FOLDER [RUN_FOLDER ...]
    copy the config.yaml, the metrics.json and the test translations of finished runs to docs/results/NAME/seedN,
    compare all results as scripts/compare.py does, and write the tables
python scripts/results.py ablation RUN_FOLDER [RUN_FOLDER ...]
    the same in docs/ablation, whose runs are compared with the run called "baseline"
python scripts/results.py table
    write the tables again, from the files comparison.json in both folders and docs/lab/claims.json

docs/results/techniques.yaml names the rows that tell what a technique changes, and the row that each is compared with.
"""

from __future__ import annotations

import contextlib
import json
import shutil
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import fmean, stdev
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from nmt.build import build_metrics, build_search
from nmt.cli import program
from nmt.cli.arguments import wants_help
from nmt.config.compared import differences
from nmt.config.compose import compose
from nmt.config.paths import FILES
from nmt.errors import UserError
from nmt.evaluation import comparison_table
from nmt.evaluation.compare import Tester, compare
from nmt.evaluation.metrics.base import Metric
from nmt.evaluation.runs import OWN_TO_A_RUN, FinishedRun, find_runs, read_runs
from nmt.lab.page import Language, summary
from nmt.run_files import CONFIG, METRICS
from nmt.system.machine import summary as machine_summary

ROOT = Path(__file__).resolve().parent.parent
LAB = ROOT / "docs" / "lab"
COMPARISON, UNFINISHED, TECHNIQUES = "comparison.json", "unfinished.json", "techniques.yaml"


@dataclass(frozen=True)
class Group:
    """Runs that are compared with each other: their folder, and the name of the one that the others are tested with."""

    folder: Path
    baseline: str


RESULTS = Group(ROOT / "docs" / "results", "multi30k_transformer")
ABLATION = Group(ROOT / "docs" / "ablation", "baseline")
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


def add(runs: Sequence[Path], group: Group) -> None:
    """Copy finished runs to the folder of a group, and compare all its runs that have the same test sets as these."""
    for run in runs:
        copy(run, group)
    file = group.folder / COMPARISON
    found = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    for digest, run in {scores_of(run)["data_sha256"]: run.resolve() for run in runs}.items():
        found[digest] = compared(digest, run, group)
    file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")


def copy(run: Path, group: Group) -> None:
    """Copy the files of a run that are its result. The path of its data becomes `FOLDER`, that of a file `FILE`."""
    if not (run / METRICS).is_file():
        raise UserError(f"{run}: holds no {METRICS}; expected the folder of a finished run")
    metrics = json.loads((run / METRICS).read_text("utf-8"))
    if "test" not in metrics:
        raise UserError(f"{run}: its corpus has no test split, so there is nothing to put in the table")
    config = yaml.safe_load((run / CONFIG).read_text("utf-8"))
    for section in (config["data"], *(config["data"].get("more") or {}).values()):
        for key in FILES:
            if section.get(key):
                section[key] = "FOLDER" if key == "path" else "FILE"
    if config.get("init"):
        config["init"] = "RUN_FOLDER"
    folder = group.folder / metrics["name"] / f"seed{metrics['seed']}"
    for other in (group.folder / metrics["name"]).glob(f"*/{CONFIG}"):
        there = yaml.safe_load(other.read_text("utf-8"))
        changed = sorted(differences(config, there) - OWN_TO_A_RUN)
        if changed:
            raise UserError(
                f"{other.parent}: holds a run with another {', '.join(changed)}; train under another name (name=), or "
                "remove that folder"
            )
    label = f"test.{build_search(metrics['search']).label}"
    lines = f"{label}.hyp.{config['data']['target_lang']}"
    (folder / "translations").mkdir(parents=True, exist_ok=True)
    shutil.copyfile(run / "translations" / lines, folder / "translations" / lines)
    (folder / CONFIG).write_text(yaml.safe_dump(config, sort_keys=False, allow_unicode=True), "utf-8")
    write_json(folder / METRICS, metrics)
    write_json(folder / "translations" / f"{label}.scores.json", scores_of(run) | {"data": "data.path=FOLDER"})


def write_json(path: Path, values: dict[str, Any]) -> None:
    """Write values as JSON."""
    path.write_text(json.dumps(values, indent=2, ensure_ascii=False) + "\n", "utf-8")


def scores_of(run: Path) -> dict[str, Any]:
    """Return the facts of a run's evaluation on its own test set."""
    search = build_search(json.loads((run / METRICS).read_text("utf-8"))["search"])
    found: dict[str, Any] = json.loads((run / "translations" / f"test.{search.label}.scores.json").read_text("utf-8"))
    return found


def compared(digest: str, run: Path, group: Group) -> dict[str, Any]:
    """Return the comparison of all runs of a group on the test set with this digest; `run` has its sentences."""
    with contextlib.chdir(group.folder):
        folders = [path for name in sorted(Path().glob("*/")) for path in find_runs(name)]
        folders = [path for path in folders if scores_of(path)["data_sha256"] == digest]
        *results, _ = read_runs([*folders, run], "test")
        baseline = next((each for each in results if each.config["name"] == group.baseline), results[0])
        names = ["bleu", "chrf", *(["multi30k"] if baseline.test_set.target_lang == "de" else [])]
        metrics = build_metrics(
            compose("compare", [f"scores=[{','.join(names)}]"])["scores"], target_lang=baseline.test_set.target_lang
        )
        comparison = compare(results, baseline, metrics, examples=0)
        techniques = tested_techniques(results, metrics, group)
    found = comparison_table.to_dict(comparison) | {"notes": comparison_table.notes(comparison)}
    return found | ({"techniques": techniques} if techniques else {})


def tested_techniques(results: Sequence[FinishedRun], metrics: dict[str, Metric], group: Group) -> list[dict[str, Any]]:
    """Return each technique whose rows are among the results, with its differences from the row without it.

    Only seeds that both rows have take part. A difference in validation loss is None if the pieces differ, or if an old
    run did not write its loss.
    """
    file, tester = group.folder / TECHNIQUES, Tester.of(results, metrics)
    found = []
    for entry in yaml.safe_load(file.read_text("utf-8")) if file.is_file() else []:
        row, against = ({run.seed: run for run in results if run.name == entry[key]} for key in ("row", "against"))
        seeds = sorted(row.keys() & against.keys())
        if not seeds:
            continue
        one, other = ([runs[seed] for seed in seeds] for runs in (against, row))
        if len(seeds) > 1:
            over_seeds = tester.over_seeds(one, other)
            tests = {name: asdict(test) for name, test in over_seeds.items()}
        else:
            paired = tester.paired(one[0], other[0])
            tests = {name: asdict(test.bootstrap) | {"p": test.randomization} for name, test in paired.items()}
        validation = {
            "loss": difference(validation_loss, one, other)
            if one[0].config["tokenizer"] == other[0].config["tokenizer"]
            else None,
            "bleu": difference(lambda run: run.metrics["val"]["bleu"]["value"], one, other),
        }
        found.append(entry | {"seeds": seeds, "validation": validation, "tests": tests})
    return found


def difference(
    figure: Callable[[FinishedRun], float | None], one: Sequence[FinishedRun], other: Sequence[FinishedRun]
) -> float | None:
    """Return the mean of a figure in the other runs minus that in the first ones; None if a run does not have it."""
    before, after = [figure(run) for run in one], [figure(run) for run in other]
    known = [[value for value in values if value is not None] for values in (before, after)]
    return fmean(known[1]) - fmean(known[0]) if known == [before, after] else None


def validation_loss(run: FinishedRun) -> float | None:
    """Return the validation loss of the weights that a run has kept, if it is on record."""
    candidate = run.metrics.get("candidates", {}).get(run.metrics["weights"])
    return None if candidate is None else float(candidate["loss"])


def comparisons(group: Group) -> list[dict[str, Any]]:
    """Return the comparison of each test set, its systems in the order of their scores."""
    found = list(json.loads((group.folder / COMPARISON).read_text("utf-8")).values())
    for each in found:
        each["systems"].sort(key=lambda system: -next(iter(system["mean"].values())))
    return found


def metrics_of(run: dict[str, Any], group: Group) -> dict[str, Any]:
    """Return the metrics.json of a compared run."""
    found: dict[str, Any] = json.loads((group.folder / run["folder"] / METRICS).read_text("utf-8"))
    return found


def short_table() -> str:
    """Return the README's Markdown table: a row for each system in `README_ROWS`."""
    first = comparisons(RESULTS)[0]
    systems = [system for system in first["systems"] if system["name"] in README_ROWS]
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
            ]
        )
    return markdown(["model", *labels(first), "p", *SHORT], rows)


def whole_table(group: Group) -> str:
    """Return a Markdown table for each test set with all runs, and the settings that the scores depend on."""
    return "\n\n".join(table_of(each, group) for each in comparisons(group))


def table_of(comparison: dict[str, Any], group: Group) -> str:
    """Return a row for each run, a row for the mean of each system with several seeds, and the settings."""
    rows = []
    for system in comparison["systems"]:
        for run in system["runs"]:
            facts = metrics_of(run, group)
            cells = [cell(score) for score in run["scores"].values()]
            name = f"[{system['name']}]({run['folder']}/{CONFIG})"
            tests = difference_of_run(run), p_of_run(run)
            rows.append([name, str(run["seed"]), *cells, *tests, *(make(facts) for make in FACTS.values())])
        if len(system["runs"]) > 1:
            count = f"mean of {len(system['runs'])}"
            tests = next(map(with_width, system["seeds_tests"].values()), ""), p_value(system)
            rows.append([system["name"], count, *summaries(system), *tests, *[""] * len(FACTS)])
    runs = [metrics_of(run, group) for system in comparison["systems"] for run in system["runs"]]
    tested = f" Differences and p-values are of {labels(comparison)[0]} against {comparison['baseline']}."
    lines = [
        f"{comparison['source_lang']} to {comparison['target_lang']}, {comparison['sentences']:,} sentences."
        f"{tested if len(comparison['systems']) > 1 else ''}",
        "",
        markdown(["model", "seed", *labels(comparison), "difference", "p", *FACTS], rows),
    ]
    scores = comparison["systems"][0]["runs"][0]["scores"].values()
    for title, values in (
        ("Command", {command(run, group) for run in runs}),
        *((score["label"], {f"`{score['signature']}`"}) for score in scores),
        ("Search", {search(run["search"]) for run in runs}),
        ("Hardware", {machine_summary(run["hardware"]) for run in runs}),
        ("Torch", {run["versions"]["torch"] for run in runs}),
        ("Commit", {f"{run['name']} (seed {run['seed']}) {str(run['commit'])[:7]}" for run in runs}),
    ):
        lines += ["", f"{title}: {'; '.join(sorted(values))}"]
    return "\n".join([*lines, *(line for note in comparison["notes"][1:] for line in ("", note))])


def techniques_table() -> str:
    """Return a Markdown table with a row for each technique: its differences from the row without it."""
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
    """Return a difference with its sign; one that is rounded to 0 is +0."""
    return f"{round(value, places) + 0.0:+.{places}f}"


def unfinished_table() -> str:
    """Return a Markdown table of the runs that were stopped: their last validation that all seeds have reached."""
    runs = json.loads((ABLATION.folder / UNFINISHED).read_text("utf-8"))
    rows = []
    for recipe_name in dict.fromkeys(run["recipe"] for run in runs):
        own = [run["validations"] for run in runs if run["recipe"] == recipe_name]
        last = [each[min(map(len, own)) - 1] for each in own]
        figures = [f"{fmean(each[name] for each in last):.{places}f}" for name, places in (("bleu", 1), ("loss", 3))]
        spread = f" ± {stdev(each['bleu'] for each in last):.1f}" if len(last) > 1 else ""
        rows.append([f"`{recipe_name}`", f"{last[0]['update']:,}", str(len(own)), figures[0] + spread, figures[1]])
    rows.sort(key=lambda row: row[-1])
    return markdown(["recipe", "update", "seeds", "validation BLEU, greedy", "validation loss"], rows)


def markdown(names: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table."""
    return "\n".join(
        [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}", *(f"| {' | '.join(row)} |" for row in rows)]
    )


def labels(comparison: dict[str, Any]) -> list[str]:
    """Return the labels of the scores."""
    return [score["label"] for score in comparison["systems"][0]["runs"][0]["scores"].values()]


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
    """Return a p-value as the table has it."""
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def recipe(name: str) -> Path:
    """Return the path that the shipped experiment with this name has, or would have."""
    return ROOT / "configs" / "experiment" / f"{name}.yaml"


def command(run: dict[str, Any], group: Group) -> str:
    """Return the command that trains this run with a shipped recipe, or a reference to its config.yaml."""
    if group is ABLATION:
        return "each run by its config.yaml"
    if not recipe(run["name"]).is_file():
        return f"{run['name']} by its config.yaml"
    config = yaml.safe_load((group.folder / run["name"] / f"seed{run['seed']}" / CONFIG).read_text("utf-8"))
    start = "init=RUN_FOLDER " if config.get("init") else ""
    return f"`python train.py experiment=NAME {start}data.path=FOLDER seed=SEED`"


def search(settings: dict[str, Any]) -> str:
    """Return the label of the search, which names the settings that change its results, and its length limits."""
    strategy = build_search(settings)
    limits = f"max_length_factor {strategy.max_length_factor}, max_length_extra {strategy.max_length_extra}"
    return f"`{strategy.label}` with {limits}"


def with_table(text: str, table: str, mark: str = "results") -> str:
    """Return a page with `table` between its two marks."""
    begin, end = f"<!-- {mark} -->", f"<!-- end of {mark} -->"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{table}\n{end}{after}"


def pages() -> dict[Path, str]:
    """Return the text of each page with its tables."""
    claims = json.loads((LAB / "claims.json").read_text("utf-8"))
    readmes: dict[Path, Language] = {ROOT / "README.md": "en", ROOT / "README.ko.md": "ko"}
    found = {}
    for path, language in readmes.items():
        text = with_table(path.read_text("utf-8"), short_table())
        found[path] = with_table(text, summary(claims, language), "claims")
    results, ablation = (group.folder / "README.md" for group in (RESULTS, ABLATION))
    text = with_table(results.read_text("utf-8"), whole_table(RESULTS))
    found[results] = with_table(text, techniques_table(), "techniques")
    text = with_table(ablation.read_text("utf-8"), whole_table(ABLATION))
    found[ablation] = with_table(text, unfinished_table(), "unfinished")
    return found


def write_tables() -> None:
    """Write all tables anew."""
    for path, text in pages().items():
        path.write_text(text, "utf-8")


def run(arguments: list[str]) -> None:
    """Run the command `add`, `ablation` or `table`. Raises UserError for other arguments."""
    if wants_help(arguments):
        print(__doc__)
        return
    groups = {"add": RESULTS, "ablation": ABLATION}
    if len(arguments) >= 2 and arguments[0] in groups:
        add([Path(argument) for argument in arguments[1:]], groups[arguments[0]])
    elif arguments != ["table"]:
        raise UserError(f"got '{' '.join(arguments)}', expected add or ablation RUN_FOLDER, or table; see --help")
    write_tables()


if __name__ == "__main__":
    program.main(run)
