"""Messages for mistakes in a command line and its files: the value, the expected values, and similar names."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt.config.instantiate import class_of
from nmt.config.overrides import RECIPES, Choice, is_group, parse
from nmt.config.yaml_files import Default, YamlFile, groups, options_around, options_with, read_file, takes_several
from nmt.errors import UserError, did_you_mean, nearest, one_line, raise_if_any
from nmt.parameters import shown

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override

# Sections of Hydra for which it accepts a wrong value without an error, and a key of each.
SECTIONS = {
    "hydra": "hydra.run.dir=FOLDER",
    "hydra.job": "hydra.job.name=NAME (with -m)",
    "hydra.launcher": "hydra.launcher.n_jobs=2",
}
OPEN = ("callbacks.extra", "data.more")  # sections whose keys are names of the user's own choice
MAX_GUESSES = 3  # keys named in one message
_UNKNOWN = re.compile(r"Could not override '([\w/]+)'")
_NOT_CHOSEN = re.compile(r"Could not delete '([^'=]+)(=[^']*)?'\. No match in the defaults list")
_NULL = re.compile(r"Could not delete from config\. '([^']+)' does not exist")
_PLACED = re.compile(r"Could not override '([\w/]+)@([\w.]+)'")
_THERE = re.compile(r"Error merging override [+~]([\w.]+)")
_LAUNCHERS = re.compile(r"Could not override '(hydra\.launcher\.[\w.]+)'")


def check_options(overrides: Sequence[Override], *, multirun: bool = False) -> None:
    """Raise UserError for unknown options of a group, an option with a dot, and several values in a single run.

    `multirun` tells whether the program can make one run for each value.
    """
    for override in overrides:
        if override.is_sweep_override():
            key = override.key_or_group
            as_list = "" if key in groups() and not takes_several(key) else f", or write a list as {key}=[a,b]"
            problem = "for one run; add -m to make one run for each value" if multirun else "where one is expected"
            raise UserError(f"{(override.input_line or '').lstrip('+')}: several values {problem}{as_list}")
    raise_if_any(problem for override in overrides for problem in _option_problems(override))


def _option_problems(override: Override) -> Iterator[str]:
    key, value = override.key_or_group, override.value()
    if problem := _unlike_hydra(override):
        yield problem
    elif key not in groups():
        group = key.replace(".", "/")
        outer = group.rpartition("/")[0]
        if group in groups() and isinstance(value, str):
            yield f"{key}: {shown(value)} is an option of a group; write {group}={value}"
        if isinstance(value, str) and value in groups().get(outer, ()) and options_around(outer, key):
            yield f"{key}: {shown(value)} is an option of a group; write {outer}@{key}={value}"
    elif override.is_delete():
        return
    elif (override.is_add() or override.is_force_add()) and override.package is None:
        given = (override.input_line or "").lstrip("+")
        yield f"{override.input_line}: {key} is a group; write {given}, without +"
    elif value is None:
        yield f"{key}: got null, expected one of {', '.join(groups()[key])}; leave it out for the default"
    elif isinstance(value, list) and not takes_several(key):
        yield f"{key}: got {shown(value)}, expected one option, not a list: one of {', '.join(groups()[key])}"
    else:
        for option in value if isinstance(value, list) else [value]:
            if not isinstance(option, str) or option not in groups()[key]:
                yield _unknown_option(key, option)


def _unlike_hydra(override: Override) -> str:
    """Return the problem with an override that makes Hydra raise an exception of Python, or an empty string."""
    key, value = override.key_or_group, override.value()
    if not key:
        return f"command line: got '{override.input_line}', expected key=value, as in seed=2 or model=rnn"
    if key in SECTIONS:
        return f"{override.input_line}: {key} is a section, not a setting; set a key in it, as in {SECTIONS[key]}"
    if key.startswith(("hydra/sweeper", "hydra.sweeper")):
        return (
            f"{override.input_line}: only Hydra's basic sweeper is supported; give values with commas, as in seed=1,2"
        )
    if key.startswith("hydra.launcher.") and (override.is_add() or override.is_force_add()):
        return f"{override.input_line}: write {(override.input_line or '').lstrip('+')}, without +"
    if override.is_delete():
        if is_group(override) and not isinstance(value, str | None):
            return f"{override.input_line}: expected the name of an option behind =; use {key}=OPTION to choose another"
    elif key.startswith("hydra/") and not all(
        isinstance(option, str) for option in (value if isinstance(value, list) else [value])
    ):
        return f"{key}: got {shown(value)}, expected the name of an option, as in hydra/launcher=joblib"
    return ""


def _unknown_option(group: str, option: object) -> str:
    options = groups()[group]
    hint = did_you_mean(str(option), options)
    if not isinstance(option, str) and (hint or str(option) in options):  # Hydra reads 2026_11 as 202611
        name = "['NAME']" if takes_several(group) else "'NAME'"
        hint = (
            f'; a name that reads as a number, true or false needs quotes inside those of the shell: {group}="{name}"'
        )
    return f"{group}: got {shown(option)}, expected one of {', '.join(options)}{hint}"


# Files


def check_files(overrides: Sequence[Override]) -> None:
    """Raise UserError for mistakes in the chosen files that Hydra explains badly or not at all.

    These are a missing package line, text that is not YAML, and defaults of a recipe that name unknown groups or
    options, or a group twice.
    """
    choice = Choice.of(overrides)
    raise_if_any(problem for file in choice.files for problem in _file_problems(file, choice))


def _file_problems(file: YamlFile, choice: Choice) -> Iterator[str]:
    if file.group not in RECIPES:
        if f"{file.group}._target_" in file.lines and takes_several(file.group):
            package = f"{file.group}.{Path(file.name).stem}"
            yield (
                f"{file.name}: its first line must be '# @package {package}'; without it, its keys belong to "
                f"'{file.group}' and not to '{package}'"
            )
        return
    if file.package != "_global_":
        yield (
            f"{file.name}: its first line must be '# @package _global_'; without it, all of its keys belong to "
            f"'{file.package}' and not to the sections data, model and so on"
        )
        return
    for base, line in file.bases.items():
        if base not in groups()[file.group]:
            yield f"{file.name}, line {line}: {_unknown_option(file.group, base)}"
    first: dict[str, Default] = {}
    for entry in file.defaults:
        if (before := first.setdefault(entry.key, entry)) is not entry:  # Hydra would drop it silently
            yield f"{file.name}, line {entry.line}: '{entry.key}' stands in line {before.line} too; remove one of them"
        for problem in _default_problems(entry, choice.options):
            yield f"{file.name}, line {entry.line}{problem}"


def _default_problems(entry: Default, options: Mapping[str, str]) -> Iterator[str]:
    group = entry.group
    parent, _, child = group.rpartition("/")
    if group not in groups():
        if not group.startswith("hydra/"):
            yield f": unknown group '{group}'{did_you_mean(group, groups())}"
    elif entry.key.split("@")[0] != f"override /{group}":
        yield f": got '- {entry.key}: {entry.value}', expected '- override /{group}: {entry.value}'"
    elif unknown := [option for option in entry.options if option not in (*groups()[group], "null")]:
        yield from (f": {_unknown_option(group, option)}" for option in unknown)
    elif parent and options[parent] not in options_with(group) and options[group] == entry.value:
        yield (
            f", chooses {group}={entry.value}, but {parent}={options[parent]} has no {child}: leave out "
            f"{parent}={options[parent]}, or use {_with(group)}"
        )


@contextmanager
def naming_files(overrides: Sequence[str]) -> Iterator[None]:
    """Add the file and the line to each problem whose key a chosen file sets."""
    try:
        yield
    except UserError as error:
        choice = Choice.of(parse(overrides))
        raise UserError(*(_placed(problem, choice) for problem in error.problems)) from error


def is_about(problem: str, keys: Sequence[str]) -> bool:
    """Return whether a problem is about one of these keys, a key inside one, or a mapping that holds one."""
    key = problem.partition(":")[0]
    return any(f"{key}.".startswith(f"{each}.") or each.startswith(f"{key}.") for each in keys)


def _placed(problem: str, choice: Choice) -> str:
    """Return a problem with the place where a file sets its key. A key on the command line needs no place."""
    key = problem.partition(":")[0]
    file = next((file for file in choice.files if key in file.lines), None)
    if file is None or is_about(problem, choice.keys):
        return problem
    is_unknown = problem.startswith(f"{key}: unknown key")
    if any(each.startswith(f"{key}.") for each in file.lines) and not is_unknown:
        return problem  # of a section as a whole, which no line sets
    parts = key.split(".")
    prefixes = ("/".join(parts[:count]) for count in range(len(parts) - 1, 0, -1))
    where = f"{file.name}, line {file.lines[key]}"
    options, recommended = choice.options, choice.recommended
    group = next((each for each in prefixes if options.get(each) != recommended.get(each)), parts[0])
    chosen, meant = options.get(group), recommended.get(group)
    if file.group not in RECIPES or chosen == meant or not is_unknown:
        return f"{problem} ({where})"
    name = choice.options[file.group]
    longer = [option for option in groups()[file.group] if option.startswith(f"{name}_")]
    fitting = [option for option in longer if read_file(f"{file.group}/{option}").chosen.get(group) == chosen]
    return (
        f"{problem.partition('; ')[0]} for {group}={chosen}; {where}, sets it for {group}={meant}: add ~{key} to leave "
        f"it out, or leave out {group}={chosen}{''.join(f', or use {file.group}={option}' for option in fitting)}"
    )


# Keys


def check_keys(overrides: Sequence[Override], tree: Mapping[str, Any]) -> None:
    """Raise one UserError for all keys that the composed config `tree` does not have."""
    raise_if_any(
        f"{override.key_or_group}: {problem}"
        for override in overrides
        if not (is_group(override) or override.is_hydra_override())
        and (problem := _key_problem(override.key_or_group, tree, adds=override.is_add() or override.is_force_add()))
    )


def _key_problem(key: str, tree: Mapping[str, Any], *, adds: bool) -> str:
    """Return the problem with a dotted key, or an empty string if the config has the key or a plus `adds` it."""
    node: Any = tree
    group = ""
    for part in key.split("."):
        if isinstance(node, str) and node.startswith("${"):
            return f"unknown key; its mapping is a copy of {node}: set the key there"
        parent, group = group, f"{group}/{part}".lstrip("/")
        if isinstance(node, list):
            name = parent.replace("/", ".")
            return f"unknown key, because {name} is a list; set all of it, as in {name}=[a,b]"
        if not isinstance(node, Mapping) or part not in node:
            if adds:
                return ""
            if group in groups() and parent in groups():
                return f"unknown key, because this {parent} has no {part}; use {_with(group)}"
            if isinstance(node, Mapping) and part in groups().get(parent, ()) and takes_several(parent):
                if not node:
                    return f"{part} is not chosen; add {parent}={part}"
                both = ",".join([*node, part])
                return f"{part} is not among the {parent} {', '.join(node)}; choose it as well, as in {parent}=[{both}]"
            if group.rpartition("/")[0].replace("/", ".") in OPEN:
                return f"unknown key{did_you_mean(part, node or ()) or f'; a + adds a name of your own: +{key}=...'}"
            known = node if isinstance(node, Mapping) else {}
            left_out = [each for each in _parameters_of(known, tree) if each not in known]
            if part in left_out:
                return f"the file leaves this parameter out, so a plus adds it: +{key}=..."
            if nearest(part, [*known, *left_out]) in left_out:
                return f"unknown key{did_you_mean(part, left_out, prefix=f'+{parent}.'.replace('/', '.'))}"
            return f"unknown key{_near(key, tree)}"
        node = node[part]
    return ""


def _parameters_of(node: Mapping[str, Any], tree: Mapping[str, Any]) -> Sequence[str]:
    """Return the parameters that a file may give to the class of a node: those with a default; none without a class."""
    allow = tree.get("allow")
    kind = class_of(node, within=["nmt", "torch.optim", *(allow if isinstance(allow, list) else [])])
    parameters = inspect.signature(kind).parameters.values() if kind else ()
    return [each.name for each in parameters if each.default is not each.empty and each.name != "target_lang"]


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
        if 1 <= len(same) <= MAX_GUESSES:
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


# Exceptions


def explain(error: Exception, overrides: Sequence[Override]) -> str:
    """Return a one-line message for an exception of Hydra about these overrides."""
    text, cause = one_line(error), error.__cause__
    if "hydra/launcher/joblib" in text:
        return "hydra/launcher: joblib is not installed; pip install 'nmt-attention-lab[parallel]' installs it"
    for group in groups():
        parent, _, child = group.rpartition("/")
        if parent and f"Could not override '{group}'" in text:
            chosen = Choice.of(overrides).options.get(parent)
            return f"{group}: {parent}={chosen} has no {child} to choose; use {group} with {_with(group)}"
    unknown = _UNKNOWN.search(text)
    if unknown and unknown[1] in groups() and "No match in the defaults list" in text:
        return f"{unknown[1]}: this program has no such group; it belongs to train.py"
    if unchosen := _NOT_CHOSEN.search(text):
        group, option = unchosen[1], unchosen[2] or ""
        several = f"; to have fewer, list the ones to keep, as in {group}=[A,B]" if takes_several(group) else ""
        return f"~{group}{option}: not chosen as one option, so it cannot be removed{several}"
    if null := _NULL.search(text):  # a key that is not in the config is reported before
        return f"~{null[1]}: it is null already; leave it out"
    if launchers := _LAUNCHERS.search(text):
        return f"{launchers[1]}: the chosen launcher has no such key; add one that has it, as in hydra/launcher=joblib"
    there = _THERE.search(text)
    if there and "while resolving interpolation" in str(cause):
        return (
            f"{there[1]}: the config has this key already, and it needs a value; write {there[1]}=..., without + or ~"
        )
    missing = _PLACED.search(text)
    if missing and (around := options_around(missing[1], missing[2])):
        return f"{missing[1]}@{missing[2]}: no such node; use it with {' or '.join(around)}"
    return f"config: {text}{f' ({one_line(cause)})' if cause and str(cause) not in text else ''}"


def _with(group: str) -> str:
    """Return the options whose file has this group: "model=hybrid or model=rnn" for "model/attention"."""
    parent = group.rpartition("/")[0]
    return " or ".join(f"{parent}={option}" for option in options_with(group))
