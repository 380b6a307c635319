"""Sizes and margins of a picture of attention. All lengths are in inches; font sizes are in points."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Weights = NDArray[np.float32]

POINTS = 72  # points in one inch
SLANT = math.sqrt(0.5)  # sine and cosine of 45 degrees, the angle of slanted labels

# One panel: its longer side, and the smallest and largest cells. The smallest have room for slanted labels of 8 points.
SINGLE_SIDE, SINGLE_CELLS = 6.4, (0.165, 0.55)
# The cells of a small panel grow until its side is SINGLE_LEAST, but not above SINGLE_LEAST_CELL.
SINGLE_LEAST, SINGLE_LEAST_CELL = 1.2, 0.4
LARGEST_SIDE = 28  # a larger picture would need gigabytes of pixels
LEAST_PANEL = 0.5  # width and height: room for "head 12" above and "layer 12" beside
SMALL_GAP = 0.12  # between panels
# The thumbnails together are about as large as the panel beside them, but never smaller than this.
SMALL_RATIO, SMALL_WIDTH, SMALL_HEIGHT = 1.15, 2.6, 2.2

# TensorBoard shows a picture in a card with room for about 370 by 215 pixels. In a picture of this size in inches,
# labels of CARD_POINTS can still be read there. A long sentence makes the picture larger, as cells have a least size.
CARD_WIDTH, CARD_HEIGHT = 4.0, 2.35
CARD_ACROSS, CARD_DOWN, CARD_POINTS = (0.165, 0.5), (0.135, 0.3), 8.0

LABEL_SHARE = 0.55  # of a cell's side: the height of its label's font
LABEL_POINTS = (5.5, 10.5)  # smaller cannot be read, larger needs too much space
ROW_LINE = 0.95  # of the font's height: the distance between row labels, whose letters rarely fill their line
LEVEL_SHARE = 0.94  # of the distance between columns: a wider label touches its neighbour unless it is slanted

EDGE = 0.15  # the empty border of the picture
ROW_LABEL_GAP = 0.07  # between row labels and panels
ROWS_NAME = 0.28  # the name of the rows, on the left
LAYER_NUMBERS, HEAD_NUMBERS = 0.2, 0.22  # "layer 1" on the left of the panels, "head 1" above them
SLANTED_GAP, LEVEL_GAP = 0.1, 0.12  # between column labels and what is above them
# A slanted label starts in the middle of its cell, so half of the cell's width is free on its right. The corner of its
# last letter takes a part of that. This share of the width is left.
SLANTED_START = 0.3


@dataclass(frozen=True)
class Grid:
    """Panels of weights (L, H, R, C): one row of panels for each layer, one column of panels for each head.

    `across` is the width of a cell and `down` its height. `gap` is the distance between panels. `font` is the size of
    the labels in points.
    """

    weights: Weights
    across: float
    down: float
    gap: float
    font: float

    @property
    def several(self) -> bool:
        """Whether the grid has more than one panel."""
        return bool(self.weights.shape[0] * self.weights.shape[1] > 1)

    @property
    def panel(self) -> tuple[float, float]:
        """Width and height of one panel."""
        rows, columns = self.weights.shape[2:]
        return columns * self.across, rows * self.down

    @property
    def width(self) -> float:
        """Width of all panels together."""
        return float(self.weights.shape[1] * (self.panel[0] + self.gap) - self.gap)

    @property
    def height(self) -> float:
        """Height of all panels together."""
        return float(self.weights.shape[0] * (self.panel[1] + self.gap) - self.gap)

    def corner(self, layer: int, head: int) -> tuple[float, float]:
        """Distance of a panel from the left and the top of the grid; layer and head count from 0."""
        return head * (self.panel[0] + self.gap), layer * (self.panel[1] + self.gap)

    @property
    def step_across(self) -> int:
        """n if every n-th column has a label; above 1 if a column is narrower than the height of slanted letters."""
        return math.ceil(self.font / (self.across * POINTS * SLANT) - 1e-6)

    @property
    def step_down(self) -> int:
        """n if every n-th row has a label."""
        return math.ceil(self.font * ROW_LINE / (self.down * POINTS) - 1e-6)


def darkest(weights: Weights) -> float:
    """Return the weight that gets the darkest colour if a picture has a scale of its own.

    It is the highest weight of nine rows in ten. A few rows with almost all weight in one place, such as the end of the
    sentence, would make all others pale. It is at least twice the weight of even attention, so that even attention does
    not look certain.
    """
    import numpy as np

    highest = float(np.quantile(weights.max(axis=-1), 0.9))
    return min(1.0, max(highest, 2.0 / float(weights.shape[-1])))


def large_panel(weights: Weights) -> Grid:
    """Return one panel (R, C). Its cells get smaller as sentences get longer, within limits."""
    rows, columns = weights.shape
    cell = min(_within(SINGLE_SIDE / max(rows, columns), SINGLE_CELLS), LARGEST_SIDE / max(rows, columns))
    across, down = (max(cell, min(SINGLE_LEAST / count, SINGLE_LEAST_CELL)) for count in (columns, rows))
    return Grid(weights[None, None], across, down, 0.0, _font(across, down))


def card_panel(weights: Weights, width: float, height: float) -> Grid:
    """Return one panel (R, C) for a picture of a card's size that has `width` and `height` left for it."""
    rows, columns = weights.shape
    across = min(_within(width / columns, CARD_ACROSS), LARGEST_SIDE / columns)
    down = min(_within(height / rows, CARD_DOWN), LARGEST_SIDE / rows)
    return Grid(weights[None, None], across, down, 0.0, CARD_POINTS)


def thumbnails(weights: Weights, beside: Grid) -> Grid:
    """Return the small panels that stand beside a large one."""
    layers, heads, rows, columns = weights.shape
    width, height = max(SMALL_RATIO * beside.width, SMALL_WIDTH), max(beside.height, SMALL_HEIGHT)
    cell = min(width / (heads * columns), height / (layers * rows) - SMALL_GAP / rows)
    across, down = max(cell, LEAST_PANEL / columns), max(cell, LEAST_PANEL / rows)
    return Grid(weights, across, down, SMALL_GAP, _font(across, down))


def _font(across: float, down: float) -> float:
    return _within(min(across, down) * POINTS * LABEL_SHARE, LABEL_POINTS)


def _within(value: float, limits: tuple[float, float]) -> float:
    return min(max(value, limits[0]), limits[1])


@dataclass(frozen=True)
class Margins:
    """Space around a grid.

    `left` holds the row labels and the numbers of the layers, and `labels` the column labels and the numbers of the
    heads above the panels. The last column label reaches `overhang` beyond the panels. `slanted` says whether the
    column labels are turned by 45 degrees.
    """

    left: float
    overhang: float
    labels: float
    slanted: bool


def margins(grid: Grid, rows: float, columns: float) -> Margins:
    """Return the margins for row and column labels of at most the widths `rows` and `columns`."""
    line = grid.font / POINTS
    slanted = columns > grid.across * grid.step_across * LEVEL_SHARE
    labels = (columns + line) * SLANT + SLANTED_GAP if slanted else line + LEVEL_GAP
    overhang = max(columns * SLANT - grid.across * SLANTED_START, 0.0) if slanted else 0.0
    return Margins(
        left=rows + (LAYER_NUMBERS if grid.several else 0.0),
        overhang=overhang,
        labels=labels + (HEAD_NUMBERS if grid.several else 0.0),
        slanted=slanted,
    )
