"""What the programs print for a person, and lines of output, to a file or to standard output.

A terminal obeys control characters, and a stranger may have put them into names, values and models. So what is printed
for a person is escaped. Lines of output are data: in a file or a pipe they are as they are, and on a terminal escaped.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO, cast

from nmt.errors import printable
from nmt.system.atomic import replacing_or_packing


def say(text: str, *, end: str = "\n") -> None:
    """Print lines for a person on standard output. What a terminal would obey is escaped, except line feeds."""
    print(printable(text, but="\n"), end=end)


def tell(text: str) -> None:
    """As `say`, at once, on standard error."""
    print(printable(text, but="\n"), file=sys.stderr, flush=True)


class _OnTerminal(io.TextIOBase):
    """A terminal to which lines of output are written."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write lines; what the terminal would obey in them, except line feeds and tabs, is escaped."""
        return self._stream.write(printable(text, but="\n\t"))

    def flush(self) -> None:
        """Pass on what was written."""
        self._stream.flush()

    def isatty(self) -> bool:
        """Return True."""
        return True


def utf8_output() -> TextIO:
    """Return standard output for lines of data, set to UTF-8 and plain line feeds in every locale."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    return cast("TextIO", _OnTerminal(sys.stdout)) if sys.stdout.isatty() else sys.stdout


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
