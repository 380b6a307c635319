"""Messages for mistakes in overrides: the given word, the known words, and the one that resembles it most."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nmt.config.folder import groups, options_around, options_with, takes_several
from nmt.errors import UserError, did_you_mean, nearest, one_line
from nmt.parameters import shown

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override


# Sections of Hydra in which it does not refuse another value, and a key of each.
SECTIONS = {
    "hydra": "hydra.run.dir=FOLDER",
    "hydra.job": "hydra.job.name=NAME",
    "hydra.launcher": "hydra.launcher.n_jobs=2",
}
MOST_GUESSES = 3  # keys named in one message
_UNKNOWN = re.compile(r"Could not override '([\w/]+)'")
_NOT_CHOSEN = re.compile(r"Could not delete '([^'=]+)(=[^']*)?'\. No match in the defaults list")
_PLACED = re.compile(r"Could not override '([\w/]+)@([\w.]+)'")


def parse(overrides: Sequence[str]) -> list[Override]:
    """Return the overrides as parsed by Hydra. Raises UserError for an override that Hydra cannot parse."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import OverrideParseException

    for before, line in zip(["", *overrides], overrides, strict=False):
        if ("=" not in line and not line.startswith("~")) or line.startswith("="):
            if before.endswith(","):
                raise UserError(
                    f"command line: got a space after '{before}'; write values without spaces: {before}{line}"
                )
            raise UserError(f"command line: got '{line}', expected key=value, as in seed=2 or model=rnn")
    try:
        return list(OverridesParser.create().parse_overrides(list(overrides)))
    except OverrideParseException as error:
        key = error.override.partition("=")[0]
        raise UserError(
            f"command line: cannot read '{error.override}' ({one_line(error.message.splitlines()[0])}); a value with "
            f"commas, quotes, brackets, braces or letters such as ä needs a second pair of quotes inside the quotes of "
            f"the shell: {key}=\"'...'\""
        ) from error


def is_group(override: Override) -> bool:
    """Return whether an override chooses an option of a config group."""
    return override.key_or_group in groups() or override.key_or_group.startswith("hydra/")


def check_options(overrides: Sequence[Override]) -> None:
    """Raise UserError for unknown options of a group, an option with a dot, and several values in a single run."""
    problems = []
    for override in overrides:
        if override.is_sweep_override():
            key = override.key_or_group
            as_list = "" if key in groups() and not takes_several(key) else f", or write a list as {key}=[a,b]"
            raise UserError(
                f"{override.input_line}: several values for one run; add -m to make one run for each value{as_list}"
            )
        if problem := _unlike_hydra(override):
            problems.append(problem)
            continue
        key, value = override.key_or_group, override.value()
        group = key.replace(".", "/")
        if key not in groups() and group in groups() and isinstance(value, str):
            problems.append(f"{key}: {shown(value)} is an option of a group; write {group}={value}")
        outer = group.rpartition("/")[0]
        if isinstance(value, str) and value in groups().get(outer, ()) and options_around(outer, key):
            problems.append(f"{key}: {shown(value)} is an option of a group; write {outer}@{key}={value}")
        if key not in groups() or override.is_delete():
            continue
        known = ", ".join(groups()[key])
        if value is None:
            problems.append(f"{key}: got null, expected one of {known}; leave it out for the default")
            continue
        if isinstance(value, list) and not takes_several(key):
            problems.append(f"{key}: got {shown(value)}, expected one option, not a list: one of {known}")
            continue
        for option in value if isinstance(value, list) else [value]:
            if str(option) not in groups()[key]:
                near = did_you_mean(str(option), groups()[key])
                problems.append(f"{key}: got {shown(option)}, expected one of {known}{near}")
    if problems:
        raise UserError(*problems)


def _unlike_hydra(override: Override) -> str:
    """Return the problem with an override that makes Hydra raise an exception of Python, or an empty string."""
    key, value = override.key_or_group, override.value()
    if not key:
        return f"command line: got '{override.input_line}', expected key=value, as in seed=2 or model=rnn"
    if key in SECTIONS:
        return f"{override.input_line}: {key} is a section, not a setting; set a key in it, as in {SECTIONS[key]}"
    if override.is_delete():
        if is_group(override) and not isinstance(value, str | None):
            return f"{override.input_line}: expected the name of an option behind =; use {key}=OPTION to choose another"
    elif key.startswith("hydra/") and not all(
        isinstance(option, str) for option in (value if isinstance(value, list) else [value])
    ):
        return f"{key}: got {shown(value)}, expected the name of an option, as in hydra/launcher=joblib"
    return ""


