"""The folders of YAML files, and the groups and options that they offer. Hydra reads and composes the files.

With `--config-dir`, a folder of the user adds options and groups to the shipped configs.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from nmt.errors import UserError

_own: ContextVar[Path | None] = ContextVar("own", default=None)


def config_dir() -> Path:
    """Return the folder of the shipped configs: inside an installed package, next to the package in a checkout."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "configs", package.parent / "configs"):
        if (folder / "train.yaml").is_file():
            return folder
    raise UserError(f"configs: not found in {package} or {package.parent}; install the package again")


@contextmanager
def with_configs_of(name: str | None) -> Iterator[None]:
    """Look for configs also in the folder `name` while the block runs. None adds no folder.

    Raises UserError if `name` is not a folder, or if one of its files has the name of a shipped config.
    """
    token = _own.set(None if name is None else _checked(name))
    try:
        yield
    finally:
        _own.reset(token)


def _checked(name: str) -> Path:
    folder = Path(os.path.abspath(os.path.expanduser(name)))
    if not folder.is_dir():
        raise UserError(
            f"--config-dir: got '{name}', expected a folder with groups such as experiment/; check the path"
        )
    taken = [path for path in _files(folder) if (config_dir() / path).exists()]
    if taken:
        raise UserError(f"--config-dir: {folder} has {taken[0]}, which is also a shipped config; rename the file")
    return folder


def own_folder() -> Path | None:
    """Return the folder of --config-dir, or None if it was not given."""
    return _own.get()


def _files(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in folder.rglob("*.yaml")]


def _folders() -> list[Path]:
    own = own_folder()
    return [config_dir(), *([] if own is None else [own])]


def groups() -> dict[str, list[str]]:
    """Return the config groups and their options: {"model": ["hybrid", "rnn", "transformer"], ...}."""
    options: dict[str, list[str]] = {}
    for name in sorted(name for folder in _folders() for name in _files(folder)):
        group, _, option = name.removesuffix(".yaml").rpartition("/")
        if group and not option.startswith("_"):
            options.setdefault(group, []).append(option)
    return options


def training_groups() -> dict[str, list[str]]:
    """Return the groups of train.yaml. The groups of another program are in a folder with its name."""
    programs = {path.stem for path in config_dir().glob("*.yaml")}
    return {group: options for group, options in groups().items() if group.partition("/")[0] not in programs}


def text_of(group: str, option: str) -> str:
    """Return the text of an option's file."""
    paths = [folder / group / f"{option}.yaml" for folder in _folders()]
    return next(path for path in paths if path.is_file()).read_text("utf-8", errors="replace")


def summary(group: str, option: str) -> str:
    """Return the first comment line of an option's file, or an empty string if it has none."""
    lines = text_of(group, option).splitlines()
    return next((line.lstrip("# ") for line in lines if line.startswith("#") and "@package" not in line), "")


def options_with(group: str) -> list[str]:
    """Return the options of the parent group that offer this group: ["hybrid", "rnn"] for "model/attention"."""
    parent, _, child = group.rpartition("/")
    return [option for option in groups().get(parent, ()) if child in _chosen(parent, option)]


def defaults(group: str) -> set[str]:
    """Return the default options of a group of train.yaml; those of model/attention are in the options of model."""
    parent, _, child = group.rpartition("/")
    texts = [(parent, option) for option in groups().get(parent, ())] if parent else [("", "train")]
    return {option for text in texts for option in re.findall(r"\w+", _chosen(*text).get(child, ""))}


def _chosen(group: str, option: str) -> dict[str, str]:
    """Return the lines of a file that choose an option of a group, as in `- attention: bahdanau`."""
    return dict(re.findall(r"^ *- (\w+): ([^#\n]+)", text_of(group, option), re.MULTILINE))
