"""Finished runs, read from their folders: facts, translations of a test set, and the settings in which they differ."""

from __future__ import annotations

import inspect
import os
import re
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import MISSING, dataclass, fields
from pathlib import Path
from typing import Any, TypedDict

from nmt.build import architecture, build_search
from nmt.config.compose import quoted
from nmt.config.nodes import class_of
from nmt.config.schema import LEAVE_OUT, MetricsFile, read_json, read_yaml
from nmt.config.settings import DataConfig, TokenizerConfig, TrainConfig, TrainerConfig
from nmt.data.sources.files import read_lines
from nmt.errors import UserError
from nmt.evaluation.split import read_scores
from nmt.parameters import LanguageCode, NonNegativeInt
from nmt.search.base import Search
from nmt.system.run_files import CONFIG, METRICS, TRANSLATIONS, best_checkpoint

SEED = "seed"
FOLDER, FILE, RUN_FOLDER = HIDDEN = ("FOLDER", "FILE", "RUN_FOLDER")  # in place of the paths of a published config
OWN_TO_A_RUN = {SEED, "name", "allow", "search.batch_tokens"}  # settings in which runs of the same system may differ
_COMMA = re.compile(r",(?=/|[A-Za-z]:)")  # between two absolute paths, which may have commas
_JOB = re.compile(r"\d+_(?P<settings>[^=]+=.+)")  # the folder of a multirun's job: 3_attention=luong,seed=2


class _Languages(TypedDict):
    source_lang: LanguageCode
    target_lang: LanguageCode


class _Sides(TypedDict):
    encoder: dict[str, Any]
    decoder: dict[str, Any]


class _Limits(TypedDict):
    max_time: Any


class ConfigFile(TypedDict):
    """The entries of a config.yaml that a comparison reads."""

    name: str
    seed: NonNegativeInt
    data: _Languages
    model: _Sides
    scores: dict[str, dict[str, Any]]
    trainer: _Limits


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

    def same_system(self, other: FinishedRun) -> bool:
        """Return whether the two runs differ in nothing but their seed, name, and batches of the search.

        Runs that began with the weights of other runs (init) must have one name. With another seed, such a run may have
        begun with another run.
        """
        begun = self.config.get("init") is not None
        if begun != (other.config.get("init") is not None):
            return False
        own = OWN_TO_A_RUN - {"name"} if begun else OWN_TO_A_RUN
        return not differences(self.config, other.config) - own - ({"init"} if self.seed != other.seed else set())

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
    """Return `folder` if it is a run, otherwise the folders of the runs in it, in the order of a multirun's jobs.
    Raises UserError if there is no run, or one that is not finished.
    """
    if not folder.is_dir():
        raise UserError(f"{folder}: no such folder; expected the folder of a finished run or of a multirun")
    if (folder / METRICS).is_file():
        return [folder]
    runs = [folder] if (folder / CONFIG).is_file() else [path.parent for path in folder.glob(f"*/{CONFIG}")]
    for run in runs:
        if not (run / METRICS).is_file():
            raise UserError(
                f"{run}: the run is not finished (it has no {METRICS}); wait, resume it, or name only finished runs"
            )
    if not runs:
        raise UserError(f"{folder}: holds no {METRICS}; expected the folder of a finished run or of a multirun")
    return sorted(runs, key=_order)


def _order(folder: Path) -> tuple[float, str]:
    number = re.match(r"\d+(?=_|$)", folder.name)
    return (int(number[0]) if number else float("inf"), folder.name)


def read_runs(
    folders: Sequence[Path], split: str, data: Sequence[str] = (), allow: Sequence[str] = ()
) -> list[FinishedRun]:
    """Return finished runs with their translations of `split`, made with the best checkpoint and the run's own search.

    `data` names the files or folders of other test sets, as they were given to evaluate.py; a source file names its
    pair. They are pooled, and replace the run's own data. A folder without the sources and references of its test set,
    as in docs/results, gets them from another of these runs. Raises UserError for files that are missing or do not
    belong together.
    """
    if data:
        columns = [_files_on(name, folders, split, allow) for name in data]
        _check_pool(data, [files[0] for files in columns])
    else:
        columns = [[_own_file(folder, split, allow) for folder in folders]]
    files = list(zip(*columns, strict=True))
    test_sets = _test_sets(file for each in files for file in each)
    return [_read_run(folder, each, test_sets) for folder, each in zip(folders, files, strict=True)]


