"""The YAML files of configs/: their groups and options, and the content of a single file with its line numbers.

Hydra composes the files. This module reads them for --help and for messages. With `--config-dir`, a folder of the user
adds options and groups to the shipped configs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt.errors import UserError, one_line
from nmt.system.lines import BYTE_ORDER_MARK, decoded, raw

if TYPE_CHECKING:
    from yaml import YAMLError

_PACKAGE = re.compile(r"\s*#\s*@package +(\S+)")
_HEAD = 512  # characters at the start of a file in which Hydra looks for the package line
_own: ContextVar[Path | None] = ContextVar("own", default=None)


# Folders


def config_dir() -> Path:
    """Return the folder of the shipped configs: inside an installed package, next to the package in a checkout."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "configs", package.parent / "configs"):
        if (folder / "train.yaml").is_file():
            return folder
    raise UserError(f"configs: not found in {package} or {package.parent}; install the package again")


@contextmanager
def also_in(name: str | None) -> Iterator[None]:
    """Look for configs also in the folder `name` while the block runs. None adds no folder.

    Raises UserError if `name` is not a folder, or if one of its files has the name of a shipped config.
    """
    token = _own.set(None if name is None else _checked(name))
    try:
        yield
    finally:
        _own.reset(token)


def _checked(name: str) -> Path:
    folder = Path(os.path.abspath(Path(os.path.expanduser(name))))
    if not folder.is_dir():
        raise UserError(
            f"--config-dir: got '{name}', expected a folder with groups such as experiment/; check the path"
        )
    taken = [path for path in _files(folder) if (config_dir() / path).exists()]
    if taken:
        raise UserError(f"--config-dir: {folder} has {taken[0]}, which is also a shipped config; rename the file")
    return folder


