"""Runs eflomal, a statistical word aligner (Östling and Tiedemann 2016), as a program of its own: it is GPL-3."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from nmt.data.word_links import Link
from nmt.errors import UserError

PROGRAM = "eflomal-align"


def find(key: str = "eflomal") -> str:
    """Return the path of the program. Raises UserError, which begins with `key`, if it is not installed."""
    beside = os.path.dirname(sys.executable)  # in a virtual environment that is not activated
    found = shutil.which(PROGRAM, path=os.pathsep.join([beside, os.environ.get("PATH", os.defpath)]))
    if found is None:
        raise UserError(f"{key}: needs the program {PROGRAM}; pip install 'nmt-attention-lab[eflomal]' installs it")
    return found


def align(
    pairs: Sequence[tuple[str, str]], more: Iterable[tuple[str, str]] = ()
) -> tuple[list[set[Link]], list[set[Link]]]:
    """Return the links of each pair in the two directions, by eflomal's default settings.

    Each target word has at most one link in the first direction, each source word in the second. The aligner learns
    from `pairs` and from `more` pairs; words are separated by spaces. A pair with an empty side has no links. The
    aligner draws at random, so the links differ a little between two calls. Raises UserError if the program is missing
    or fails.
    """
    program = find()
    filled = [place for place, pair in enumerate(pairs) if all(side.strip() for side in pair)]
    with TemporaryDirectory() as name:
        folder = Path(name)
        with (
            (folder / "source").open("w", encoding="utf-8") as source,
            (folder / "target").open("w", encoding="utf-8") as target,
        ):
            for first, second in (*(pairs[place] for place in filled), *more):
                if first.strip() and second.strip():
                    source.write(" ".join(first.split()) + "\n")
                    target.write(" ".join(second.split()) + "\n")
        words = [program, "-s", "source", "-t", "target", "-f", "forward", "-r", "backward"]
        done = subprocess.run(words, cwd=folder, capture_output=True, text=True, errors="replace")
        if done.returncode:
            raise UserError(f"{PROGRAM} failed with status {done.returncode}: {done.stderr.strip()[-300:]}")
        return _read(folder / "forward", filled, len(pairs)), _read(folder / "backward", filled, len(pairs))


def _read(path: Path, places: Sequence[int], count: int) -> list[set[Link]]:
    found: list[set[Link]] = [set() for _ in range(count)]
    with path.open(encoding="utf-8") as lines:
        for place, line in zip(places, lines, strict=False):  # the lines of the other pairs follow
            for word in line.split():
                i, _, j = word.partition("-")
                found[place].add((int(i), int(j)))
    return found
