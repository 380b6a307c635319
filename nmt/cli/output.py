"""The output of the programs: lines of data, messages for a person, which go through `logging`, and tables."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, cast

from tabulate import tabulate
from tqdm import tqdm

from nmt.errors import UserError, printable
from nmt.system.atomic import replacing_or_packing

# Lines


def print_stderr(text: str) -> None:
    """Print a line for a person on standard error, at once."""
    print(text, file=sys.stderr, flush=True)


def utf8_output() -> TextIO:
    """Return standard output for lines of data, set to UTF-8 and plain line feeds in every locale."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    return sys.stdout


def new_file(path: str | None, key: str = "output=") -> Path | None:
    """Return the path of the setting `output`, or of an argument that has no `key`. Raises UserError if it exists."""
    if path is not None and os.path.exists(path):
        raise UserError(f"{key}{path}: exists already; give another name")
    return None if path is None else Path(path)


@contextmanager
def output_file(path: Path | None) -> Iterator[TextIO]:
    """Yield a file for lines of output: `path`, gzipped if its name ends in .gz, or standard output if it is None.

    The file is written completely or not at all. Raises OSError if it cannot be written.
    """
    if path is None:
        stdout = utf8_output()
        yield stdout
        stdout.flush()
        return
    with replacing_or_packing(path) as binary:
        file = io.TextIOWrapper(cast("io.BufferedWriter", binary), encoding="utf-8", newline="\n")
        yield file
        file.detach()


# Messages


class Terminal(logging.StreamHandler[TextIO]):
    """Prints messages, above a progress bar if there is one. If nobody reads them any more, the program goes on."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print the message. If the output is closed, a line in the log says so once."""
        try:
            tqdm.write(self.format(record), file=self.stream)
            self.flush()
        except OSError as error:
            self.setLevel(logging.CRITICAL + 1)
            logging.getLogger(__name__).warning(f"no further messages are shown here ({error.strerror})")


@contextmanager
def messages_on(stream: TextIO) -> Iterator[None]:
    """Write the messages of this package to `stream` while the block runs, without times and levels.

    Inside another such block for the same stream, it does nothing, so that each message is written once.
    """
    logger = logging.getLogger("nmt")
    if any(isinstance(each, logging.StreamHandler) and each.stream is stream for each in logger.handlers):
        yield
        return
    handler, level = Terminal(stream), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


# Tables, written as plain text and Markdown


@dataclass(frozen=True)
class Column:
    """A column of figures, or of texts."""

    heading: str
    number: bool = True


@dataclass
class Table:
    """A table of texts. Each row has one text for each column. Characters that would break a row are escaped."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]

    def __post_init__(self) -> None:
        self.rows = [list(map(printable, row)) for row in self.rows]


def to_markdown(table: Table) -> str:
    """Return the table as Markdown."""
    head = [column.heading for column in table.columns]
    marks = ["---:" if column.number else "---" for column in table.columns]
    lines = (" | ".join(text.replace("|", "\\|") for text in row) for row in [head, marks, *table.rows])
    return "".join(f"| {line} |\n" for line in lines)


def to_text(table: Table) -> str:
    """Return the table for a terminal. A heading of figures has a line for each word, so that the column is narrow."""
    headings = ["\n".join(column.heading.split()) if column.number else column.heading for column in table.columns]
    align = ["right" if column.number else "left" for column in table.columns]
    return str(tabulate(table.rows, headings, tablefmt="plain", colalign=align, disable_numparse=True))
