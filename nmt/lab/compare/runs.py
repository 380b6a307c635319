"""Finished runs, read from their folders: facts, translations of a test set, and the settings in which they differ."""

from __future__ import annotations

import inspect
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from nmt.build import architecture, build_search
from nmt.config import settings
from nmt.config.nodes import class_of
from nmt.config.schema import Amount, Count, MetricsFile, read_json, read_yaml
from nmt.data.normalization import normalized
from nmt.data.sources.files import read_lines
from nmt.errors import UserError, counted
from nmt.parameters import LanguageCode, NonNegativeInt
from nmt.search.base import Search
from nmt.system.run_files import CONFIG, METRICS, TRANSLATIONS, run_of
from nmt.translation.loading import direction

SEED = "seed"
LEAVE_OUT = "restore the file, or leave out this run"
GONE = {"lost_spans", "retry"}  # settings of a search that only earlier versions had: files of old runs name them
FOLDER, FILE, RUN_FOLDER = HIDDEN = ("FOLDER", "FILE", "RUN_FOLDER")  # in place of the paths of a published config
OWN_TO_A_RUN = {SEED, "name", "allow", "search.batch_tokens"}  # settings in which runs of the same system may differ
_COMMA = re.compile(r",(?=/|[A-Za-z]:)")  # between two absolute paths, which may have commas
_NO_EFFECT = (
    *("views", "logger", "trainer.log_every_n_steps", "trainer.strategy", "search.unsure_below"),
    *("callbacks.data_report", "callbacks.samples", "callbacks.watch", "callbacks.progress"),
)
_SECTIONS = {"": settings.TrainConfig, "data": settings.DataConfig, "tokenizer": settings.TokenizerConfig}
_SECTIONS |= {"trainer": settings.TrainerConfig, "callbacks": settings.CallbacksConfig, "logger": settings.LoggerConfig}
_JOB = re.compile(r"\d+_(?P<settings>[^=]+=.+)")  # the folder of a multirun's job: 3_attention=luong,seed=2


class _ScoreFile(TypedDict):
    """The entries of a score file that programs read."""

    source_lang: LanguageCode
    target_lang: LanguageCode
    data: str
    data_sha256: str
    search: dict[str, Any]
    scores: dict[str, dict[str, Any]]
    commands: dict[str, str]
    sentences: Count
    seconds: Amount
    members: NotRequired[list[str]]
    update: NotRequired[int | None]


class _Languages(TypedDict):
    source_lang: LanguageCode
    target_lang: LanguageCode


class _Sides(TypedDict):
    encoder: dict[str, Any]
    decoder: dict[str, Any]


class ConfigFile(TypedDict):
    """The entries of a config.yaml that a comparison reads."""

    name: str
    seed: NonNegativeInt
    data: _Languages
    model: _Sides
    scores: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class EvaluationSet:
    """The sentences of a test set. Runs can be compared if their test sets are equal."""

    source_lang: str
    target_lang: str
    sources: tuple[str, ...]
    references: tuple[str, ...]


@dataclass(frozen=True)
class FinishedRun:
    """A finished run with its translations of a test set, which took `seconds`, or a file of translations.

    `config` and `metrics` are the contents of config.yaml and metrics.json. For a file of translations, they are
    empty, and `folder` is the path of the file.
    """

    folder: Path
    config: Mapping[str, Any]
    metrics: Mapping[str, Any]
    test_set: EvaluationSet
    hypotheses: tuple[str, ...]
    seconds: float

    @property
    def seed(self) -> int:
        """The seed of the run. A file of translations has the seed 0."""
        return int(self.config.get(SEED, 0))

    def same_system(self, other: FinishedRun) -> bool:
        """Return whether the two runs differ in nothing but their seed, name, and batches of the search.

        Runs that began with the weights of other runs (init) must have one name. With another seed, such a run may have
        begun with another run.
        """
        begun = self.config.get("init") is not None
        if not self.config or begun != (other.config.get("init") is not None):
            return False
        own = OWN_TO_A_RUN - {"name"} if begun else OWN_TO_A_RUN
        return not differences(self.config, other.config) - own - ({"init"} if self.seed != other.seed else set())

    @property
    def name(self) -> str:
        """The settings that the folder of a multirun's job names, without the seed; otherwise the name of the run."""
        job = _JOB.fullmatch(self.folder.name)
        words = job["settings"].split(",") if job else []
        kept = ",".join(each for each in words if not each.startswith(f"{SEED}="))
        return kept or str(self.config.get("name", self.folder.name))

    @property
    def model(self) -> str:
        """The architecture in few words."""
        return architecture(self.config["model"]) if self.config else "a file"


