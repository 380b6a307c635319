"""An attention map as a table for a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from nmt.lab.attention.caption import shown

if TYPE_CHECKING:
    from rich.text import Text

    from nmt.lab.attention.view import View, Weights

LABEL, HEADING = 16, 9  # columns of the terminal that the labels of a row and of a column take at most
NUMBER = 3  # "100"
LIGHT, DARK = (222, 235, 247), (8, 48, 107)  # red, green, blue behind weights near 0 and 1, as in the pictures
LEAST = 0.005  # a smaller weight is 0 % when it is rounded


def table(view: View, panel: Weights, width: int) -> list[Text]:
    """Return the lines of a table of `panel` (R, C), a choice of the view's weights, for a terminal of `width` columns.

    Weights are per cent, without digits after the point. "·" stands for less than half a per cent. A cell is empty
    where the row cannot look. If the table is too wide, it goes on below, in parts that each have all rows.
    """
    from rich.cells import cell_len
    from rich.text import Text

    rows, columns = ([shown(label) for label in labels] for labels in view.axes)
    left = min(max(map(cell_len, rows)), LABEL)
    texts = [[""] * len(columns) for _ in rows] if view.cells is None else [list(map(shown, row)) for row in view.cells]
    longest = [min(max(map(cell_len, column)), HEADING) for column in zip(*texts, strict=True)]
    numbers = [NUMBER + bool(length) + length for length in longest]
    widths = [max(least, min(cell_len(label), HEADING)) for least, label in zip(numbers, columns, strict=True)]
    lines: list[Text] = []
    for part in parts(widths, width - left):
        lines += [Text()] * bool(lines)
        lines.append(Text(" " * left + "".join(" " + fitted(columns[j], widths[j], right=True) for j in part)))
        for i, label in enumerate(rows):
            line = Text(fitted(label, left))
            for j in part:
                line.append(" ")
                text = f" {fitted(texts[i][j], longest[j])}" if longest[j] else ""
                line.append(*_cell(float(panel[i, j]), text, widths[j], seen=j < view.reach[i]))
            line.rstrip()
            lines.append(line)
    return lines


def source_shares(view: View, panel: Weights) -> str:
    """Return a line with the part of each row of `panel` (R, C) that belongs to the source, in per cent."""
    shares = panel[:, : view.source].sum(-1)
    rows = (f"{shown(label)} {100 * share:.0f}" for label, share in zip(view.axes[0], shares, strict=True))
    return f"from the source, in %: {', '.join(rows)}; mean {100 * shares.mean():.0f}"


def parts(widths: Sequence[int], room: int) -> Iterator[range]:
    """Yield the columns of each part of a table: as many as fit, but at least one."""
    start, used = 0, 0
    for index, width in enumerate(widths):
        if index > start and used + width + 1 > room:
            yield range(start, index)
            start, used = index, 0
        used += width + 1
    yield range(start, len(widths))


def fitted(label: str, width: int, *, right: bool = False) -> str:
    """Return `label` cut or filled to `width` columns. A character of Chinese, Japanese or Korean takes two."""
    from rich.cells import cell_len, set_cell_size

    if cell_len(label) > width:
        label = set_cell_size(label, width - 1).rstrip() + "…"
    space = " " * (width - cell_len(label))
    return space + label if right else label + space


def _cell(weight: float, text: str, width: int, *, seen: bool) -> tuple[str, str]:
    """Return a weight before the text of its cell, and the style: the higher the weight, the darker the background."""
    from rich.cells import cell_len

    if not seen:
        return " " * width, ""
    width -= cell_len(text)
    if weight < LEAST:
        return "·".rjust(width) + text, ""
    color = ",".join(str(round(light + weight * (dark - light))) for light, dark in zip(LIGHT, DARK, strict=True))
    return f"{100 * weight:.0f}".rjust(width) + text, f"{'black' if weight < 0.5 else 'white'} on rgb({color})"
