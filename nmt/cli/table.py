"""A table of figures, written as plain text, Markdown and TSV."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tabulate import tabulate

from nmt.errors import printable

WITHOUT_TERMINAL = (100, 24)  # columns and lines


@dataclass(frozen=True)
class Column:
    """A column of figures, or of texts. `parts` are its headings in TSV, if each cell has several values."""

    heading: str
    number: bool = True
    parts: tuple[str, ...] = ()


@dataclass(frozen=True)
class Cell:
    """A cell as it is shown, and its values with all digits; None means that there is no value."""

    text: str
    values: tuple[Any, ...]


@dataclass(frozen=True)
class Table:
    """A table. Each row has a cell for each column."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


def text_cell(text: str) -> Cell:
    """Return a cell whose value is its text. Characters that would break the row are escaped."""
    return Cell(printable(text), (printable(text),))


def to_tsv(table: Table) -> str:
    """Return the exact values, separated by tabs. A missing value is empty."""
    head = [part for column in table.columns for part in column.parts or (column.heading,)]
    rows = [["" if value is None else str(value) for cell in row for value in cell.values] for row in table.rows]
    return "".join("\t".join(row) + "\n" for row in [head, *rows])


def to_markdown(table: Table) -> str:
    """Return the table as Markdown, with the cells as they are shown."""
    head = [column.heading for column in table.columns]
    marks = ["---:" if column.number else "---" for column in table.columns]
    rows = [[cell.text for cell in row] for row in table.rows]
    return "".join("| " + " | ".join(text.replace("|", "\\|") for text in row) + " |\n" for row in [head, marks, *rows])


def to_text(table: Table) -> str:
    """Return the table for a terminal. A heading of figures has a line for each word, so that the column is narrow."""
    rows = [[cell.text for cell in row] for row in table.rows]
    headings = ["\n".join(column.heading.split()) if column.number else column.heading for column in table.columns]
    align = ["right" if column.number else "left" for column in table.columns]
    return str(tabulate(rows, headings, tablefmt="plain", colalign=align, disable_numparse=True))


def terminal_width() -> int:
    """Return the number of columns of the terminal; 100 if there is none, as in a pipe."""
    return shutil.get_terminal_size(WITHOUT_TERMINAL).columns