def find_runs(folder: Path) -> list[Path]:
    """Return `folder` if it is a run or a file, otherwise the folders of the runs in it, in the order of a multirun.

    Raises UserError if there is no run, or one that is not finished.
    """
    if not folder.exists():
        raise UserError(
            f"{folder}: no such folder or file; expected the folder of a finished run or of a multirun, or a file of "
            "translations"
        )
    if folder.suffix == ".safetensors":
        raise UserError(f"{folder}: weights without translations; name the folder of their run: {run_of(folder)}")
    if folder.is_file() or (folder / METRICS).is_file():
        return [folder]
    runs = [folder] if (folder / CONFIG).is_file() else [path.parent for path in folder.glob(f"*/{CONFIG}")]
    for run in runs:
        if not (run / METRICS).is_file():
            raise UserError(
                f"{run}: the run is not finished (it has no {METRICS}); wait, resume it, or name only finished runs"
            )
    if not runs:
        near = [folder.parent / METRICS, *sorted(folder.glob(f"*/*/{METRICS}"))]
        hint = next((f"; this is one: {path.parent}" for path in near if path.is_file()), "")
        raise UserError(f"{folder}: holds no {METRICS}; expected the folder of a finished run or of a multirun{hint}")
    return sorted(runs, key=_order)


def _order(folder: Path) -> tuple[float, str]:
    number = re.match(r"\d+(?=_|$)", folder.name)
    return (int(number[0]) if number else float("inf"), folder.name)


def read_runs(
    folders: Sequence[Path],
    split: str,
    data: str | None = None,
    allow: Sequence[str] = (),
    codes: tuple[str | None, str | None] = (None, None),
) -> list[FinishedRun]:
    """Return finished runs with their translations of `split`, made with the best checkpoint and the run's own search.

    A file among the `folders` has a line for each test sentence of the first run, in the same order. `data` names the
    file or folder of another test set, as it was given to evaluate.py; a source file names its pair. The direction is
    the first one of the first run that fits the `codes` of a source and a target language. A folder without the sources
    and references of its test set, as in docs/results, gets them from another of these runs. Raises UserError for files
    that are missing or do not belong together.
    """
    runs = [folder for folder in folders if not folder.is_file()]
    if not runs:
        raise UserError(f"{folders[0]}: a file; name also a run's folder, whose test set has the references")
    languages = direction([read_yaml(runs[0] / CONFIG, ConfigFile, remedy=LEAVE_OUT)], *codes)
    files = (
        [_own_file(folder, split, allow, languages) for folder in runs]
        if data is None
        else _files_on(data, runs, split, allow, languages)
    )
    test_sets = _test_sets(files)
    found = {folder: _read_run(folder, file, test_sets) for folder, file in zip(runs, files, strict=True)}
    return [found.get(folder) or _read_file(folder, found[runs[0]]) for folder in folders]


def _own_file(folder: Path, split: str, allow: Sequence[str], languages: tuple[str, str]) -> Path:
    """Return the score file of the run's own test set in one direction, its main one or a further one."""
    label = _own_search(folder, allow).label
    for name in (split, f"{split}.{'-'.join(languages)}"):
        own = folder / TRANSLATIONS / f"{name}.{label}.scores.json"
        if own.is_file() and _languages(own) == languages:
            return own
    raise _missing(folder, f"of its {split} split from {' to '.join(languages)} (no {own.name})")


