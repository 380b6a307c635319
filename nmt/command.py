"""What a person types to start this program again."""

from __future__ import annotations

import shlex
import shutil
import sys
from pathlib import Path


def command(*arguments: str) -> str:
    """Return the line for a shell that starts this program with `arguments`, from a checkout or as installed."""
    if Path(sys.argv[0]).suffix == ".py":
        return shlex.join([_short(sys.executable, "python"), sys.argv[0], *arguments])
    return shlex.join([_short(sys.argv[0], Path(sys.argv[0]).stem), *arguments])


def _short(path: str, name: str) -> str:
    """Return `name` if the shell finds it in the folder that the program at `path` lies in, else `path`."""
    found = shutil.which(name)
    return name if found and Path(found).parent == Path(path).absolute().parent else path
