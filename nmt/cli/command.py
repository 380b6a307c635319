"""The command that starts a program again, for messages that tell a person what to type."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path

from nmt.config.recipe import Recipe


def command(*arguments: str, program: str | None = None) -> str:
    """Return the line for a shell that starts `program` with `arguments`, from a checkout or as installed.

    `program` is the path of a script; None stands for the program that is running.
    """
    path = program or sys.argv[0]
    if Path(path).suffix == ".py":
        return shlex.join([_short(sys.executable, "python"), path, *arguments])
    return shlex.join([_short(path, Path(path).stem), *arguments])


def resuming(recipe: Recipe) -> list[str]:
    """Return the arguments of train.py that continue a run. Which packages it may use is asked again each time."""
    allow = recipe.settings.allow
    return [f"resume={recipe.folder}", *([f"allow=[{','.join(allow)}]"] if allow else [])]


def _short(path: str, name: str) -> str:
    """Return `name` if the shell finds it in the folder that the program at `path` lies in, else `path`."""
    found = shutil.which(name)
    return name if found and Path(found).parent == Path(path).absolute().parent else path