def _languages(scores: Path) -> tuple[str, str]:
    facts = _read_scores(scores)
    return facts["source_lang"], facts["target_lang"]


def _own_search(folder: Path, allow: Sequence[str]) -> Search:
    path = folder / METRICS
    return _searches(path, read_json(path, MetricsFile, remedy=LEAVE_OUT)["search"], allow)


def _files_on(
    name: str, folders: Sequence[Path], split: str, allow: Sequence[str], languages: tuple[str, str]
) -> list[Path]:
    """Return the score file of each run on the data that `name` names. All runs have translated the same sentences.

    Raises UserError if there are no such files, and if there is a choice between several sets of sentences.
    """
    found = [_files_by_digest(name, folder, split, allow) for folder in folders]
    shared = sorted(set.intersection(*map(set, found)))
    shared = [each for each in shared if _languages(found[0][each]) == languages]
    if len(shared) != 1:
        raise UserError(
            f"data.test: {name} names {len(shared)} sets of sentences that all runs have translated from "
            f"{' to '.join(languages)}, expected one; evaluate the runs with the same settings, remove the score files "
            "of others, or choose another direction by source_lang= and target_lang="
        )
    return [each[shared[0]] for each in found]


def _test_sets(files: Iterable[Path]) -> dict[str, EvaluationSet]:
    """Return the test sets whose sentences lie beside these score files, by their digest."""
    found: dict[str, EvaluationSet] = {}
    for scores in files:
        facts, languages = _read_scores(scores), _languages(scores)
        paths = [_beside(scores, kind, language) for kind, language in zip(("src", "ref"), languages, strict=True)]
        if all(path.is_file() for path in paths):
            found[facts["data_sha256"]] = EvaluationSet(*languages, *(_lines_of(path, facts) for path in paths))
    return found


def _read_run(folder: Path, file: Path, test_sets: Mapping[str, EvaluationSet]) -> FinishedRun:
    facts = _read_scores(file)
    if facts["data_sha256"] not in test_sets:
        raise UserError(
            f"{folder}: holds translations without their sources and references; compare it together with a run "
            f"that has translated the same test set (data_sha256 {facts['data_sha256'][:8]}...)"
        )
    return FinishedRun(
        folder,
        read_yaml(folder / CONFIG, ConfigFile, remedy=LEAVE_OUT),
        read_json(folder / METRICS, MetricsFile, remedy=LEAVE_OUT),
        test_sets[facts["data_sha256"]],
        _lines_of(_beside(file, "hyp", facts["target_lang"]), facts),
        facts["seconds"],
    )


def _read_file(path: Path, run: FinishedRun) -> FinishedRun:
    """Return the translations in a file of the same sentences as those of `run`."""
    lines = tuple(map(normalized, read_lines(path)))
    if len(lines) != len(run.hypotheses):
        raise UserError(
            f"{path}: got {counted(len(lines), 'line')}, expected {len(run.hypotheses):,}, one for each test sentence "
            f"of {run.folder}"
        )
    return FinishedRun(path, {}, {}, run.test_set, lines, 0.0)


def _files_by_digest(name: str, folder: Path, split: str, allow: Sequence[str]) -> dict[str, Path]:
    """Return the score files of a run on the data that `name` names, with its own search, by the digest of the data."""
    search, wanted = _own_search(folder, allow), Path(name).expanduser().resolve()
    weights = read_json(folder / METRICS, MetricsFile, remedy=LEAVE_OUT).get("best_update")
    found: dict[str, Path] = {}
    files = (folder / TRANSLATIONS).glob(f"{split}.*{search.label}.*scores.json")  # also of a further direction
    for path in sorted(each for each in files if ".terms-" not in each.name):
        facts = _read_scores(path)
        theirs = _searches(path, facts["search"], allow)
        theirs = theirs.replace(batch_tokens=search.batch_tokens, unsure_below=search.unsure_below)
        is_older = facts.get("update", weights) != weights  # made before the run went on, by other weights
        if _source(facts["data"]) == wanted and theirs == search and not is_older:
            found[facts["data_sha256"]] = path
    if not found:
        raise _missing(folder, f"of {name} ({split}.{search.label}; of two files, name that of the sources)")
    return found


