"""Draws a picture of attention: panels, labels, colour bar and caption.

The labels are measured before anything is drawn, and the margins follow from them. So no label is cut off.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from nmt.errors import printable
from nmt.lab.attention.caption import TEXTS, details, legend, shown
from nmt.lab.attention.fonts import Typeface, typeface
from nmt.lab.attention.layout import (
    CARD_HEIGHT,
    CARD_POINTS,
    CARD_WIDTH,
    EDGE,
    POINTS,
    ROW_LABEL_GAP,
    ROWS_NAME,
    SLANT,
    SLANTED_GAP,
    Grid,
    Margins,
    card_panel,
    large_panel,
    margins,
    thumbnails,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from nmt.lab.attention.layout import Weights
    from nmt.lab.attention.view import View

COLORS = "Blues"
INK, SOFT, LINE = "#1f2933", "#6b7680", "#c9d1d9"  # labels, other text, frames of the panels
DPI = 110
TITLE_TEXT, SMALL_TEXT, NUMBER_TEXT = 12, 8.5, 7.5  # points
LEADING = 1.3  # of a font's size: the distance between two lines
CAPTION_LINES = 3  # at most, for each sentence and each other part of the caption
LINED_CELL = 0.16  # inches: white lines between smaller cells would hide the cells
SHARP_PIXELS = 2  # of a cell: smaller cells are smoothed, because otherwise some cells would not be drawn
CAPPED = 0.005  # weights above the darkest colour by less than this are equal to it in two decimals

# Inches. The lengths of `nmt.lab.attention.layout` decide where the panels are; these place what is around them.
LEAST_WIDTH = 3.8  # room for a caption over a very small panel
HEADING_GAP, LEGEND_GAP = 0.08, 0.1
COLUMNS_NAME, COLUMNS_NAME_GAP = 0.28, 0.1  # the name of the columns, and its distance from the panels
COLUMN_LABEL_GAP = 0.06  # between labels and panels
HEAD_GAP, HEAD_HEIGHT = 0.05, 0.2  # "head 1" stands above the column labels
COLORBAR = 0.75  # the colour bar with its numbers, on the right of the large panel
COLORBAR_GAP, COLORBAR_WIDTH, COLORBAR_HEIGHT = 0.14, 0.09, 2.4
BESIDE = 0.35  # between the colour bar and the row labels of the small panels
CARD_TEXT, CARD_TITLE, CARD_EDGE = 1.4, 9, 0.07  # a card's caption (width), its title (points), its empty border
CARD_DPI = 185  # twice the pixels of a card: a browser shrinks such a picture well


@dataclass(frozen=True)
class Line:
    """One line of the caption."""

    text: str
    size: float
    color: str

    @property
    def height(self) -> float:
        """In inches, with the space below."""
        return self.size * LEADING / POINTS


class Sheet:
    """A picture that is being made. The weight `top` gets the darkest colour."""

    def __init__(self, view: View, notes: Sequence[str], top: float) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        attention = view.attention
        rows, columns = ([shown(label) for label in labels] for labels in view.axes)
        self.names = TEXTS[view.kind][1:]
        self.top = top
        title = TEXTS[view.kind][0]
        facts = (details(attention.origin), ", ".join(filter(None, notes)))
        sentences = (printable(f"source: {attention.source}"), printable(f"translation: {attention.target}"))
        marks = legend([*rows, *columns])
        self.face: Typeface = typeface([*rows, *columns, title, *facts, *sentences, marks, "…"])
        self.families = list(self.face.families)
        self.rows, self.columns = ([self.face.show(label) for label in labels] for labels in (rows, columns))
        self.title, self.marks = self.face.show(title), self.face.show(marks)
        self.facts, self.sentences = ([self.face.show(text) for text in texts] for texts in (facts, sentences))
        self.figure = Figure(dpi=DPI, facecolor="white")
        self.canvas = FigureCanvasAgg(self.figure)
        self.widths: dict[tuple[str, float], float] = {}  # in inches, of the texts that were measured

    def draw(self, panel: Weights, heads: Weights | None = None) -> Figure:
        """Draw `panel` (R, C) under the caption and, if given, `heads` (L, H, R, C) in small beside it."""
        grid, space = self._measured(large_panel(panel))
        small = None if heads is None else self._measured(thumbnails(heads, grid))
        left = EDGE + ROWS_NAME + space.left
        width = left + grid.width + max(COLORBAR, space.overhang + EDGE)
        beside = width + BESIDE + small[1].left if small else 0.0
        if small:
            width = beside + small[0].width + small[1].overhang + EDGE
        width = max(width, LEAST_WIDTH)
        caption, marks = self._caption(width - 2 * EDGE, TITLE_TEXT, SMALL_TEXT), self._legend(width - 2 * EDGE)
        labels = max(space.labels, small[1].labels if small else 0.0)
        top = EDGE + _height(caption) + HEADING_GAP + labels
        below = top + max(grid.height + COLUMNS_NAME, small[0].height if small else 0.0) + LEGEND_GAP
        self.figure.set_size_inches(width, below + _height(marks) + EDGE - LEGEND_GAP * (not marks))
        self._write(caption, EDGE, EDGE)
        self._grid(grid, space, left, top)
        self._names(grid, left, top)
        self._colorbar(left + grid.width + COLORBAR_GAP, top, grid)
        if small:
            self._grid(*small, beside, top)
        self._write(marks, EDGE, below)
        return self.figure

    def draw_card(self, panel: Weights) -> Figure:
        """Draw `panel` (R, C) for a card of TensorBoard: small and wide, with the caption on the right."""
        rows, columns = (self._widest(labels, CARD_POINTS) for labels in (self.rows, self.columns))
        width = CARD_WIDTH - CARD_TEXT - rows - ROW_LABEL_GAP - 3 * CARD_EDGE
        height = CARD_HEIGHT - (columns + CARD_POINTS / POINTS) * SLANT - SLANTED_GAP - 2 * CARD_EDGE
        grid, space = self._measured(card_panel(panel, width, height))
        left, top = CARD_EDGE + space.left, CARD_EDGE + space.labels
        text = left + grid.width + max(space.overhang, CARD_EDGE)
        caption = self._caption(CARD_TEXT, CARD_TITLE, NUMBER_TEXT)
        caption += [Line("white: 0, dark blue: 1", NUMBER_TEXT, SOFT), *self._legend(CARD_TEXT)]
        bottom = max(top + grid.height, CARD_EDGE + _height(caption)) + CARD_EDGE
        self.figure.set_size_inches(text + CARD_TEXT + CARD_EDGE, bottom)
        self.figure.set_dpi(CARD_DPI)
        self._grid(grid, space, left, top)
        self._write(caption, text, CARD_EDGE)
        return self.figure

    # Texts

    def _caption(self, width: float, title: float, size: float) -> list[Line]:
        """Return the lines of the caption, no wider than `width`: title, model and score, the note, both sentences."""
        texts = [(self.title, title, INK)]
        texts += [(text, size, SOFT) for text in self.facts if text]
        texts += [(text, size, INK) for text in self.sentences]
        return [Line(line, size, color) for text, size, color in texts for line in self._wrapped(text, size, width)]

    def _legend(self, width: float) -> list[Line]:
        return [Line(line, NUMBER_TEXT, SOFT) for line in self._wrapped(self.marks, NUMBER_TEXT, width)]

    def _write(self, lines: Sequence[Line], x: float, y: float) -> None:
        for line in lines:
            self._text(x, y, line.text, line.size, line.color, va="top")
            y += line.height

    def _wrapped(self, text: str, size: float, width: float) -> list[str]:
        """Return `text` as at most `CAPTION_LINES` lines that are no wider than `width` inches."""
        lines: list[str] = []
        while text:
            fits = len(text)
            if self._width(text, size) > width:
                fits = bisect_right(range(1, len(text)), width, key=lambda n: self._width(text[:n], size))
            if fits < len(text) and len(lines) + 1 == CAPTION_LINES:
                return [*lines, text[: max(fits - 2, 1)].rstrip() + "…"]
            cut = text.rfind(" ", 0, fits + 1) if fits < len(text) else len(text)
            cut = cut if cut > 0 else max(fits, 1)
            lines.append(text[:cut].rstrip())
            text = text[cut:].lstrip()
        return lines

    # Panels

    def _measured(self, grid: Grid) -> tuple[Grid, Margins]:
        rows, columns = (self._widest(labels, grid.font) for labels in (self.rows, self.columns))
        return grid, margins(grid, rows + ROW_LABEL_GAP, columns)

    def _grid(self, grid: Grid, space: Margins, x: float, y: float) -> None:
        """Draw the panels from the corner (x, y), with their labels and their numbers."""
        axes = self._axes(x, y, grid.width, grid.height)
        layers, heads = grid.weights.shape[:2]
        for layer in range(layers):
            for head in range(heads):
                self._panel(axes, grid, layer, head)
        axes.set_xlim(0, grid.width)
        axes.set_ylim(grid.height, 0)
        self._row_labels(grid, x, y)
        self._column_labels(grid, x, y, space.slanted)
        if grid.several:
            self._numbers(grid, space, x, y)

    def _panel(self, axes: Axes, grid: Grid, layer: int, head: int) -> None:
        from matplotlib.patches import Rectangle

        (width, height), (rows, columns), (x, y) = grid.panel, grid.weights.shape[2:], grid.corner(layer, head)
        smallest = min(grid.across, grid.down)
        axes.imshow(
            grid.weights[layer, head],
            cmap=COLORS,
            vmin=0,
            vmax=self.top,
            extent=(x, x + width, y + height, y),
            aspect="auto",
            interpolation="nearest" if smallest * DPI >= SHARP_PIXELS else "auto",
        )
        if smallest >= LINED_CELL:
            style: dict[str, Any] = {"colors": "white", "linewidth": 0.8}
            axes.hlines([y + i * grid.down for i in range(1, rows)], x, x + width, **style)
            axes.vlines([x + i * grid.across for i in range(1, columns)], y, y + height, **style)
        frame = Rectangle((x, y), width, height, fill=False, edgecolor=LINE, linewidth=0.7, clip_on=False)
        axes.add_patch(frame)

    def _names(self, grid: Grid, x: float, y: float) -> None:
        """Write the name of the rows on the left, and the name of the columns below."""
        rows, columns = self.names
        below = y + grid.height + COLUMNS_NAME_GAP
        self._text(x + grid.width / 2, below, columns, SMALL_TEXT, SOFT, ha="center", va="top")
        self._text(EDGE, y + grid.height / 2, rows, SMALL_TEXT, SOFT, ha="left", va="center", rotation=90)

    def _row_labels(self, grid: Grid, x: float, y: float) -> None:
        for layer in range(grid.weights.shape[0]):
            first = y + grid.corner(layer, 0)[1]
            for index in range(0, len(self.rows), grid.step_down):
                place = first + (index + 0.5) * grid.down
                style = {"ha": "right", "va": "center_baseline"}
                self._text(x - ROW_LABEL_GAP, place, self.rows[index], grid.font, INK, **style)

    def _column_labels(self, grid: Grid, x: float, y: float, slanted: bool) -> None:
        style: dict[str, Any] = {"ha": "center", "va": "bottom"}
        if slanted:
            style = {"ha": "left", "va": "baseline", "rotation": 45, "rotation_mode": "anchor"}
        for head in range(grid.weights.shape[1]):
            first = x + grid.corner(0, head)[0]
            for index in range(0, len(self.columns), grid.step_across):
                place = first + (index + 0.5) * grid.across
                self._text(place, y - COLUMN_LABEL_GAP, self.columns[index], grid.font, INK, **style)

    def _numbers(self, grid: Grid, space: Margins, x: float, y: float) -> None:
        """Write "head 1" above each column of panels, and "layer 1" beside each row of panels."""
        (width, height), (layers, heads) = grid.panel, grid.weights.shape[:2]
        above = y - HEAD_GAP - max(space.labels - HEAD_HEIGHT, 0.0)
        beside = x - space.left
        for head in range(heads):
            place = x + grid.corner(0, head)[0] + width / 2
            self._text(place, above, f"head {head + 1}", NUMBER_TEXT, SOFT, ha="center", va="bottom")
        for layer in range(layers):
            place = y + grid.corner(layer, 0)[1] + height / 2
            style = {"ha": "left", "va": "center", "rotation": 90}
            self._text(beside, place, f"layer {layer + 1}", NUMBER_TEXT, SOFT, **style)

    def _colorbar(self, x: float, y: float, grid: Grid) -> None:
        from matplotlib.cm import ScalarMappable
        from matplotlib.colors import Normalize

        axes, top = self._axes(x, y, COLORBAR_WIDTH, min(grid.height, COLORBAR_HEIGHT)), self.top
        capped = grid.weights.max() > top + CAPPED
        labels = ["0", f"{top / 2:.2f}", f"{'≥ ' if capped else ''}{top:.2f}"]
        bar = self.figure.colorbar(ScalarMappable(Normalize(0, top), COLORS), cax=axes, ticks=[0, top / 2, top])
        bar.outline.set_visible(False)
        axes.set_yticklabels(labels, color=SOFT, fontsize=NUMBER_TEXT, family=self.families)
        axes.tick_params(length=0, pad=3)
        axes.set_axis_on()

    # Places

    def _axes(self, x: float, y: float, width: float, height: float) -> Axes:
        across, down = self.figure.get_size_inches()
        axes = self.figure.add_axes((x / across, 1 - (y + height) / down, width / across, height / down))
        axes.set_axis_off()
        return axes

    def _text(self, x: float, y: float, text: str, size: float, color: str, **style: Any) -> None:
        """Write `text` at (x, y), in inches from the left and from the top. A "$" does not begin mathematics."""
        across, down = self.figure.get_size_inches()
        place = x / across, 1 - y / down
        self.figure.text(*place, text, size=size, color=color, family=self.families, parse_math=False, **style)

    def _widest(self, labels: Sequence[str], size: float) -> float:
        return max(self._width(label, size) for label in labels)

    def _width(self, text: str, size: float) -> float:
        """Return the width of `text` in inches."""
        from matplotlib.font_manager import FontProperties

        if (text, size) not in self.widths:
            font = FontProperties(family=self.families, size=size)
            width, _, _ = self.canvas.get_renderer().get_text_width_height_descent(text, font, False)  # type: ignore[no-untyped-call]
            self.widths[text, size] = float(width) / DPI
        return self.widths[text, size]


def _height(lines: Sequence[Line]) -> float:
    return sum(line.height for line in lines)