def _check_pool(names: Sequence[str], files: Sequence[Path]) -> None:
    """Raise UserError if two names are of the same sentences, which would count twice, or of different directions."""
    seen: dict[str, str] = {}
    directions: dict[str, str] = {}
    for name, file in zip(names, files, strict=True):
        facts = read_scores(file, remedy=LEAVE_OUT)
        if (first := seen.get(facts["data_sha256"])) is not None:
            raise UserError(f"data.test: {first} and {name} are the same sentences; name each test set once")
        seen[facts["data_sha256"]] = name
        directions.setdefault(f"{facts['source_lang']} to {facts['target_lang']}", name)
    if len(directions) > 1:
        listed = ", ".join(f"{name} is {direction}" for direction, name in directions.items())
        raise UserError(f"data.test: the test sets have different directions ({listed}); compare each direction alone")


def _own_file(folder: Path, split: str, allow: Sequence[str]) -> Path:
    """Return the score file of the run's own test set."""
    own = folder / TRANSLATIONS / f"{split}.{_own_search(folder, allow).label}.scores.json"
    if own.is_file():
        return own
    digest = "[0-9a-f]" * 8  # as `nmt.evaluation.split.Evaluation.label` adds it
    if others := sorted(own.parent.glob(own.name.replace(".scores.json", f".{digest}.scores.json"))):
        data = read_scores(others[0], remedy=LEAVE_OUT)["data"]
        raise UserError(
            f"{folder}: has no translations of its own {split} split with its own length limits (no {own.name}), but "
            f"others ({data}); name their folder or source file: data.test=NAME"
        )
    raise _missing(folder, f"of its {split} split: no {own.name}", allow, f"split={split}")


def _own_search(folder: Path, allow: Sequence[str]) -> Search:
    path = folder / METRICS
    return _searches(path, read_json(path, MetricsFile, remedy=LEAVE_OUT)["search"], allow)


def _files_on(name: str, folders: Sequence[Path], split: str, allow: Sequence[str]) -> list[Path]:
    """Return the score file of each run on the data that `name` names. All runs have translated the same sentences.

    A folder that was translated in both directions names the sentences in the direction of the first run. Raises
    UserError if there are no such files, and if there is a choice between several sets of sentences.
    """
    found = [_files_by_digest(name, folder, split, allow) for folder in folders]
    shared = sorted(set.intersection(*map(set, found)))
    if not shared:
        raise UserError(
            f"data.test: no sentences of {name} were translated by all runs; evaluate the runs with the same settings "
            f"data.KEY=..."
        )
    if len(shared) > 1:
        data = read_yaml(folders[0] / CONFIG, ConfigFile, remedy=LEAVE_OUT)["data"]
        facts = {each: read_scores(found[0][each], remedy=LEAVE_OUT) for each in shared}
        own = [each for each in shared if all(facts[each][key] == data[key] for key in ("source_lang", "target_lang"))]
        shared = own or shared
    if len(shared) > 1:
        files = " and ".join(found[0][each].name.replace(".scores.json", ".*") for each in shared)
        raise UserError(
            f"data.test: {name} names {len(shared)} sets of sentences that all runs have translated ({files}); remove "
            f"all but one from {found[0][shared[0]].parent}"
        )
    return [each[shared[0]] for each in found]


def _test_sets(files: Iterable[Path]) -> dict[str, EvaluationSet]:
    """Return the test sets whose sentences lie beside these score files, by their digest."""
    found: dict[str, EvaluationSet] = {}
    for scores in files:
        facts = read_scores(scores, remedy=LEAVE_OUT)
        languages = facts["source_lang"], facts["target_lang"]
        paths = [_beside(scores, kind, language) for kind, language in zip(("src", "ref"), languages, strict=True)]
        if all(path.is_file() for path in paths):
            found[facts["data_sha256"]] = EvaluationSet(*languages, *(_lines_of(path, facts) for path in paths))
    return found


