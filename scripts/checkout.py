"""Starts a program of the package from a checkout, in any folder. In an installation, this is the command `nmt-...`."""

import importlib
import sys
from pathlib import Path


def start(module: str) -> None:
    """Run the program in a module of the package, with the arguments of this process."""
    sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
    importlib.import_module(module).main()
