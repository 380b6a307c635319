"""The files of results: finished runs in docs/results, and their comparison. results.py uses it."""

from __future__ import annotations

import contextlib
import itertools
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import yaml

from nmt.build import build_metrics, build_search
from nmt.config.compose import compose
from nmt.config.settings import FILES, METRIC_FILE
from nmt.errors import UserError
from nmt.evaluation.metrics.base import Metric
from nmt.lab.compare import table as comparison_table
from nmt.lab.compare.compare import compare
from nmt.lab.compare.runs import FILE, FOLDER, GONE, OWN_TO_A_RUN, RUN_FOLDER, differences, find_runs, read_runs
from nmt.system.run_files import CONFIG, METRICS

ROOT = Path(__file__).resolve().parent.parent
COMPARISON = "comparison.json"
RESULTS = ROOT / "docs" / "results"
SPEEDS = "speeds.yaml"  # the speeds of training of rows
MORPHEMES = "morphemes"  # the name of BLEU of Korean morphemes, beside BLEU of characters
# the other systems with the same test set are tested against the one of these, or against the first
TRANSFORMERS = ("multi30k_transformer", "multi30k_fr_transformer", "multi30k_cs_transformer")
BASELINES = (*TRANSFORMERS, "office_help_en_ko", "office_help_ko_en")


def add(runs: Sequence[Path], results: Path) -> None:
    """Copy finished runs to the folder of results, and compare all its runs that have the same test sets as these."""
    for run in runs:
        copy(run, results)
    file = results / COMPARISON
    found = json.loads(file.read_text("utf-8")) if file.is_file() else {}
    for digest, run in {scores_of(run)["data_sha256"]: run.resolve() for run in runs}.items():
        found[digest] = compared(digest, run, results)
    file.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", "utf-8")


def copy(run: Path, results: Path) -> None:
    """Copy the result files of a run. The path of its data folder becomes `FOLDER`, the path of a file `FILE`."""
    if not (run / METRICS).is_file():
        raise UserError(f"{run}: holds no {METRICS}; expected the folder of a finished run")
    metrics = json.loads((run / METRICS).read_text("utf-8"))
    if "test" not in metrics:
        raise UserError(f"{run}: its corpus has no test split, so there is nothing to put in the table")
    config = yaml.safe_load((run / CONFIG).read_text("utf-8"))
    further = [(config["data"].get(key) or {}).values() for key in ("more", "more_val", "pairs")]
    for section in (config["data"], *itertools.chain(*further)):
        for key in FILES:
            if section.get(key):
                section[key] = FOLDER if key == "path" else FILE
    for metric in config["scores"].values():
        if metric.get(METRIC_FILE):
            metric[METRIC_FILE] = FILE
    if config.get("init"):
        config["init"] = RUN_FOLDER
    folder = results / metrics["name"] / f"seed{metrics['seed']}"
    for other in (results / metrics["name"]).glob(f"*/{CONFIG}"):
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
    write_json(folder / "translations" / f"{label}.scores.json", scores_of(run) | {"data": f"data.path={FOLDER}"})


def write_json(path: Path, values: dict[str, Any]) -> None:
    """Write values as JSON."""
    path.write_text(json.dumps(values, indent=2, ensure_ascii=False) + "\n", "utf-8")


def scores_of(run: Path) -> dict[str, Any]:
    """Return the facts of a run's evaluation on its own test set."""
    node = json.loads((run / METRICS).read_text("utf-8"))["search"]
    search = build_search({key: value for key, value in node.items() if key not in GONE})
    found: dict[str, Any] = json.loads((run / "translations" / f"test.{search.label}.scores.json").read_text("utf-8"))
    return found


def compared(digest: str, run: Path, results: Path) -> dict[str, Any]:
    """Return the comparison of all results on the test set with this digest; `run` has its sentences."""
    with contextlib.chdir(results):
        folders = [path for name in sorted(Path().glob("*/")) for path in find_runs(name)]
        folders = [path for path in folders if scores_of(path)["data_sha256"] == digest]
        *runs, _ = read_runs([*folders, run], "test")
        baseline = next((each for each in runs if each.config["name"] in BASELINES), runs[0])
        metrics = metrics_into(baseline.test_set.target_lang)
        comparison = compare(runs, baseline, metrics, examples=0)
    return comparison_table.to_dict(comparison)


def metrics_into(language: str) -> dict[str, Metric]:
    """Return the metrics of results with this target language; into Korean, this needs the extra `ko`."""
    names = ["bleu", "chrf", *(["multi30k"] if language == "de" else [])]
    overrides = [f"scores=[{','.join(names)}]"]
    if language == "ko":
        overrides += [f"+scores.{MORPHEMES}={{_target_: nmt.evaluation.metrics.bleu.BLEU, tokenize: ko-mecab}}"]
    return build_metrics(compose("compare", overrides)["scores"], target_lang=language)


def comparisons(results: Path) -> list[dict[str, Any]]:
    """Return the comparison of each test set, its systems in the order of their scores."""
    found = list(json.loads((results / COMPARISON).read_text("utf-8")).values())
    for each in found:
        each["systems"].sort(key=lambda system: -next(iter(system["mean"].values())))
    return found


def metrics_of(run: dict[str, Any], results: Path) -> dict[str, Any]:
    """Return the metrics.json of a compared run."""
    found: dict[str, Any] = json.loads((results / run["folder"] / METRICS).read_text("utf-8"))
    return found