def check_keys(overrides: Sequence[Override], tree: Mapping[str, Any]) -> None:
    """Raise one UserError for all keys that the composed config `tree` does not have."""
    problems = []
    for override in overrides:
        key = override.key_or_group
        if is_group(override) or override.is_hydra_override() or override.is_add() or override.is_force_add():
            continue
        problem = _problem(key, tree)
        if problem:
            problems.append(f"{key}: {problem}")
    if problems:
        raise UserError(*problems)


def explain(error: Exception, choices: Mapping[str, str]) -> str:
    """Return a one-line message for an exception of Hydra. `choices` are the chosen options of the groups."""
    text, cause = one_line(error), error.__cause__
    if "hydra/launcher/joblib" in text:
        return "hydra/launcher: joblib is not installed; pip install 'nmt-attention-lab[parallel]' installs it"
    for group in groups():
        parent, _, child = group.rpartition("/")
        if parent and f"Could not override '{group}'" in text:
            return f"{group}: {parent}={choices.get(parent)} has no {child} to choose; use {group} with {having(group)}"
    unknown = _UNKNOWN.search(text)
    if unknown and unknown[1] in groups() and "No match in the defaults list" in text:
        return f"{unknown[1]}: this program has no such group; it belongs to train.py"
    if unchosen := _NOT_CHOSEN.search(text):
        group, option = unchosen[1], unchosen[2] or ""
        several = f"; to have fewer, list the ones to keep, as in {group}=[A,B]" if takes_several(group) else ""
        return f"~{group}{option}: not chosen as one option, so it cannot be removed{several}"
    missing = _PLACED.search(text)
    if missing and (around := options_around(missing[1], missing[2])):
        return f"{missing[1]}@{missing[2]}: no such node; use it with {' or '.join(around)}"
    return f"config: {text}{f' ({one_line(cause)})' if cause and str(cause) not in text else ''}"


def having(group: str) -> str:
    """Return what to type to have a group inside another: "model=hybrid or model=rnn" for "model/attention"."""
    parent = group.rpartition("/")[0]
    return " or ".join(f"{parent}={option}" for option in options_with(group))


def _problem(key: str, tree: Mapping[str, Any]) -> str:
    """Return the problem with a dotted key, or an empty string if the config has the key."""
    node: Any = tree
    group = ""
    for part in key.split("."):
        if isinstance(node, str) and node.startswith("${"):
            return f"unknown key; its mapping is a copy of {node}: set the key there"
        parent, group = group, f"{group}/{part}".lstrip("/")
        if not isinstance(node, Mapping) or part not in node:
            if group in groups() and parent in groups():
                return f"unknown key, because this {parent} has no {part}; use {having(group)}"
            if isinstance(node, Mapping) and part in groups().get(parent, ()) and takes_several(parent):
                both = ",".join([*node, part])
                return f"{part} is not among the {parent} {', '.join(node)}; choose it as well, as in {parent}=[{both}]"
            return f"unknown key{_near(key, tree)}"
        node = node[part]
    return ""


def _near(key: str, tree: Mapping[str, Any]) -> str:
    """Return a hint at a key of the same section, else at a key of this name elsewhere, else the section's keys."""
    parent, _, last = key.rpartition(".")
    section = _section(parent, tree)
    near = did_you_mean(key, groups()) if "/" in key else ""
    near = near or did_you_mean(last, section, prefix=f"{parent}." if parent else "")
    if near:
        return near
    names = {word: word.replace("/", ".").rpartition(".")[2] for word in [*groups(), *_dotted(tree)]}
    for name in (last, nearest(last, names.values())):
        same = [word for word in names if names[word] == name]
        if 1 <= len(same) <= MOST_GUESSES:
            return f"; did you mean {' or '.join(map(repr, same))}?"
    where = f"keys of {parent}" if parent and section else "known keys"
    return f"; {where}: {', '.join(section or tree)}"


def _section(key: str, tree: Mapping[str, Any]) -> list[str]:
    """Return the keys of the mapping at a dotted key, without the class of its node; none if there is no mapping."""
    node: Any = tree
    for part in key.split(".") if key else ():
        node = node.get(part) if isinstance(node, Mapping) else None
    return [name for name in node if name not in ("_target_", "_partial_")] if isinstance(node, Mapping) else []


def _dotted(tree: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield every dotted key of `tree` that is neither a group nor a copy of another key."""
    for key, value in tree.items():
        if f"{prefix}{key}".replace(".", "/") not in groups() and not (isinstance(value, str) and "${" in value):
            yield f"{prefix}{key}"
        if isinstance(value, Mapping):
            yield from _dotted(value, f"{prefix}{key}.")
