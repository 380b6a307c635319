"""From a config name and overrides to a plain, resolved dict: the only module besides `cli` that knows Hydra.

Hydra composes; this module says what its errors mean in one line, and turns what came out into dicts and lists. What
the values may be is checked by `nmt.config.schema` and `nmt.config.instantiate`.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt.config.folder import config_dir, defaults, groups, options_with
from nmt.config.schema import validate
from nmt.config.typed import shown
from nmt.errors import UserError, did_you_mean, one_line

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override
    from omegaconf import DictConfig

__all__ = [
    "Composed",
    "compose",
    "compose_run",
    "config_dir",
    "groups",
    "jobs",
    "plain",
    "validate",
]


@dataclass(frozen=True)
class Composed:
    """What a command line asks for: the plain config, and the folder that Hydra will make for the run.

    `base` is the same folder, or for a job of a multirun the folder of all its jobs.
    """

    config: dict[str, Any]
    base: Path
    folder: Path


def compose(config_name: str, overrides: Sequence[str] = ()) -> dict[str, Any]:
    """Return the config `config_name` ("train") with `overrides` ("model=rnn", "seed=2"): plain and resolved.

    A training config is validated as well. Raises UserError for overrides that cannot be read, unknown or misspelt
    keys, groups and options, values left open, and (for "train") whatever `nmt.config.schema.validate` objects to.
    """
    found = _compose(config_name, list(overrides)).config
    if config_name == "train":
        validate(found)
    return found


def compose_run(overrides: Sequence[str], *, job: int | None = None) -> Composed:
    """Return a training run's validated config and folder; `job` is its number in a multirun, None for a single run."""
    composed = _compose("train", [*overrides, *([] if job is None else [f"hydra.job.num={job}"])], job is not None)
    validate(composed.config)
    return composed


def jobs(overrides: Sequence[str]) -> list[list[str]]:
    """Return the overrides of each job of a multirun, in the order in which Hydra runs them."""
    from hydra.core.override_parser.types import Glob

    choices: dict[str, list[str]] = {}
    for override in _parse(overrides):
        key = override.get_key_element()
        if not override.is_sweep_override():
            choices[key] = [f"{key}={override.get_value_element_as_str()}"]
        elif isinstance(override.value(), Glob):
            raise UserError(f"{override.input_line}: name the options one by one, {key}=A,B")
        elif override.is_discrete_sweep():
            choices[key] = [f"{key}={value}" for value in override.sweep_string_iterator()]
        else:
            raise UserError(f"{override.input_line}: an interval cannot be run through; list the values: {key}=1,2,3")
    return [list(job) for job in itertools.product(*choices.values())]


def plain(config: DictConfig) -> dict[str, Any]:
    """Return a composed config as dicts, lists, text, numbers, booleans and None, interpolations resolved."""
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException

    try:
        open_keys = OmegaConf.missing_keys(config)
        if open_keys:
            raise UserError("; ".join(f"{key}: not given; set {key}=..." for key in sorted(open_keys)))
        found = OmegaConf.to_container(config, resolve=True)
    except OmegaConfBaseException as error:
        raise UserError(f"config: {one_line(error)}") from error
    assert isinstance(found, dict)
    return {str(key): value for key, value in found.items()}


# Composing


def _compose(config_name: str, overrides: list[str], multirun: bool = False) -> Composed:
    from omegaconf import open_dict
    from omegaconf.errors import OmegaConfBaseException

    parsed = _parse(overrides)
    _check_options(parsed)
    config = _hydra_compose(config_name, overrides, parsed)
    with _hydra_config(config):
        try:
            name = config.hydra.sweep.dir if multirun else config.hydra.run.dir
            base = Path(name)
            folder = base / config.hydra.sweep.subdir if multirun else base
        except OmegaConfBaseException as error:
            raise UserError(f"config: {one_line(error)}") from error
        if not name:
            raise UserError(f"hydra.{'sweep' if multirun else 'run'}.dir: got nothing, expected the name of a folder")
        task = config.copy()
        with open_dict(task):
            del task["hydra"]
        return Composed(plain(task), base, folder)


def _hydra_compose(config_name: str, overrides: list[str], parsed: Sequence[Override]) -> DictConfig:
    """Return Hydra's composition, its own node included."""
    import hydra
    from hydra.errors import HydraException

    with hydra.initialize_config_dir(str(config_dir()), version_base="1.3"):
        try:
            return hydra.compose(config_name, overrides, return_hydra_config=True)
        except HydraException as error:
            # Hydra stops at the first key that is not there: look at all of them, in what the chosen groups have.
            chosen = [override.input_line or "" for override in parsed if _is_group(override)]
            with suppress(HydraException):  # a group that is not there either: that is the first error's to say
                _check_keys(parsed, hydra.compose(config_name, chosen))
            raise UserError(_meaning(error, overrides)) from error


