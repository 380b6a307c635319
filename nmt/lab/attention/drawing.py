"""Draws panels of attention with labels, colour bar and caption. matplotlib measures the labels, so none is cut off.

A drawing begins as a figure of 1 by 1 inch. Coordinates are then in inches, and may be outside the figure; the upper
ends of all panels are at the height 0. At the end, `fit` gives the figure the size of the drawing. Lengths are in
inches, and font sizes in points.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

from nmt.errors import printable
from nmt.lab.attention.caption import details, legend, shown
from nmt.lab.attention.fonts import typeface

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

    from nmt.lab.attention.view import View, Weights

COLORS = "Blues"
INK, SOFT, LINE = "#1f2933", "#6b7680", "#c9d1d9"  # labels, other text, frames of the panels
DPI = 110
POINTS = 72  # points in one inch
TITLE_TEXT, SMALL_TEXT, NUMBER_TEXT = 12, 8.5, 7.5
LEADING = 1.3  # of a font's size: the distance between two lines
CAPTION_LINES = 3  # at most, for each sentence and each other part of the caption
LINED_CELL = 0.16  # white lines between smaller cells would hide the cells
SHARP_PIXELS = 2  # of a cell: smaller cells are smoothed, because otherwise some cells would not be drawn
DARK = 0.7  # of the darkest colour: a text on a darker cell is white
CAPPED = 0.005  # weights above the darkest colour by less than this are equal to it in two decimals

EDGE, GAP = 0.15, 0.35  # the empty border of the picture; the space between its parts
CAPTION_GAP, LEGEND_GAP, LABEL_GAP, NAME_GAP = 0.15, 0.1, 0.07, 0.1
LEAST_WIDTH = 4.0  # room for a caption over a very small panel
COLORBAR, COLORBAR_GAP, COLORBAR_WIDTH, COLORBAR_HEIGHT = 0.6, 0.14, 0.09, 2.4  # the first with gap and numbers

# One panel: its longer side, and the smallest and largest cells. The smallest have room for slanted labels of 8 points.
LARGE_SIDE, LARGE_CELLS = 6.4, (0.165, 0.55)
# The cells of a panel with few rows or columns grow until its side is LEAST_SIDE, but not above LEAST_SIDE_CELL.
LEAST_SIDE, LEAST_SIDE_CELL = 1.2, 0.4
LARGEST_SIDE = 28  # a larger picture would need gigabytes of pixels
# The small panels together are about as large as the panel beside them, but never smaller than SMALL_LEAST.
SMALL_RATIO, SMALL_LEAST, SMALL_GAP = 1.15, (2.6, 2.2), 0.12
SMALL_SIDE = 0.5  # at least, of one small panel: room for "head 12" and "layer 12"
# TensorBoard shows a picture in a card with room for about 370 by 215 pixels. In a picture of this size, labels of
# CARD_POINTS can still be read there. A long sentence makes the picture larger, as cells have a least size.
CARD_WIDTH, CARD_HEIGHT, CARD_EDGE = 4.0, 2.35, 0.07
CARD_POINTS, CARD_TEXT, CARD_TITLE = 8.0, 1.4, 9  # the labels, the width of the caption, and its title
CARD_CELLS = (0.165, 0.5), (0.135, 0.3)  # least and largest: widths, heights

LABEL_SHARE = 0.55  # of a cell's side: the height of its label's font
LABEL_POINTS = (5.5, 10.5)  # smaller cannot be read, larger needs too much space
ROW_LINE = 0.95  # of the font's height: the distance between row labels, whose letters rarely fill their line
LEVEL_SHARE = 0.94  # of the distance between columns: a wider label touches its neighbour unless it is slanted
SLANT = math.sqrt(0.5)  # sine and cosine of 45 degrees, the angle of slanted labels


@dataclass(frozen=True)
class Grid:
    """Panels of weights (L, H, R, C): one row of panels for each layer, one column of panels for each head.

    `cell` is the width and the height of a cell, `font` the size of the labels, and `gap` the space between panels.
    """

    weights: Weights
    cell: tuple[float, float]
    font: float
    gap: float = 0.0

    @property
    def panel(self) -> tuple[float, float]:
        """Width and height of one panel."""
        rows, columns = self.weights.shape[2:]
        return columns * self.cell[0], rows * self.cell[1]

    def starts(self, side: int) -> list[float]:
        """Return where each column (side 0) or row (side 1) of panels begins."""
        return [number * (self.panel[side] + self.gap) for number in range(self.weights.shape[1 - side])]

    @property
    def size(self) -> tuple[float, float]:
        """Width and height of all panels together."""
        return self.starts(0)[-1] + self.panel[0], self.starts(1)[-1] + self.panel[1]


def large_panel(weights: Weights, border: int | None) -> Grid:
    """Return one panel (R, C). Its cells get smaller as sentences get longer, within limits.

    A panel with a `border` between its columns is as wide as two.
    """
    rows, columns = weights.shape
    longest = max(rows, border or 0, columns - (border or 0))
    side = min(_within(LARGE_SIDE / longest, LARGE_CELLS), LARGEST_SIDE / max(rows, columns))
    width, height = (max(side, min(LEAST_SIDE / count, LEAST_SIDE_CELL)) for count in (columns, rows))
    return Grid(weights[None, None], (width, height), _font(width, height))


def small_panels(weights: Weights, beside: Grid) -> Grid:
    """Return the panels of all heads (L, H, R, C), to be drawn beside a large panel."""
    layers, heads, rows, columns = weights.shape
    width, height = max(SMALL_RATIO * beside.size[0], SMALL_LEAST[0]), max(beside.size[1], SMALL_LEAST[1])
    side = min(width / (heads * columns), height / (layers * rows) - SMALL_GAP / rows)
    cell = max(side, SMALL_SIDE / columns), max(side, SMALL_SIDE / rows)
    return Grid(weights, cell, _font(*cell), SMALL_GAP)


def _font(width: float, height: float) -> float:
    return _within(min(width, height) * POINTS * LABEL_SHARE, LABEL_POINTS)


def _within(value: float, limits: tuple[float, float]) -> float:
    return min(max(value, limits[0]), limits[1])


def blank() -> Figure:
    """Return a figure to draw in: see the top of this file."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(1, 1), dpi=DPI, facecolor="white")
    FigureCanvasAgg(figure)
    return figure