def _read_run(folder: Path, files: Sequence[Path], test_sets: Mapping[str, EvaluationSet]) -> FinishedRun:
    parts = [read_scores(file, remedy=LEAVE_OUT) for file in files]
    for facts in parts:
        if facts["data_sha256"] not in test_sets:
            raise UserError(
                f"{folder}: holds translations without their sources and references; compare it together with a run "
                f"that has translated the same test set (data_sha256 {facts['data_sha256'][:8]}...)"
            )
    sets = [test_sets[facts["data_sha256"]] for facts in parts]
    sources, references = (
        tuple(line for each in sets for line in getattr(each, kind)) for kind in ("sources", "references")
    )
    hypotheses = (
        _lines_of(_beside(file, "hyp", facts["target_lang"]), facts) for file, facts in zip(files, parts, strict=True)
    )
    return FinishedRun(
        folder,
        read_yaml(folder / CONFIG, ConfigFile, remedy=LEAVE_OUT),
        read_json(folder / METRICS, MetricsFile, remedy=LEAVE_OUT),
        EvaluationSet(sets[0].source_lang, sets[0].target_lang, sources, references),
        tuple(line for lines in hypotheses for line in lines),
        sum(facts["seconds"] for facts in parts),
    )


def _files_by_digest(name: str, folder: Path, split: str, allow: Sequence[str]) -> dict[str, Path]:
    """Return the score files of a run on the data that `name` names, with its own search, by the digest of the data."""
    search, wanted = _own_search(folder, allow), Path(name).expanduser().resolve()
    own = folder / TRANSLATIONS / f"{split}.{search.label}.scores.json"
    others = sorted(own.parent.glob(f"{split}.{search.label}.*.scores.json"))
    weights = read_json(folder / METRICS, MetricsFile, remedy=LEAVE_OUT).get("best_update")
    found: dict[str, Path] = {}
    sources: dict[Path, Path] = {}  # the source file for each file; itself, if it was a source in any evaluation
    for path in [*filter(Path.is_file, [own]), *others]:
        facts = read_scores(path, remedy=LEAVE_OUT)
        theirs = _searches(path, facts["search"], allow).replace(batch_tokens=search.batch_tokens)
        source, *target = _named(facts["data"])
        sources = dict.fromkeys(target, source) | sources | {source: source}
        is_older = facts.get("update", weights) != weights  # made before the run went on, by other weights
        if wanted == source and theirs == search and not is_older:
            found[facts["data_sha256"]] = path
    if (source := sources.get(wanted, wanted)) != wanted:
        raise UserError(f"data.test: {name} is a target file; name only its source file: data.test={source}")
    if not found:
        words = f"split={split}", _setting(name, folder, split)
        raise _missing(folder, f"of {name} ({split}.{search.label})", allow, *words)
    return found


def _named(data: str) -> list[Path]:
    """Return the folder, the file, or source and target file that a setting names: data.test=[/a/test.en,/a/test.de]"""
    value = re.sub(r"^data\.\w+=", "", data)
    names = _COMMA.split(value[1:-1]) if value.startswith("[") else [value]
    return [Path(os.path.realpath(name)) for name in names if "\0" not in name] or [Path()]


def _setting(name: str, folder: Path, split: str) -> str:
    """Return the setting that evaluates a run on a folder, on a file of pairs, or on a source file and its target."""
    is_folder = Path(name).expanduser().is_dir()
    if is_folder or name.removesuffix(".gz").endswith((".jsonl", ".tsv")):
        return f"data.{'path' if is_folder else split}={_quoted(name)}"
    data = read_yaml(folder / CONFIG, ConfigFile, remedy=LEAVE_OUT)["data"]
    target, found = re.subn(rf"(.*)\.{data['source_lang']}(?=[./]|$)", rf"\1.{data['target_lang']}", name)
    return f"data.{split}=[{_quoted(name)},{_quoted(target) if found else 'TARGET_FILE'}]"