@contextmanager
def _hydra_config(config: DictConfig) -> Iterator[None]:
    """Let `${hydra:...}` in `config` be resolved."""
    from hydra.core.hydra_config import HydraConfig

    before = HydraConfig.instance().cfg
    HydraConfig.instance().set_config(config)
    try:
        yield
    finally:
        HydraConfig.instance().cfg = before


def _parse(overrides: Sequence[str]) -> list[Override]:
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import OverrideParseException

    for line in overrides:
        if "=" not in line and not line.startswith("~"):
            raise UserError(f"command line: got '{line}', expected key=value, as in seed=2 or model=rnn")
    try:
        return list(OverridesParser.create().parse_overrides(list(overrides)))
    except OverrideParseException as error:
        key = error.override.partition("=")[0]
        raise UserError(
            f"command line: cannot read '{error.override}' ({one_line(error.message.splitlines()[0])}); a value that "
            f"holds commas, quotes, brackets, braces or letters such as ä needs quotes of its own inside the shell's: "
            f"{key}=\"'...'\""
        ) from error


# What Hydra would say at length


def _is_group(override: Override) -> bool:
    return override.key_or_group in groups() or override.key_or_group.startswith("hydra/")


def _check_options(overrides: Sequence[Override]) -> None:
    """Refuse options that a group does not have, and several values where one run is asked for."""
    problems = []
    for override in overrides:
        if override.is_sweep_override():
            raise UserError(
                f"{override.input_line}: several values for one run; add -m to run each of them, "
                f"or write a list as {override.key_or_group}=[a,b]"
            )
        key, value = override.key_or_group, override.value()
        if key not in groups() or override.is_delete():
            continue
        if value is None:
            problems.append(f"{key}: got null, expected one of {', '.join(groups()[key])}; ~{key} leaves it out")
        elif not isinstance(value, list) and str(value) not in groups()[key]:
            there = f"there is {', '.join(groups()[key])}{did_you_mean(str(value), groups()[key])}"
            problems.append(f"{key}: got {shown(value)}, {there}")
    if problems:
        raise UserError("; ".join(problems))


def _check_keys(overrides: Sequence[Override], config: DictConfig) -> None:
    """Refuse keys that the chosen groups do not have; Hydra would stop at the first and suggest nothing."""
    from omegaconf import OmegaConf

    tree: Any = OmegaConf.to_container(config, resolve=False)
    problems = []
    for override in overrides:
        key = override.key_or_group
        if _is_group(override) or override.is_hydra_override() or override.is_add() or override.is_force_add():
            continue
        problem = _problem(key, tree)
        if problem:
            problems.append(f"{key}: {problem}")
    if problems:
        raise UserError("; ".join(problems))


def _problem(key: str, tree: Mapping[str, Any]) -> str:
    """Return what is wrong with a dotted key, or an empty string."""
    node: Any = tree
    for part in key.split("."):
        if isinstance(node, str) and node.startswith("${"):
            return f"unknown key; what is there comes from {node}: set it there"
        if not isinstance(node, Mapping) or part not in node:
            return f"unknown key{_near(key, tree)}"
        node = node[part]
    return ""


def _near(key: str, tree: Mapping[str, Any]) -> str:
    known = [*_dotted(tree), *groups()]
    last = key.rpartition(".")[2]
    same = [word for word in known if word.rpartition(".")[2] == last]
    return f"; did you mean '{same[0]}'?" if len(same) == 1 else did_you_mean(key, known)


def _dotted(tree: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    for key, value in tree.items():
        yield f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _dotted(value, f"{prefix}{key}.")


def _meaning(error: Exception, overrides: Sequence[str]) -> str:
    """Return one line for an error of Hydra's."""
    text, cause = one_line(error), error.__cause__
    for group in groups():
        parent, _, child = group.rpartition("/")
        if parent and f"Could not override '{group}'" in text:
            chosen = [line for line in overrides if line.startswith(f"{parent}=")]
            model = chosen[-1] if chosen else f"{parent}={defaults().get(parent)}"
            having = [f"{parent}={option}" for option in options_with(group)]
            where = f" ({text.split(':')[0]})" if text.startswith("In ") else ""
            return (
                f"{group}{where}: {model} has no {child} to choose (what it has is built in); "
                f"{group} goes with {' or '.join(having)}"
            )
    return f"config: {text}{f' ({one_line(cause)})' if cause and str(cause) not in text else ''}"