def _source(data: str) -> Path:
    """Return the folder, the file, or the source file that a setting names: data.test=[/a/test.en,/a/test.de]"""
    value = re.sub(r"^data\.\w+=", "", data)
    name = _COMMA.split(value[1:-1])[0] if value.startswith("[") else value
    return Path() if "\0" in name else Path(os.path.realpath(name))


def _searches(path: Path, node: Mapping[str, Any], allow: Sequence[str]) -> Search:
    """Return the search that a file of the run describes. Raises UserError, which names the file."""
    try:
        return build_search({key: value for key, value in node.items() if key not in GONE}, allow=allow)
    except UserError as error:
        raise UserError(f"{path}: {error}") from error


def _missing(folder: Path, what: str) -> UserError:
    return UserError(
        f"{folder}: holds no translations {what}; make them with scripts/evaluate.py ckpt={folder}, name what it has "
        "translated by data.test=, or leave this run out"
    )


def _beside(scores: Path, kind: str, language: str) -> Path:
    """Return the path of the lines that belong to a score file: `src`, `ref` or `hyp`."""
    return scores.with_name(f"{scores.name.removesuffix('.scores.json')}.{kind}.{language}")


def _lines_of(path: Path, facts: Mapping[str, Any]) -> tuple[str, ...]:
    if not path.is_file():  # a pipe would wait for ever
        raise UserError(f"{path}: no such file; {LEAVE_OUT}")
    lines = tuple(read_lines(path))
    if len(lines) != facts["sentences"]:
        raise UserError(
            f"{path}: got {len(lines):,} lines, expected {facts['sentences']:,} as in the score file; run "
            f"scripts/evaluate.py again for {path.parent.parent}"
        )
    return lines


def differences(one: Mapping[str, Any], other: Mapping[str, Any], section: str = "") -> set[str]:
    """Return the settings, as in model.encoder.layers, that have different values in the configs of two runs.

    A setting that one config lacks has its default there: an earlier version did not have it. Settings that change no
    result, such as loggers, do not count, and neither do metrics that only one run has. A path that a published config
    hides may be any path.
    """
    found = set()
    for key in one.keys() | other.keys():
        where = f"{section}.{key}" if section else key
        first, second = (each[key] if key in each else _default(each, section, key) for each in (one, other))
        if where in _NO_EFFECT or (section == "scores" and None in (first, second)):
            continue
        if isinstance(first, Mapping) and isinstance(second, Mapping):
            found |= differences(first, second, where)
        elif first != second and not _hidden(first, second) and (key in one.keys() & other.keys() or first or second):
            found.add(where)
    return found


def _default(node: Mapping[str, Any], section: str, key: str) -> Any:
    """Return the default of a setting that a section lacks. It is None if there is none, or if it is empty."""
    schema: type | None = settings.MoreConfig if re.fullmatch(r"data\.more\.[^.]+", section) else _SECTIONS.get(section)
    parameter = None
    with suppress(UserError, ValueError):  # a class of another version, or none
        schema = class_of(node, section, within=("nmt", "torch.optim")) if schema is None else schema
        parameter = inspect.signature(schema).parameters.get(key)
    default = None if parameter is None else parameter.default
    return default if isinstance(default, bool | int | float | str) else None


def _hidden(one: Any, other: Any) -> bool:
    """Return whether both runs have a path here, and one of the paths was hidden when its config was published."""
    return one is not None and other is not None and not {str(one), str(other)}.isdisjoint(HIDDEN)


def _read_scores(path: Path) -> dict[str, Any]:
    """Return the content of a score file. Raises UserError for any other file."""
    return dict(read_json(path, _ScoreFile, remedy=LEAVE_OUT))
