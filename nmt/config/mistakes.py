"""One line for a mistake in the words of a command line: the word, what was expected, and the nearest name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hydra.core.override_parser.types import Override
from hydra.errors import MissingConfigException
from omegaconf import MissingMandatoryValue, OmegaConf
from yaml import MarkedYAMLError

from nmt.config.groups import groups, options_with
from nmt.errors import UserError, did_you_mean, nearest, one_line
from nmt.parameters import shown


def check_choices(overrides: Sequence[Override]) -> None:
    """Raise UserError for several values in a single run, and for groups and options that do not exist."""
    known = groups()
    for override in overrides:
        key, line = override.key_or_group, override.input_line or ""
        if override.is_sweep_override():
            raise UserError(f"{line}: several values; -m makes a run for each value, and {key}=[a,b] is a list")
        value = override.value()
        if override.is_delete() or key.startswith("hydra"):
            continue
        if key in known:
            if line.startswith("+") and override.package is None:
                raise UserError(f"{line}: {key} is a group; write {line.lstrip('+')}, without +")
            for option in value if isinstance(value, list) else [value]:
                if str(option) not in known[key]:
                    near = did_you_mean(str(option), known[key])
                    raise UserError(f"{key}: got {shown(option)}, expected one of {', '.join(known[key])}{near}")
        elif "/" in key:
            near = did_you_mean(key, known) or f"; groups: {', '.join(known)}"
            raise UserError(f"{key}: unknown group{near}")
        elif (group := key.replace(".", "/")) in known and isinstance(value, str):
            raise UserError(f"{key}: '{value}' is an option of a group; write {group}={value}")


def explain(error: Exception, overrides: Sequence[Override]) -> str:
    """Return one line for an error of Hydra, of OmegaConf or of a YAML file."""
    cause: Any = error.__cause__
    if isinstance(error, MissingMandatoryValue):
        return f"{error.full_key}: not given; set {error.full_key}=..."
    if isinstance(error, MissingConfigException) and error.missing_cfg_file:
        group, _, option = str(error.missing_cfg_file).rpartition("/")
        known = groups().get(group, ())
        near = did_you_mean(option, known)
        return f"{group}: a defaults list has '{option}', expected one of {', '.join(known)}{near}"
    if isinstance(error, MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"{mark.name}, line {mark.line + 1}: cannot be read as YAML ({error.problem}); correct the file"
    if getattr(cause, "full_key", None) and OmegaConf.is_config(getattr(cause, "parent_node", None)):
        return _unknown_key(str(cause.full_key), cause.parent_node)
    for group in (override.key_or_group for override in overrides):
        parent, _, child = group.rpartition("/")
        if group in groups() and f"'{group}'" in str(error):
            chosen = " or ".join(f"{parent}={option}" for option in options_with(group))
            with_parent = f"this {parent} has no {child} to choose; use it with {chosen}"
            return f"{group}: {with_parent if parent else 'this program has no such group'}"
    return f"{getattr(error, 'full_key', None) or 'config'}: {one_line(str(error).partition('full_key:')[0])}"


def _unknown_key(key: str, parent: Any) -> str:
    """Return what is said of a key that the section around it does not have."""
    section, _, last = key.rpartition(".")
    names = [str(name) for name in parent if name not in ("hydra", "_target_", "_partial_")]
    near = did_you_mean(last, names, prefix=f"{section}." if section else "")
    if not near:
        tree: Any = OmegaConf.to_container(parent._get_root(), resolve=False)
        elsewhere = {each.replace("/", ".").rpartition(".")[2]: each for each in [*_dotted(tree), *groups()]}
        found = nearest(last, elsewhere)
        near = f"; did you mean '{elsewhere[found]}'?" if found else ""
    known = f"; known keys: {', '.join(names)}" if names else ""
    adds = f"; a plus adds a key: +{key}=..." if section else ""
    return f"{key}: unknown key{near or known + adds}"


def _dotted(tree: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield every dotted key of `tree`, without those of Hydra."""
    for key, value in tree.items():
        if key != "hydra":
            yield f"{prefix}{key}"
            yield from _dotted(value, f"{prefix}{key}.") if isinstance(value, Mapping) else ()