def _files(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.yaml"))


def own_folder() -> Path | None:
    """Return the folder of --config-dir, or None if it was not given."""
    return _own.get()


def _folders() -> tuple[Path, ...]:
    own = own_folder()
    return (config_dir(),) if own is None else (config_dir(), own)


# Groups and options


def groups() -> dict[str, tuple[str, ...]]:
    """Return the config groups and their options: {"model": ("hybrid", "rnn", "transformer"), ...}."""
    return _groups(_folders())


def groups_of(config_name: str) -> dict[str, tuple[str, ...]]:
    """Return the groups in the defaults list of a config ("train"), and those inside them, with their options."""
    chosen = {entry.group for entry in read_file(config_name).defaults}
    return {group: options for group, options in groups().items() if chosen & {group, group.partition("/")[0]}}


@cache
def _groups(folders: tuple[Path, ...]) -> dict[str, tuple[str, ...]]:
    options: dict[str, set[str]] = {}
    for name in (name for folder in folders for name in _files(folder)):
        group, _, option = name.removesuffix(".yaml").rpartition("/")
        if group and not option.startswith("_"):
            options.setdefault(group, set()).add(option)
    return {group: tuple(sorted(options[group])) for group in sorted(options)}


def takes_several(group: str) -> bool:
    """Return whether a group takes several options at once, as in scores=[bleu,chrf] of train.yaml."""
    programs = [path.stem for path in config_dir().glob("*.yaml")]
    return any(entry.group == group and entry.several for name in programs for entry in read_file(name).defaults)


def options_with(group: str) -> list[str]:
    """Return the options of the parent group that have this group: ["hybrid", "rnn"] for "model/attention"."""
    parent, _, child = group.rpartition("/")
    return [option for option in groups()[parent] if child in read_file(f"{parent}/{option}").chosen]


def options_around(group: str, key: str) -> list[str]:
    """Return the options of `group` that hold another option of it at `key`: ["model/attention=local_m", ...]."""
    entry = f"/{group}@{key.rpartition('.')[2]}"
    options = groups().get(group, ())
    return [
        f"{group}={name}" for name in options if entry in {each.key for each in read_file(f"{group}/{name}").defaults}
    ]


def summary(group: str, option: str) -> str:
    """Return the first comment line of an option's file, or an empty string if it has none."""
    lines = _text(_path(f"{group}/{option}")).splitlines()
    return next((line.lstrip("# ") for line in lines if line.startswith("#") and "@package" not in line), "")


# One file


@dataclass(frozen=True)
class Default:
    """An entry of a defaults list that chooses an option of a group.

    In `- override /model: rnn`, the `key` is "override /model" and the options are ("rnn",). `several` tells whether
    the options are written as a list.
    """

    key: str
    options: tuple[str, ...]
    several: bool
    line: int

    @property
    def group(self) -> str:
        """The group, as on the command line: "model", or "attention" inside the file of a model."""
        return self.key.split()[-1].partition("@")[0].removeprefix("/")

    @property
    def value(self) -> str:
        """The chosen option, as on the command line: "rnn", "null" or "[bleu,chrf]"."""
        return f"[{','.join(self.options)}]" if self.several else self.options[0]


@dataclass(frozen=True)
class YamlFile:
    """The content of a file of configs/. `name` is its path as a user would type it, `group` its folder in configs.

    `package` is the section of its keys. `lines` maps each dotted key that it sets to the number of its line. `bases`
    maps the files of its own group that its defaults list names, as in `- demo`, to their lines.
    """

    name: str
    group: str
    package: str
    lines: Mapping[str, int]
    defaults: Sequence[Default]
    bases: dict[str, int]

    @property
    def chosen(self) -> dict[str, str]:
        """The option of each group in its defaults list: {"model": "transformer", "scores": "[bleu,chrf]", ...}."""
        return {entry.group: entry.value for entry in self.defaults}


def read_file(config_name: str) -> YamlFile:
    """Return the content of a config such as "train" or "model/rnn".

    Raises UserError, with the line, for text that is not YAML in UTF-8, for defaults that are not a list of groups, and
    for a byte order mark before the package line.
    """
    path = _path(config_name)
    text, name = _text(path), shown_path(path)
    if _PACKAGE.match(text) and path.read_bytes().startswith(BYTE_ORDER_MARK):
        raise UserError(
            f"{name}, line 1: a byte order mark stands before '# @package', so Hydra does not see it; save the file as "
            "UTF-8 without the mark"
        )
    return _parse(text, name, config_name.rpartition("/")[0])


@cache
def _parse(text: str, name: str, group: str) -> YamlFile:
    import yaml

    try:
        root = yaml.compose(text, yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise unreadable(error, name) from error
    entries = root.value if isinstance(root, yaml.MappingNode) else []
    package = found[1] if (found := _PACKAGE.match(text[:_HEAD])) else group.replace("/", ".") or "_global_"
    nodes = [(key, value) for key, value in entries if key.value != "defaults"]
    lines = dict(_lines(nodes, "" if package == "_global_" else f"{package}."))
    listed = next((value for key, value in entries if key.value == "defaults"), None)
    if listed is None:
        return YamlFile(name, group, package, lines, (), {})
    if listed.id != "sequence":
        raise _no_list(listed, name)
    own = [entry for entry in listed.value if entry.id == "scalar" and entry.value != "_self_"]
    others = [entry for entry in listed.value if entry.id != "scalar"]
    bases = {entry.value: _line(entry) for entry in own}
    return YamlFile(name, group, package, lines, [*_defaults(others, name)], bases)


def _lines(entries: Sequence[Any], prefix: str) -> Iterator[tuple[str, int]]:
    for key, value in entries:
        yield f"{prefix}{key.value}", _line(key)
        if value.id == "mapping":
            yield from _lines(value.value, f"{prefix}{key.value}.")


def _defaults(entries: Sequence[Any], name: str) -> Iterator[Default]:
    for entry in entries:
        for key, value in entry.value if entry.id == "mapping" else [(entry, entry)]:
            several = value.id == "sequence"
            options = value.value if several else [value]
            if not key.value or {each.id for each in (key, *options)} != {"scalar"}:
                raise _no_list(key, name)
            yield Default(key.value, tuple(option.value for option in options), several, _line(key))


def _line(node: Any) -> int:
    return int(node.start_mark.line) + 1


def _no_list(node: Any, name: str) -> UserError:
    return UserError(f"{name}, line {_line(node)}: defaults: expected a list of groups, as in '- override /model: rnn'")


def unreadable(error: YAMLError, name: str | None = None) -> UserError:
    """Return the error for a file that is not YAML, or has a key twice. Hydra's own error has the name of the file."""
    mark = getattr(error, "problem_mark", None)
    where = f"{name or shown_path(Path(mark.name))}, line {mark.line + 1}" if mark else name or "config"
    return UserError(
        f"{where}: cannot be read as YAML ({one_line(getattr(error, 'problem', error))}); correct the file"
    )


def check_texts() -> None:
    """Raise UserError if an option's file is not UTF-8."""
    for group, options in groups().items():
        for option in options:
            _text(_path(f"{group}/{option}"))


def _path(config_name: str) -> Path:
    paths = [folder / f"{config_name}.yaml" for folder in _folders()]
    return next(path for path in paths if path.is_file())


def _text(path: Path) -> str:
    with path.open("rb") as file:
        return "\n".join(decoded(raw(file), f"{shown_path(path)}, line "))


def shown_path(path: Path) -> str:
    """Return a path as a user would type it: relative if it lies in the working folder."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(os.pardir) else relative
