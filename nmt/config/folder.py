"""What is in the folder of configs: groups, their options, defaults and first words, read without a YAML parser.

`--help` and the messages about misspelt options must come at once, and need no more than the files' names and the
plain `- group: option` lines of their defaults lists.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from nmt.errors import UserError

_DEFAULT = re.compile(r"^  - ([\w/]+): (\w+|\[[\w, ]*\])", re.MULTILINE)


def config_dir() -> Path:
    """Return the folder of configs: inside the package where it is installed, beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "configs", package.parent / "configs"):
        if (folder / "train.yaml").is_file():
            return folder
    raise UserError(f"configs: not found in {package} or beside it; the installation is damaged: install it again")


@cache
def groups() -> dict[str, tuple[str, ...]]:
    """Return the config groups and their options: {"model": ("hybrid", "rnn", "transformer"), ...}."""
    root, found = config_dir(), {}
    for folder in sorted(path for path in root.rglob("*") if path.is_dir()):
        names = tuple(sorted(path.stem for path in folder.glob("[!_]*.yaml")))
        if names:
            found[folder.relative_to(root).as_posix()] = names
    return found


def defaults(config_name: str = "train") -> dict[str, str]:
    """Return the options that the defaults list of a config names: {"model": "transformer", "debug": "null", ...}.

    A group that takes several options has a list: "[bleu, chrf]".
    """
    return dict(_DEFAULT.findall((config_dir() / f"{config_name}.yaml").read_text("utf-8")))


def takes_several(group: str) -> bool:
    """Tell whether several options of a group can be chosen at once, as in scores=[bleu,chrf]."""
    return defaults().get(group, "").startswith("[")


def options_with(group: str) -> list[str]:
    """Return which options of its parent a group goes with: ["hybrid", "rnn"] for "model/attention"."""
    parent, _, child = group.rpartition("/")
    return [option for option in groups()[parent] if child in defaults(f"{parent}/{option}")]


def summary(group: str, option: str) -> str:
    """Return the comment that an option's file begins with, its first line; empty where there is none."""
    text = (config_dir() / group / f"{option}.yaml").read_text("utf-8")
    lines = (line for line in text.splitlines() if line.startswith("#") and "@package" not in line)
    return next(lines, "").lstrip("# ")
