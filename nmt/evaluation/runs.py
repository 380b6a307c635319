"""Reads finished runs from their folders: settings, facts, and the translations of a test set."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from nmt.build import architecture, build_search
from nmt.errors import UserError
from nmt.run_files import CONFIG, METRICS

SEED, OWN_TO_A_RUN = "seed", ("seed", "name", "resume")  # settings in which runs of the same system may differ
_JOB = re.compile(r"\d+_(?P<settings>[^=]+=.+)")  # the folder of a multirun's job: 3_attention=luong,seed=2


@dataclass(frozen=True)
class EvaluationSet:
    """The sentences of one or several test sets. Runs can be compared if their test sets are equal."""

    source_lang: str
    target_lang: str
    sources: tuple[str, ...]
    references: tuple[str, ...]


@dataclass(frozen=True)
class FinishedRun:
    """A finished run, with its translations of a test set, which took `seconds`.

    `config` and `metrics` are the contents of config.yaml and metrics.json.
    """

    folder: Path
    config: Mapping[str, Any]
    metrics: Mapping[str, Any]
    test_set: EvaluationSet
    hypotheses: tuple[str, ...]
    seconds: float

    @property
    def seed(self) -> int:
        """The seed of the run."""
        return int(self.config[SEED])

    @property
    def system(self) -> dict[str, Any]:
        """The settings that runs of the same system share: all but the seed and the name."""
        return {key: value for key, value in self.config.items() if key not in OWN_TO_A_RUN}

    @property
    def name(self) -> str:
        """The settings that the folder of a multirun's job names, without the seed; otherwise the name of the run."""
        job = _JOB.fullmatch(self.folder.name)
        settings = job["settings"].split(",") if job else []
        kept = ",".join(each for each in settings if not each.startswith(f"{SEED}="))
        return kept or str(self.config["name"])

    @property
    def model(self) -> str:
        """The architecture in few words."""
        return architecture(self.config["model"])


def find_runs(folder: Path) -> list[Path]:
    """Return `folder` if it is that of a run, otherwise those of the runs in it, in the order of a multirun's jobs.

    Raises UserError if there is no run, or one that is not finished.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder; expected the folder of a finished run or of a multirun")
    if (folder / METRICS).is_file():
        return [folder]
    runs = [folder] if (folder / CONFIG).is_file() else [path.parent for path in folder.glob(f"*/{CONFIG}")]
    for run in runs:
        if not (run / METRICS).is_file():
            raise UserError(f"{run}: the run is not finished (it has no {METRICS}); wait, or name only finished runs")
    if not runs:
        raise UserError(f"{folder}: holds no {METRICS}; expected the folder of a finished run or of a multirun")
    return sorted(runs, key=_order)


def _order(folder: Path) -> tuple[float, str]:
    number = re.match(r"\d+(?=_|$)", folder.name)
    return (int(number[0]) if number else float("inf"), folder.name)


def read_run(folder: Path, split: str, data: Sequence[str] = (), allow: Sequence[str] = ()) -> FinishedRun:
    """Return a finished run with its translations of `split`, made with its best checkpoint and its own search.

    `data` names the files or folders of other test sets, as they were given to evaluate.py. They are pooled, and
    replace the run's own data. Raises UserError for files that are missing or do not belong together.
    """
    config = yaml.safe_load((folder / CONFIG).read_text("utf-8"))
    metrics = json.loads((folder / METRICS).read_text("utf-8"))
    label = f"{split}.{build_search(metrics['search'], allow=allow).label}"
    translations = folder / "translations"
    if data:
        files = [_scores_of(folder, label, split, name) for name in data]
    else:
        files = [translations / f"{label}.scores.json"]
        if not files[0].is_file():
            raise _missing(folder, f"of its {split} split: no {files[0].name}", f"split={split}")
    parts = [_read_lines(file) for file in files]
    languages = config["data"]["source_lang"], config["data"]["target_lang"]
    sources, references, hypotheses = (
        tuple(line for part in parts for line in part[kind]) for kind in ("src", "ref", "hyp")
    )
    seconds = sum(part["seconds"] for part in parts)
    return FinishedRun(folder, config, metrics, EvaluationSet(*languages, sources, references), hypotheses, seconds)


def _scores_of(folder: Path, label: str, split: str, name: str) -> Path:
    """Return the score file of the evaluation on the data that `name` names."""
    wanted = Path(name).expanduser().resolve()
    for path in sorted((folder / "translations").glob(f"{label}.*.scores.json")):
        _, _, given = json.loads(path.read_text("utf-8"))["data"].partition("=")
        if given and Path(given).resolve() == wanted:
            return path
    key = "path" if wanted.is_dir() else split
    raise _missing(folder, f"of {name} ({label})", f"split={split}", f"data.{key}={name}")


def _missing(folder: Path, what: str, *words: str) -> UserError:
    command = shlex.join(["python", "scripts/evaluate.py", f"ckpt={folder}", *words])
    return UserError(f"{folder}: holds no translations {what}; make them: {command}")


def _read_lines(scores: Path) -> dict[str, Any]:
    """Return the lines of an evaluation as `src`, `ref` and `hyp`, and its seconds."""
    facts = json.loads(scores.read_text("utf-8"))
    label = scores.name.removesuffix(".scores.json")
    languages = {"src": facts["source_lang"], "ref": facts["target_lang"], "hyp": facts["target_lang"]}
    found: dict[str, Any] = {"seconds": facts["seconds"]}
    for kind, language in languages.items():
        path = scores.with_name(f"{label}.{kind}.{language}")
        if not path.is_file():
            raise UserError(f"{path}: no such file; run scripts/evaluate.py again for {scores.parent.parent}")
        found[kind] = path.read_text("utf-8").split("\n")[:-1]
        if len(found[kind]) != facts["sentences"]:
            raise UserError(f"{path}: got {len(found[kind]):,} lines, expected {facts['sentences']:,} as in {scores}")
    return found
