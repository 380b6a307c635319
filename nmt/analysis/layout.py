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
# Several labelled panels: smaller cells, because all panels share one page.
SEVERAL_SIDE, SEVERAL_CELLS = 14, (0.075, 0.25)
LARGEST_SIDE = 28  # of all labelled panels together: a larger picture would need gigabytes of pixels
LEAST_PANEL = 0.5  # width and height: room for "head 12" above and "layer 12" beside
GAP, SMALL_GAP = 0.3, 0.07  # between panels
# The thumbnails together are about as large as the panel beside them, but never smaller than this.
SMALL_RATIO, SMALL_WIDTH, SMALL_HEIGHT = 1.15, 2.6, 2.2

LABEL_SHARE = 0.55  # of a cell's side: the height of its label's font
LABEL_POINTS = (5.5, 10.5)  # smaller cannot be read, larger needs too much space
ROW_LINE = 0.95  # of the font's height: the distance between row labels, whose letters rarely fill their line
LEVEL_SHARE = 0.94  # of the distance between columns: a wider label touches its neighbour unless it is slanted

EDGE = 0.15  # the empty border of the picture
ROWS_NAME = 0.28  # the name of the rows, on the left
LAYER_NUMBERS, HEAD_NUMBERS = 0.2, 0.22  # "layer 1" on the left of the panels, "head 1" above them
SLANTED_GAP, LEVEL_GAP = 0.1, 0.12  # between column labels and what is above them
# A slanted label starts in the middle of its cell, so half of the cell's width is free on its right. The corner of its
# last letter takes a part of that. This share of the width is left.
SLANTED_START = 0.3
COLORBAR = 0.75  # the colour bar with its numbers, on the right
BESIDE = 0.35  # between the large panel's colour bar and the thumbnails


@dataclass(frozen=True)
class Grid:
    """Panels of weights (L, H, R, C): one row of panels for each layer, one column of panels for each head.

    `across` is the width of a cell and `down` its height. `gap` is the distance between panels.
    """

    weights: Weights
    across: float
    down: float
    gap: float
    labelled: bool

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
    def top(self) -> float:
        """The weight that gets the darkest colour.

        It is the highest weight of nine rows in ten. A few rows with almost all weight in one place, such as the end of
        the sentence, would make all others pale. It is at least twice the weight of even attention, so that even
        attention does not look certain.
        """
        import numpy as np

        highest = float(np.quantile(self.weights.max(axis=-1), 0.9))
        return min(1.0, max(highest, 2.0 / float(self.weights.shape[3])))

    @property
    def font(self) -> float:
        """Font size of the labels, in points."""
        smallest, largest = LABEL_POINTS
        return min(max(min(self.across, self.down) * POINTS * LABEL_SHARE, smallest), largest)

    @property
    def step_across(self) -> int:
        """n if every n-th column has a label; above 1 if a column is narrower than the height of slanted letters."""
        return math.ceil(self.font / (self.across * POINTS * SLANT) - 1e-6)

    @property
    def step_down(self) -> int:
        """n if every n-th row has a label."""
        return math.ceil(self.font * ROW_LINE / (self.down * POINTS) - 1e-6)


def labelled_grid(weights: Weights) -> Grid:
    """Return the panels with labels. Cells get smaller as sentences get longer, within limits."""
    layers, heads, rows, columns = weights.shape
    if layers * heads == 1:
        cell = _cell(SINGLE_SIDE, max(rows, columns), SINGLE_CELLS)
        across, down = (max(cell, min(SINGLE_LEAST / count, SINGLE_LEAST_CELL)) for count in (columns, rows))
        return Grid(weights, across, down, 0.0, True)
    cell = _cell(SEVERAL_SIDE, max(layers * rows, heads * columns), SEVERAL_CELLS)
    return Grid(weights, max(cell, LEAST_PANEL / columns), max(cell, LEAST_PANEL / rows), GAP, True)


def thumbnails(weights: Weights, beside: Grid) -> Grid:
    """Return the small panels without labels that stand beside a large one."""
    layers, heads, rows, columns = weights.shape
    width, height = max(SMALL_RATIO * beside.width, SMALL_WIDTH), max(beside.height, SMALL_HEIGHT)
    cell = min(width / (heads * columns), height / (layers * rows) - SMALL_GAP / rows)
    return Grid(weights, max(cell, LEAST_PANEL / columns), max(cell, LEAST_PANEL / rows), SMALL_GAP, False)


def _cell(side: float, count: int, limits: tuple[float, float]) -> float:
    """Return the side of a cell, within `limits`, so that a line of `count` cells is about `side` long."""
    smallest, largest = limits
    return min(max(side / count, smallest), largest, LARGEST_SIDE / count)


@dataclass(frozen=True)
class Margins:
    """Space around the labelled grid.

    `left` holds the row labels, `right` the colour bar, and `labels` the column labels above the panels. `slanted` says
    whether the column labels are turned by 45 degrees.
    """

    left: float
    right: float
    labels: float
    slanted: bool


def margins(grid: Grid, rows: float, columns: float, *, beside: bool) -> Margins:
    """Return the margins for row and column labels of at most the widths `rows` and `columns`.

    `beside` says whether thumbnails stand on the right of the grid.
    """
    line = grid.font / POINTS
    slanted = columns > grid.across * grid.step_across * LEVEL_SHARE
    labels = (columns + line) * SLANT + SLANTED_GAP if slanted else line + LEVEL_GAP
    overhang = columns * SLANT - grid.across * SLANTED_START if slanted else 0.0
    return Margins(
        left=EDGE + ROWS_NAME + rows + (LAYER_NUMBERS if grid.several else 0.0),
        right=max(COLORBAR, overhang + EDGE) + (BESIDE if beside else 0.0),
        labels=labels + (HEAD_NUMBERS if grid.several else 0.0),
        slanted=slanted,
    )
