"""Lines of output, to a file or to standard output."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from nmt.system.atomic import replacing_or_packing


def utf8_output() -> TextIO:
    """Return standard output, set to UTF-8 and plain line feeds in every locale."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    return sys.stdout


def write_lines(lines: Iterable[str], output: Path | None) -> None:
    """Write lines, which have their line ends, to `output` (gzipped if its name ends in .gz) or to standard output.

    The file is written completely or not at all. Raises OSError if it cannot be written.
    """
    if output is None:
        stdout = utf8_output()
        stdout.writelines(lines)
        stdout.flush()
        return
    with replacing_or_packing(output) as file:
        file.writelines(line.encode() for line in lines)
