"""A table of figures, written as plain text, Markdown and TSV."""

from __future__ import annotations

import io
import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nmt.errors import printable

if TYPE_CHECKING:
    from rich.table import Table as RichTable

LONGEST_TEXT, SHORT_TEXT = 30, 12  # columns of a terminal
WITHOUT_TERMINAL = (100, 24)  # columns and lines


@dataclass(frozen=True)
class Column:
    """A column of figures, or of texts. `parts` are its headings in TSV, if each cell has several values.

    A stranger may have chosen the texts, so characters that a terminal would obey are escaped here and in a cell. No
    text breaks a line or a row.
    """

    heading: str
    number: bool = True
    parts: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "heading", printable(self.heading))
        object.__setattr__(self, "parts", tuple(map(printable, self.parts)))


@dataclass(frozen=True)
class Cell:
    """A cell as it is shown, and its values with all digits; None means that there is no value."""

    text: str
    values: tuple[Any, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "text", printable(self.text))
        values = (printable(value) if isinstance(value, str) else value for value in self.values)
        object.__setattr__(self, "values", tuple(values))


@dataclass(frozen=True)
class Table:
    """A table. Each row has a cell for each column."""

    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]


def text_cell(text: str) -> Cell:
    """Return a cell whose value is its text."""
    return Cell(text, (text,))


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


def terminal_width() -> int:
    """Return the number of columns of the terminal; 100 if there is none, as in a pipe."""
    return shutil.get_terminal_size(WITHOUT_TERMINAL).columns


def to_text(table: Table, width: int) -> tuple[str, int]:
    """Return the table for a terminal with `width` columns, and how many columns of the table were left out.

    If the table is too wide, its last columns are left out, but not the texts on the left or the first figures.
    """
    from rich.console import Console
    from rich.measure import Measurement

    console = Console(file=io.StringIO(), width=width, color_system=None)
    unlimited = console.options.update(width=10 * width)  # otherwise rich returns no measure above the width
    shown = list(range(len(table.columns)))
    fewest = next((index + 1 for index in shown if table.columns[index].number), len(shown))
    while True:
        rich = _rich(table, shown)
        if Measurement.get(console, unlimited, rich).minimum <= width or len(shown) <= fewest:
            break
        shown.pop()
    with console.capture() as captured:
        console.print(rich)
    lines = [line.rstrip() for line in captured.get().splitlines()]
    return "\n".join(lines), len(table.columns) - len(shown)


def _rich(table: Table, shown: Sequence[int]) -> RichTable:
    from rich.table import Table as RichTable
    from rich.text import Text

    rich = RichTable(box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for index in shown:
        column, texts = table.columns[index], [row[index].text for row in table.rows]
        if column.number:
            width = max(map(len, [*texts, *column.heading.split()]))
            heading = Text("\n".join(column.heading.split()))
            rich.add_column(heading, justify="right", no_wrap=True, min_width=width)
        elif index == 0:
            rich.add_column(Text(column.heading), no_wrap=True, min_width=max(map(len, texts)))
        else:
            width = min(max(map(len, texts)), SHORT_TEXT)  # "mean of 3" stays on one line
            rich.add_column(Text(column.heading), overflow="fold", min_width=width, max_width=LONGEST_TEXT)
    for row in table.rows:
        rich.add_row(*(Text(row[index].text) for index in shown))
    return rich