def fit(figure: Figure, box: Bbox, edge: float = EDGE) -> Figure:
    """Return the figure with the content of `box` and an empty border."""
    from matplotlib.transforms import BboxTransformFrom

    whole = box.padded(edge)
    inside = BboxTransformFrom(whole)
    figure.set_size_inches(whole.width, whole.height)
    for axes in figure.axes:
        axes.set_position(axes.get_position().transformed(inside))
    for text in figure.texts:
        x, y = inside.transform(text.get_position())
        text.set_position((x, y))
    return figure


class Drawing:
    """Draws the shown part of one map. The weight `top` gets the darkest colour."""

    def __init__(self, figure: Figure, view: View, notes: Sequence[str], top: float) -> None:
        attention = view.attention
        title = view.title
        rows, columns = ([shown(label) for label in labels] for labels in view.axes)
        facts = [text for text in (details(attention.origin), ", ".join(filter(None, notes))) if text]
        sentences = [printable(f"source: {attention.source}"), printable(f"translation: {attention.target}")]
        marks = legend([*rows, *columns])
        cells = [[shown(text) for text in row] for row in view.cells or []]
        face = typeface([*rows, *columns, *chain(*cells), title, *facts, *sentences, marks, "…"])
        self.figure, self.names, self.top, self.border = figure, view.names, top, view.source
        self.families = list(face.families)
        self.rows, self.columns = ([face.show(label) for label in labels] for labels in (rows, columns))
        self.cells = [list(map(face.show, row)) for row in cells]
        self.title, self.marks = face.show(title), face.show(marks)
        self.texts = [(face.show(text), color) for texts, color in ((facts, SOFT), (sentences, INK)) for text in texts]

    def draw(self, panel: Weights, heads: Weights | None = None, *, left: float = 0.0) -> Bbox:
        """Draw `panel` (R, C) under the caption and, if given, `heads` (L, H, R, C) in small beside it.

        The drawing begins at the horizontal position `left`. Returns its bounding box.
        """
        from matplotlib.transforms import Bbox

        grid = large_panel(panel, self.border)
        if self.cells:
            widest = self._widest(chain(*self.cells), grid.font) + LABEL_GAP
            grid = replace(grid, cell=(max(grid.cell[0], widest), grid.cell[1]))
        axes, box = self._grid(grid, left, self.names)
        self._say(axes, grid)
        box = Bbox.union([box, self._colorbar(axes, panel)])
        if heads is not None:
            box = Bbox.union([box, self._grid(small_panels(heads, grid), box.x1 + GAP)[1]])
        right = max(left + LEAST_WIDTH, box.x1)
        caption, marks = self._caption(right - left, TITLE_TEXT, SMALL_TEXT), self._legend(right - left)
        top = box.y1 + CAPTION_GAP + _height(caption)
        self._write(caption, left, top)
        self._write(marks, left, box.y0 - LEGEND_GAP)
        return Bbox.from_extents(left, box.y0 - (LEGEND_GAP + _height(marks) if marks else 0.0), right, top)

    def draw_card(self, panel: Weights) -> Bbox:
        """Draw `panel` (R, C) for a card of TensorBoard: small and wide, with the caption on the right."""
        from matplotlib.transforms import Bbox

        rows, columns = (self._widest(labels, CARD_POINTS) for labels in (self.rows, self.columns))
        width = CARD_WIDTH - CARD_TEXT - rows - LABEL_GAP - 3 * CARD_EDGE
        height = CARD_HEIGHT - (columns + CARD_POINTS / POINTS) * SLANT - LABEL_GAP - 2 * CARD_EDGE
        cell = (
            min(_within(space / count, limits), LARGEST_SIDE / count)
            for space, count, limits in zip((width, height), reversed(panel.shape), CARD_CELLS, strict=True)
        )
        _, box = self._grid(Grid(panel[None, None], (next(cell), next(cell)), CARD_POINTS), 0.0)
        scale = [("white: 0, dark blue: 1", NUMBER_TEXT, SOFT)]
        caption = [*self._caption(CARD_TEXT, CARD_TITLE, NUMBER_TEXT), *scale, *self._legend(CARD_TEXT)]
        left = box.x1 + CARD_EDGE
        self._write(caption, left, box.y1)
        return Bbox.from_extents(0.0, min(box.y0, box.y1 - _height(caption)), left + CARD_TEXT, box.y1)

    # Texts

    def _caption(self, width: float, title: float, size: float) -> list[tuple[str, float, str]]:
        """Return the lines of the caption, no wider than `width`, with the size and the colour of each."""
        texts = [(self.title, title, INK), *((text, size, color) for text, color in self.texts)]
        return [(line, size, color) for text, size, color in texts for line in self._wrapped(text, size, width)]

    def _legend(self, width: float) -> list[tuple[str, float, str]]:
        return [(line, NUMBER_TEXT, SOFT) for line in self._wrapped(self.marks, NUMBER_TEXT, width)]

    def _write(self, lines: Sequence[tuple[str, float, str]], x: float, y: float) -> None:
        """Write lines from the point (x, y) down. A "$" does not begin mathematics."""
        style: dict[str, Any] = {"va": "top", "family": self.families, "parse_math": False}
        for line, size, color in lines:
            self.figure.text(x, y, line, size=size, color=color, **style)
            y -= _height([(line, size, color)])

    def _wrapped(self, text: str, size: float, width: float) -> list[str]:
        """Return `text` as at most `CAPTION_LINES` lines that are no wider than `width` inches."""
        lines: list[str] = []
        while text:
            fits = bisect_right(range(1, len(text) + 1), width, key=lambda n: self._width(text[:n], size))
            if fits < len(text) and len(lines) + 1 == CAPTION_LINES:
                return [*lines, text[: max(fits - 2, 1)].rstrip() + "…"]
            cut = text.rfind(" ", 0, fits + 1) if fits < len(text) else len(text)
            cut = cut if cut > 0 else max(fits, 1)
            lines.append(text[:cut].rstrip())
            text = text[cut:].lstrip()
        return lines

    def _widest(self, labels: Iterable[str], size: float) -> float:
        return max(self._width(label, size) for label in labels)

    def _width(self, text: str, size: float) -> float:
        """Return the width of `text` in inches."""
        from matplotlib.font_manager import FontProperties

        font = FontProperties(family=self.families, size=size)
        renderer = self.figure.canvas.get_renderer()  # type: ignore[attr-defined]
        return float(renderer.get_text_width_height_descent(text, font, False)[0]) / DPI

    # Panels

    def _grid(self, grid: Grid, left: float, names: Sequence[str] = ()) -> tuple[Axes, Bbox]:
        """Draw the panels with their labels, which begin at `left`. `names` are the names of the rows and of the
        columns. Returns the axes, whose unit is an inch, and the bounding box.
        """
        from matplotlib.transforms import Bbox

        width, height = grid.size
        axes = self.figure.add_axes((0, -height, width, height), xlim=(0, width), ylim=(height, 0))
        axes.set_axis_off()
        for layer, y in enumerate(grid.starts(1)):
            for head, x in enumerate(grid.starts(0)):
                self._panel(axes, grid, grid.weights[layer, head], x, y)
        self._labels(axes, grid)
        if names:
            beside = LABEL_GAP + self._widest(self.rows, grid.font) + NAME_GAP
            self._name(axes, -beside, height / 2, names[0], ha="right", va="center", rotation=90)
            self._name(axes, width / 2, height + NAME_GAP, names[1], ha="center", va="top")
        measured = axes.get_tightbbox()
        assert measured is not None
        box = Bbox(measured.get_points() / DPI)
        axes.set_position(axes.get_position().translated(left - box.x0, 0))
        return axes, box.translated(left - box.x0, 0)

    def _panel(self, axes: Axes, grid: Grid, weights: Weights, x: float, y: float) -> None:
        from matplotlib.patches import Rectangle

        (across, down), (width, height), (rows, columns) = grid.cell, grid.panel, weights.shape
        axes.imshow(
            weights,
            cmap=COLORS,
            vmin=0,
            vmax=self.top,
            extent=(x, x + width, y + height, y),
            aspect="auto",
            interpolation="nearest" if min(grid.cell) * DPI >= SHARP_PIXELS else "auto",
        )
        if min(grid.cell) >= LINED_CELL:
            style: dict[str, Any] = {"colors": "white", "linewidth": 0.8}
            axes.hlines([y + i * down for i in range(1, rows)], x, x + width, **style)
            axes.vlines([x + i * across for i in range(1, columns)], y, y + height, **style)
        if self.border is not None:  # between the source and the translation
            axes.vlines(x + self.border * across, y, y + height, colors=INK, linewidth=1.2)
        frame = Rectangle((x, y), width, height, fill=False, edgecolor=LINE, linewidth=0.7, clip_on=False)
        axes.add_patch(frame)

    def _say(self, axes: Axes, grid: Grid) -> None:
        """Write the texts of the cells of the only panel."""
        text: dict[str, Any] = {"size": grid.font, "family": self.families, "parse_math": False}
        for i, row in enumerate(self.cells):
            for j, (said, weight) in enumerate(zip(row, grid.weights[0, 0, i], strict=True)):
                x, y = (j + 0.5) * grid.cell[0], (i + 0.5) * grid.cell[1]
                color = "white" if weight > DARK * self.top else INK
                axes.text(x, y, said, ha="center", va="center_baseline", color=color, **text)

    def _labels(self, axes: Axes, grid: Grid) -> None:
        """Write the labels of the rows and columns, and the numbers of several layers and heads.

        Every n-th label is written if the cells are smaller than the letters, which need more width if slanted.
        """
        (across, down), font = grid.cell, grid.font
        step_across = math.ceil(font / (across * POINTS * SLANT) - 1e-6)
        step_down = math.ceil(font * ROW_LINE / (down * POINTS) - 1e-6)
        text: dict[str, Any] = {"size": font, "color": INK, "family": self.families, "parse_math": False}
        style: dict[str, Any] = {"ha": "center", "va": "bottom"}
        if self._widest(self.columns, font) > across * step_across * LEVEL_SHARE:
            style = {"ha": "left", "va": "baseline", "rotation": 45, "rotation_mode": "anchor"}
        for x, label in _places(grid, 0, self.columns, step_across):
            axes.text(x, -LABEL_GAP, label, **text, **style)
        for y, label in _places(grid, 1, self.rows, step_down):
            axes.text(-LABEL_GAP, y, label, ha="right", va="center_baseline", **text)
        if grid.weights.shape[:2] == (1, 1):
            return
        (width, height), (across, down) = grid.size, grid.panel
        for head, x in enumerate(grid.starts(0), start=1):
            self._name(axes, x + across / 2, height + LABEL_GAP, f"head {head}", ha="center", va="top")
        for layer, y in enumerate(grid.starts(1), start=1):
            self._name(axes, width + LABEL_GAP, y + down / 2, f"layer {layer}", ha="left", va="center", rotation=90)

    def _name(self, axes: Axes, x: float, y: float, name: str, **style: Any) -> None:
        axes.text(x, y, name, size=SMALL_TEXT, color=SOFT, **style)

    def _colorbar(self, panel: Axes, weights: Weights) -> Bbox:
        """Draw the bar of colours on the right of a panel, and return its place."""
        from matplotlib.transforms import Bbox

        place, top = panel.get_position(), self.top
        height = min(place.height, COLORBAR_HEIGHT)
        axes = self.figure.add_axes((place.x1 + COLORBAR_GAP, place.y1 - height, COLORBAR_WIDTH, height))
        bar = self.figure.colorbar(panel.images[0], cax=axes, ticks=[0, top / 2, top])
        bar.outline.set_visible(False)
        capped = "≥ " if weights.max() > top + CAPPED else ""
        axes.set_yticklabels(["0", f"{top / 2:.2f}", f"{capped}{top:.2f}"], color=SOFT, fontsize=NUMBER_TEXT)
        axes.tick_params(length=0, pad=3)
        return Bbox.from_bounds(place.x1, place.y1 - height, COLORBAR, height)


def _places(grid: Grid, side: int, labels: Sequence[str], step: int) -> Iterator[tuple[float, str]]:
    """Yield the place and the text of every `step`-th label, for each column (side 0) or row (side 1) of panels."""
    for start in grid.starts(side):
        for number in range(0, len(labels), step):
            yield start + (number + 0.5) * grid.cell[side], labels[number]


def _height(lines: Sequence[tuple[str, float, str]]) -> float:
    """Return the height of lines of text, with the space below each."""
    return sum(size for _, size, _ in lines) * LEADING / POINTS