def _quoted(path: str) -> str:
    """Return a path in quotes if it has commas, brackets or quotes; the programs quote all other paths themselves."""
    return quoted(path) if set(path) & set(",[]'\"") else path


def _searches(path: Path, node: Mapping[str, Any], allow: Sequence[str]) -> Search:
    """Return the search that a file of the run describes. Raises UserError, which names the file."""
    try:
        return build_search(node, allow=allow)
    except UserError as error:
        raise UserError(f"{path}: {error}") from error


def _missing(folder: Path, what: str, allow: Sequence[str], *words: str) -> UserError:
    if not best_checkpoint(folder).is_file():
        return UserError(
            f"{folder}: holds no translations {what}, and no checkpoint to make them with; leave this run out"
        )
    allowed = [f"allow=[{','.join(allow)}]"] if allow else []
    command = shlex.join(["python", "scripts/evaluate.py", f"ckpt={folder}", *words, *allowed])
    return UserError(f"{folder}: holds no translations {what}; make them: {command}")


def _beside(scores: Path, kind: str, language: str) -> Path:
    """Return the path of the lines that belong to a score file: `src`, `ref` or `hyp`."""
    return scores.with_name(f"{scores.name.removesuffix('.scores.json')}.{kind}.{language}")


def _lines_of(path: Path, facts: Mapping[str, Any]) -> tuple[str, ...]:
    if not path.is_file():
        raise UserError(f"{path}: no such file; run scripts/evaluate.py again for {path.parent.parent}")
    lines = tuple(read_lines(path))
    if len(lines) != facts["sentences"]:
        raise UserError(
            f"{path}: got {len(lines):,} lines, expected {facts['sentences']:,} as in the score file; run "
            f"scripts/evaluate.py again for {path.parent.parent}"
        )
    return lines


# Differences of settings between runs, which may have been trained by different versions of this project

_SECTIONS = {"": TrainConfig, "data": DataConfig, "tokenizer": TokenizerConfig, "trainer": TrainerConfig}
_PACKAGES = ("nmt", "torch")  # whose classes are imported to look up a default
_SHOWN = (
    "views",
    "callbacks.data_report",
    "callbacks.samples",
    "callbacks.watch",
    "callbacks.progress",
    "logger",
    "trainer.log_every_n_steps",
)


def differences(one: Mapping[str, Any], other: Mapping[str, Any], section: str = "") -> set[str]:
    """Return the settings, as in model.encoder.layers, that have different values in the configs of two runs.

    A setting that only one config has is newer than the other run, which was trained with the default of the setting.
    So it differs if its value is not the default, or if it has no default. Settings that only show the training do not
    count, and neither do metrics that only one run has. A path that a published config hides may be any path.
    """
    found = set()
    for key in one.keys() | other.keys():
        where = f"{section}.{key}" if section else key
        first, second = (each[key] if key in each else _default(one, key, section) for each in (one, other))
        if where in _SHOWN or (section == "scores" and (key not in one or key not in other)):
            continue
        if isinstance(first, Mapping) and isinstance(second, Mapping):
            found |= differences(first, second, where)
        elif first != second and not _hidden(first, second):
            found.add(where)
    return found


def _default(node: Mapping[str, Any], key: str, section: str) -> Any:
    """Return the default of a key of this section or node, or MISSING."""
    parameter = _parameters(node).get(key)
    if parameter is not None and parameter.default is not inspect.Parameter.empty:
        return parameter.default
    for each in fields(_SECTIONS[section]) if section in _SECTIONS else ():
        if each.name == key:
            return each.default if each.default_factory is MISSING else each.default_factory()
    return MISSING


def _parameters(node: Mapping[str, Any]) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of the class that a node names, or none if there is no such class in these packages."""
    try:
        return inspect.signature(class_of(node, "", within=_PACKAGES)).parameters
    except Exception:  # a strange config may name a module that cannot be imported here, or a class without a signature
        return {}


def _hidden(one: Any, other: Any) -> bool:
    """Return whether both runs have a path here, and one of the paths was hidden when its config was published."""
    return one is not None and other is not None and not {str(one), str(other)}.isdisjoint(HIDDEN)
