"""The folders of configs: their groups, options, defaults and summaries, read without a YAML parser.

`--help` and the messages about misspelt options must appear at once. They need only the names of the files and the
lines `- group: option` of their defaults lists. With `--config-dir`, a folder of the user adds options and groups to
the shipped configs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path

from nmt.config.grammar import quoted
from nmt.errors import UserError
from nmt.system.lines import decoded, raw

_DEFAULT = re.compile(r"^ *- (?:override )?/?([\w/]+): *([\w.-]+|\[[\w, ]*\])", re.MULTILINE)
_own: ContextVar[Path | None] = ContextVar("own", default=None)


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


def search_path() -> list[str]:
    """Return the overrides with which Hydra finds the configs of the user."""
    own = own_folder()
    return [] if own is None else [f"hydra.searchpath=[{quoted(f'file://{own}')}]"]


def _folders() -> tuple[Path, ...]:
    own = own_folder()
    return (config_dir(),) if own is None else (config_dir(), own)


def groups() -> dict[str, tuple[str, ...]]:
    """Return the config groups and their options: {"model": ("hybrid", "rnn", "transformer"), ...}."""
    return _groups(_folders())


@cache
def _groups(folders: tuple[Path, ...]) -> dict[str, tuple[str, ...]]:
    options: dict[str, set[str]] = {}
    for name in (name for folder in folders for name in _files(folder)):
        group, _, option = name.removesuffix(".yaml").rpartition("/")
        if group and not option.startswith("_"):
            options.setdefault(group, set()).add(option)
    return {group: tuple(sorted(options[group])) for group in sorted(options)}


def defaults(config_name: str = "train") -> dict[str, str]:
    """Return the option of each group in the defaults list of a config: {"model": "transformer", "debug": "null", ...}.

    If a group takes several options, the value is a list in YAML: "[bleu, chrf]".
    """
    return dict(_DEFAULT.findall(text(config_name)))


def takes_several(group: str) -> bool:
    """Return whether a group takes several options at once, as in scores=[bleu,chrf]."""
    return defaults().get(group, "").startswith("[")


def options_with(group: str) -> list[str]:
    """Return the options of the parent group that have this group: ["hybrid", "rnn"] for "model/attention"."""
    parent, _, child = group.rpartition("/")
    return [option for option in groups()[parent] if child in defaults(f"{parent}/{option}")]


def options_around(group: str, key: str) -> list[str]:
    """Return the options of `group` that hold another option of it at `key`: ["model/attention=local_m", ...]."""
    entry = f"/{group}@{key.rpartition('.')[2]}:"
    return [f"{group}={option}" for option in groups().get(group, ()) if entry in text(f"{group}/{option}")]


def summary(group: str, option: str) -> str:
    """Return the first comment line of an option's file, or an empty string if it has none."""
    lines = (line for line in text(f"{group}/{option}").splitlines() if line.startswith("#") and "@package" not in line)
    return next(lines, "").lstrip("# ")


def config_path(config_name: str) -> Path:
    """Return the path of a config file ("train", "model/rnn"), from the first folder that has it."""
    paths = [folder / f"{config_name}.yaml" for folder in _folders()]
    return next(path for path in paths if path.is_file())


def text(config_name: str) -> str:
    """Return the text of a config file. Raises UserError if it is not UTF-8."""
    path = config_path(config_name)
    with path.open("rb") as file:
        return "\n".join(decoded(raw(file), f"{shown_path(path)}, line "))


def check_texts() -> None:
    """Raise UserError if an option's file is not UTF-8."""
    for group, options in groups().items():
        for option in options:
            text(f"{group}/{option}")


def shown_path(path: Path) -> str:
    """Return a path as a user would type it: relative if it lies in the working folder."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(os.pardir) else relative
