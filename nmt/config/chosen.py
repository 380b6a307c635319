"""The YAML files that a command line chooses: their mistakes, and the lines of the keys that they set.

Only experiments, debug options and the files of --config-dir are looked at. The other shipped files fit each other, so
a mistake in their keys comes from the command line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt.config.folder import config_path, defaults, groups, options_with, own_folder, shown_path, text
from nmt.config.mistakes import having, parse
from nmt.errors import UserError, did_you_mean, one_line

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override
    from yaml import YAMLError

RECIPES = ("experiment", "debug")  # groups whose files set keys of all sections

_PACKAGE = re.compile(r"^# *@package +(\S+)", re.MULTILINE)


@dataclass(frozen=True)
class _Default:
    """An entry of a defaults list that chooses an option of a group, as in `- override /model: rnn`."""

    written: str
    group: str
    option: str
    line: int


@dataclass(frozen=True)
class _File:
    """A chosen file. `lines` maps each dotted key that it sets to the number of its line.

    `bases` maps each file of the same group that its defaults list names, as in `- demo`, to the number of its line.
    """

    group: str
    name: str
    package: str
    lines: Mapping[str, int]
    defaults: Sequence[_Default]
    bases: dict[str, int]


def check_files(overrides: Sequence[Override]) -> None:
    """Raise UserError for mistakes in the chosen files that Hydra explains badly or not at all.

    These are a missing package line, defaults that name unknown groups or options, and text that is not YAML.
    """
    files = _chosen(overrides)
    choices = _choices(overrides, files)
    problems = [problem for file in files if file.group in RECIPES for problem in _problems(file, choices)]
    if problems:
        raise UserError(*problems)


@contextmanager
def naming_files(overrides: Sequence[str]) -> Iterator[None]:
    """Add the file and the line to each problem whose key a chosen file sets."""
    try:
        yield
    except UserError as error:
        parsed = parse(overrides)
        files = _chosen(parsed)
        typed = [line.key_or_group for line in parsed if line.is_delete() or line.key_or_group not in groups()]
        choices = _choices(parsed, files)
        raise UserError(*(_placed(text, files, typed, choices) for text in error.problems)) from error


def is_typed(problem: str, typed: Sequence[str]) -> bool:
    """Return whether a problem is about one of the keys `typed` on the command line."""
    key = problem.partition(":")[0]
    return any(f"{key}.".startswith(f"{word}.") or word.startswith(f"{key}.") for word in typed)


def _placed(problem: str, files: Sequence[_File], typed: Sequence[str], choices: Mapping[str, str]) -> str:
    """Return a problem with the place where a file sets its key. A key on the command line needs no place."""
    key = problem.partition(":")[0]
    if is_typed(problem, typed):
        return problem
    for file in files:
        if key not in file.lines:
            continue
        where = f"{file.name}, line {file.lines[key]}"
        group = key.partition(".")[0]
        meant = _choices([], files).get(group)
        if file.group not in RECIPES or group not in choices or choices[group] == meant:
            return f"{problem} ({where})"
        return (
            f"{problem.partition('; ')[0]} for {group}={choices[group]}; {where}, sets it for {group}={meant}: add "
            f"~{key} to leave it out, or leave out {group}={choices[group]}{_sibling(file, group, choices)}"
        )
    return problem


def _sibling(file: _File, group: str, choices: Mapping[str, str]) -> str:
    """Return a hint at the files of this kind that have the chosen option, as demo_rnn has the model rnn."""
    name = choices[file.group]
    longer = [option for option in groups()[file.group] if option.startswith(f"{name}_")]
    fitting = [option for option in longer if defaults(f"{file.group}/{option}").get(group) == choices[group]]
    return "".join(f", or use {file.group}={option}" for option in fitting)


def chosen_options(overrides: Sequence[Override]) -> dict[str, str]:
    """Return the chosen option of each group: that of the command line, or else of an experiment or the defaults."""
    return _choices(overrides, _chosen(overrides))


def set_by_user(overrides: Sequence[str], section: str) -> bool:
    """Return whether the command line or its experiment sets a key of `section` or chooses an option of its groups.

    The defaults do not count, and neither do debug options: they are the same for every model.
    """
    parsed = parse(overrides)
    files = [file for file in _chosen(parsed) if file.group != "debug"]
    keys = [override.key_or_group for override in parsed]
    keys += [key for file in files for key in [*file.lines, *(entry.group for entry in file.defaults)]]
    return any(re.match(rf"{section}([./]|$)", key) for key in keys)


def set_by_debug(overrides: Sequence[str], section: str) -> list[str]:
    """Return the keys of `section` that a debug option sets, without those on the command line."""
    parsed = parse(overrides)
    typed = [override.key_or_group for override in parsed]
    keys = [key for file in _chosen(parsed) if file.group == "debug" for key in file.lines if key not in typed]
    return [key.removeprefix(f"{section}.") for key in keys if key.startswith(f"{section}.")]


def _chosen(overrides: Sequence[Override]) -> list[_File]:
    """Return the chosen files to look at, the one that beats the others first."""
    own, known = own_folder(), groups()
    given = _choices(overrides, [])
    recipes = [(group, given[group]) for group in reversed(RECIPES) if given[group] in known[group]]
    files = [file for group, option in recipes for file in _with_bases(group, option)]
    for group, option in _choices(overrides, files).items():
        if group not in RECIPES and own is not None and (own / group / f"{option}.yaml").is_file():
            files.append(_read(group, option))
    return files


def _with_bases(group: str, option: str, above: Sequence[str] = ()) -> Iterator[_File]:
    """Yield a recipe, and after it the recipes that it builds on. Those in `above` build on this one."""
    file = _read(group, option)
    yield file
    for base, line in reversed(file.bases.items()):
        if base in (*above, option):
            raise UserError(f"{file.name}, line {line}: {group}={base} would build on itself; remove this line")
        if base in groups()[group]:
            yield from _with_bases(group, base, (*above, option))


def _choices(overrides: Sequence[Override], files: Sequence[_File]) -> dict[str, str]:
    """Return what `chosen_options` does, for the chosen `files`."""
    recipes = {entry.group: entry.option for file in reversed(files) for entry in file.defaults}
    given = {
        override.key_or_group: str(override.value()) for override in overrides if override.key_or_group in groups()
    }
    return {**defaults(), **recipes, **given}


def _read(group: str, option: str) -> _File:
    import yaml

    path = config_path(f"{group}/{option}")
    package = _PACKAGE.search(text(f"{group}/{option}"))
    prefix = package[1] if package else group.replace("/", ".")
    try:
        with path.open(encoding="utf-8") as file:
            root = yaml.compose(file, yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise UserError(unreadable(error)) from error
    entries = list(root.value) if isinstance(root, yaml.MappingNode) else []
    lists = [value for key, value in entries if key.value == "defaults"]
    nodes = [(key, value) for key, value in entries if key.value != "defaults"]
    lines = dict(_lines(nodes, "" if prefix == "_global_" else f"{prefix}."))
    name = shown_path(path)
    if not lists:
        return _File(group, name, prefix, lines, [], {})
    return _File(group, name, prefix, lines, list(_defaults(lists[0], name)), _bases(lists[0]))


def unreadable(error: YAMLError) -> str:
    """Return the message about a file that is not YAML, or has a key twice."""
    mark = getattr(error, "problem_mark", None)
    where = f"{shown_path(Path(mark.name))}, line {mark.line + 1}" if mark else "config"
    return f"{where}: cannot be read as YAML ({one_line(getattr(error, 'problem', error))}); correct the file"


def _lines(entries: Sequence[Any], prefix: str) -> Iterator[tuple[str, int]]:
    for key, value in entries:
        yield f"{prefix}{key.value}", key.start_mark.line + 1
        if value.id == "mapping":
            yield from _lines(value.value, f"{prefix}{key.value}.")


def _defaults(node: Any, name: str) -> Iterator[_Default]:
    """Yield the entries of a defaults list in the file `name`. Raises UserError for what is not such a list."""
    if node.id != "sequence":
        raise _no_list(node, name)
    for entry in node.value:
        if entry.id == "scalar":  # _self_, or a file of the same group: see _bases
            continue
        for key, value in entry.value if entry.id == "mapping" else [(entry, entry)]:
            options = value.value if value.id == "sequence" else [value]
            if not key.value or {each.id for each in (key, *options)} != {"scalar"}:
                raise _no_list(key, name)
            group = key.value.split()[-1].partition("@")[0].removeprefix("/")
            for option in options:
                yield _Default(key.value, group, option.value, key.start_mark.line + 1)


def _bases(node: Any) -> dict[str, int]:
    """Return the files of the same group that a defaults list names, with their lines."""
    names = [entry for entry in node.value if entry.id == "scalar" and entry.value != "_self_"]
    return {entry.value: entry.start_mark.line + 1 for entry in names}


def _no_list(node: Any, name: str) -> UserError:
    line = node.start_mark.line + 1
    return UserError(f"{name}, line {line}: defaults: expected a list of groups, as in '- override /model: rnn'")


def _problems(file: _File, choices: Mapping[str, str]) -> Iterator[str]:
    if file.package != "_global_":
        yield (
            f"{file.name}: its first line must be '# @package _global_'; without it, all of its keys belong to "
            f"'{file.package}' and not to the sections data, model and so on"
        )
        return
    for base, line in file.bases.items():
        if base not in groups()[file.group]:
            yield f"{file.name}, line {line}: {_no_option(file.group, base)}"
    for entry in file.defaults:
        where, group = f"{file.name}, line {entry.line}", entry.group
        parent, _, child = group.rpartition("/")
        if group not in groups():
            if not group.startswith("hydra/"):
                yield f"{where}: unknown group '{group}'{did_you_mean(group, groups())}"
        elif entry.written.split("@")[0] != f"override /{group}":
            yield f"{where}: got '- {entry.written}: {entry.option}', expected '- override /{group}: {entry.option}'"
        elif entry.option not in (*groups()[group], "null"):
            yield f"{where}: {_no_option(group, entry.option)}"
        elif parent and choices[parent] not in options_with(group) and choices[group] == entry.option:
            yield (
                f"{where}, chooses {group}={entry.option}, but {parent}={choices[parent]} has no {child}: leave out "
                f"{parent}={choices[parent]}, or use {having(group)}"
            )


def _no_option(group: str, option: str) -> str:
    options = groups()[group]
    return f"{group}: got '{option}', expected one of {', '.join(options)}{did_you_mean(option, options)}"
