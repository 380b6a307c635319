"""The folders of YAML files, and the groups and options that they offer. Hydra reads and composes the files."""

from __future__ import annotations

import os
from pathlib import Path

from nmt.errors import UserError

_own: Path | None = None  # the folder of --config-dir


def config_dir() -> Path:
    """Return the folder of the shipped configs: inside an installed package, next to the package in a checkout."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "configs", package.parent / "configs"):
        if (folder / "train.yaml").is_file():
            return folder
    raise UserError(f"configs: not found in {package} or {package.parent}; install the package again")


def use_configs_of(name: str | None) -> None:
    """From now on, look for configs also in the folder `name` of the user. With None, look only in the shipped ones.

    Raises UserError if `name` is no folder, or if a file in it has the name of a shipped config.
    """
    global _own
    _own = None if name is None else Path(os.path.abspath(os.path.expanduser(name)))
    if _own is None:
        return
    if not name or not _own.is_dir():
        raise UserError(f"--config-dir: got '{name}', expected a folder with groups such as experiment/")
    if taken := [path for path in _files(_own) if (config_dir() / path).exists()]:
        raise UserError(f"--config-dir: {_own} has {taken[0]}, which is also a shipped config; rename the file")


def own_folder() -> Path | None:
    """Return the folder of --config-dir, or None if it was not given."""
    return _own


def _files(folder: Path) -> list[str]:
    return [path.relative_to(folder).as_posix() for path in folder.rglob("*.yaml")]


def groups() -> dict[str, list[str]]:
    """Return the config groups and their options: {"model": ["hybrid", "rnn", "transformer"], ...}."""
    options: dict[str, list[str]] = {}
    for name in sorted(name for folder in filter(None, (config_dir(), _own)) for name in _files(folder)):
        group, _, option = name.removesuffix(".yaml").rpartition("/")
        if group and not option.startswith("_"):
            options.setdefault(group, []).append(option)
    return options


def training_groups() -> dict[str, list[str]]:
    """Return the groups of train.yaml. The groups of another program are in a folder with its name."""
    programs = {path.stem for path in config_dir().glob("*.yaml")}
    return {group: options for group, options in groups().items() if group.partition("/")[0] not in programs}
