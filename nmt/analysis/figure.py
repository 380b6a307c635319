"""Attention maps as matplotlib figures, for sentences of any length.

The labels are measured before anything is drawn, and the margins follow from them. So no label is cut off. The figures
do not use pyplot or its global state.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt.analysis.fonts import Typeface, typeface
from nmt.analysis.layout import COLORBAR, EDGE, Grid, labelled_grid, margins, thumbnails
from nmt.atomic import write_atomically
from nmt.errors import UserError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage

    from nmt.analysis.layout import Weights
    from nmt.attention_map import AttentionMap, Kind

# kind: title, name of the rows, name of the columns
TEXTS = {
    "cross": ("Attention to the source", "translation", "source"),
    "encoder_self": ("Self-attention of the encoder", "source, from", "source, to"),
    "decoder_self": ("Self-attention of the decoder", "translation, being written", "translation, read so far"),
}
COLORS = "Blues"
INK, SOFT, LINE = "#1f2933", "#6b7680", "#c9d1d9"  # labels, other text, frames of the panels
DPI, SAVED_DPI = 110, 160
LONGEST_LABEL = 26  # characters
TITLE_TEXT, SMALL_TEXT, NUMBER_TEXT = 12, 8.5, 7.5  # points
TITLE_LINES = 3  # at most
TITLE_MEASURE = 12.5  # points: larger than the title's text, so that no line gets too wide
LINED_CELL = 0.16  # inches: white lines between smaller cells would hide the cells
SHARP_PIXELS = 2  # of a cell: smaller cells are smoothed, because otherwise some cells would not be drawn
CAPPED = 0.005  # weights above the darkest colour by less than this are equal to it in two decimals

# Inches. The lengths of `nmt.analysis.layout` decide where the panels are; these place what is around them.
LEAST_WIDTH = 2.8  # room for a title over a very small panel
TITLE_LINE, NOTE_LINE, HEADING_GAP = 0.21, 0.18, 0.08
COLUMNS_NAME, COLUMNS_NAME_GAP = 0.32, 0.1  # the name of the columns, and its distance from the panels
ROW_LABEL_GAP, COLUMN_LABEL_GAP = 0.07, 0.06  # between labels and panels
HEAD_GAP, HEAD_HEIGHT = 0.05, 0.2  # "head 1" stands above the column labels
LAYER_GAP, LABELLED_LAYER = 0.08, 0.42  # "layer 1": distance from thumbnails; distance from the edge
COLORBAR_GAP, COLORBAR_WIDTH, COLORBAR_HEIGHT = 0.14, 0.09, 2.4


def figure(
    attention: AttentionMap,
    *,
    kind: Kind = "cross",
    layer: int | None = None,
    head: int | None = None,
    words: bool = False,
    title: str | None = None,
) -> Figure:
    """Return a figure of one large panel: the darker a cell, the more its row attends to its column.

    `layer` and `head` count from 1, as in the pictures; None means the mean of all. `words` merges pieces to words.
    Raises UserError where the model has no such attention, layer or head.
    """
    attention, weights = _weights(attention, kind, words)
    chosen, note = _choose(weights, layer, head)
    return _Sheet(attention, kind, title, note).draw([chosen])


def overview(attention: AttentionMap, kind: Kind = "cross", *, words: bool = False, title: str | None = None) -> Figure:
    """Return a figure of one large panel, the mean of all layers and heads, with a small panel for each head beside it.

    A model with one layer and one head, such as a recurrent one, gets the large panel only.
    """
    attention, weights = _weights(attention, kind, words)
    chosen, note = _choose(weights, None, None)
    panels = [chosen] if weights.shape[:2] == (1, 1) else [chosen, weights]
    return _Sheet(attention, kind, title, note).draw(panels)


def save(attention: AttentionMap, path: str | Path, *, kind: Kind = "cross", words: bool = False) -> None:
    """Write the map to `path`: all data if the suffix is `.json`, the picture that `overview` draws if it is `.png`.

    `kind` and `words` choose what the picture shows. The file is complete or not written at all. Raises UserError for
    another suffix, a folder that does not exist and a model without attention, and OSError for a full disk.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in (".json", ".png"):
        expected = "expected .png (a picture) or .json (the data)"
        raise UserError(f"attention map {path}: got the suffix '{path.suffix}', {expected}; rename the file")
    if not path.parent.is_dir():
        raise UserError(f"attention map {path}: the folder {path.parent} does not exist; make it or choose another")
    if not attention.kinds:
        raise UserError(f"attention map {path}: this model has no attention to write; use a model with attention")
    if suffix == ".json":
        write_atomically(path, attention.to_json().encode())
        return
    picture = BytesIO()
    overview(attention, kind, words=words).savefig(picture, format="png", dpi=SAVED_DPI)
    write_atomically(path, picture.getvalue())


def _weights(attention: AttentionMap, kind: Kind, words: bool) -> tuple[AttentionMap, Weights]:
    if kind not in attention.kinds:
        has = ", ".join(attention.kinds) or "no attention at all"
        raise UserError(f"attention map: got kind '{kind}', but this model has {has}; choose a kind that it has")
    attention = attention.words() if words else attention
    weights: Weights = getattr(attention, kind).numpy()
    return attention, weights


def _choose(weights: Weights, layer: int | None, head: int | None) -> tuple[Weights, str]:
    """Return the panel (1, 1, R, C) of a layer and head, or of their means, and the note that describes it."""
    for name, index, count in (("layer", layer, weights.shape[0]), ("head", head, weights.shape[1])):
        if index is not None and not 1 <= index <= count:
            raise UserError(f"attention map: got {name} {index}, expected 1 to {count}; choose one of these")
    note = _note(layer, head, *weights.shape[:2])
    if layer is not None:
        weights = weights[layer - 1 : layer]
    if head is not None:
        weights = weights[:, head - 1 : head]
    return weights.mean(axis=(0, 1), keepdims=True), note


def _note(layer: int | None, head: int | None, layers: int, heads: int) -> str:
    """Return the text that names the layer and the head of a panel, without those of which there is only one."""
    sides = [("layer", layer, layers), ("head", head, heads)]
    taken = [f"{name} {index} of {count}" for name, index, count in sides if index is not None and count > 1]
    means = [f"{count} {name}s" for name, index, count in sides if index is None and count > 1]
    return ", ".join(taken + (["mean of " + " and ".join(means)] if means else []))


class _Sheet:
    """A figure that is being made. It measures its labels before it draws."""

    def __init__(self, attention: AttentionMap, kind: Kind, title: str | None, note: str) -> None:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        rows, columns = attention.axes(kind)
        title = TEXTS[kind][0] if title is None else title
        self.note = note
        self.names = TEXTS[kind][1:]
        self.face: Typeface = typeface([*rows, *columns, title, "…"])
        self.title = self.face.show(title)
        self.families = list(self.face.families)
        self.rows, self.columns = self._labels(rows), self._labels(columns)
        self.figure = Figure(dpi=DPI, facecolor="white")
        self.canvas = FigureCanvasAgg(self.figure)

    def _labels(self, pieces: Sequence[str]) -> list[str]:
        shown = (self.face.show(piece) for piece in pieces)
        return [text if len(text) <= LONGEST_LABEL else text[: LONGEST_LABEL - 1] + "…" for text in shown]

    def draw(self, panels: Sequence[Weights]) -> Figure:
        """Draw the first of `panels` with labels and, if given, the second as thumbnails beside it."""
        grid = labelled_grid(panels[0])
        small = thumbnails(panels[1], grid) if len(panels) > 1 else None
        rows, columns = (self._widest(labels, grid.font) for labels in (self.rows, self.columns))
        space = margins(grid, rows, columns, beside=small is not None)
        width = space.left + grid.width + space.right + (small.width + COLORBAR if small else 0.0)
        width = max(width, EDGE * 2 + self._width(self.note, SMALL_TEXT), LEAST_WIDTH)
        title = self._wrapped(width - 2 * EDGE)
        top = EDGE + TITLE_LINE * len(title) + (NOTE_LINE if self.note else 0.0) + HEADING_GAP + space.labels
        height = top + max(grid.height, small.height if small else 0.0) + COLUMNS_NAME + EDGE
        self.figure.set_size_inches(width, height)
        self._heading(title)
        self._grid(grid, space.left, top, space.labels)
        self._names(grid, space.left, top)
        self._row_labels(grid, space.left, top)
        self._column_labels(grid, space.left, top, space.slanted)
        if small:
            self._grid(small, space.left + grid.width + space.right, top, 0.0)
        return self.figure

    def _heading(self, lines: Sequence[str]) -> None:
        y = EDGE
        for line in lines:
            self._text(EDGE, y, line, TITLE_TEXT, INK, va="top")
            y += TITLE_LINE
        if self.note:
            self._text(EDGE, y + 0.02, self.note, SMALL_TEXT, SOFT, va="top")

    def _grid(self, grid: Grid, x: float, y: float, labels: float) -> None:
        """Draw the panels from the corner (x, y), their colour bar, and their numbers above `labels`."""
        axes = self._axes(x, y, grid.width, grid.height)
        layers, heads = grid.weights.shape[:2]
        for layer in range(layers):
            for head in range(heads):
                image = self._panel(axes, grid, layer, head)
        axes.set_xlim(0, grid.width)
        axes.set_ylim(grid.height, 0)
        self._colorbar(image, x + grid.width + COLORBAR_GAP, y, grid)
        if grid.several:
            self._numbers(grid, x, y, labels)

    def _panel(self, axes: Axes, grid: Grid, layer: int, head: int) -> AxesImage:
        from matplotlib.patches import Rectangle

        (width, height), (rows, columns), (x, y) = grid.panel, grid.weights.shape[2:], grid.corner(layer, head)
        smallest = min(grid.across, grid.down)
        image = axes.imshow(
            grid.weights[layer, head],
            cmap=COLORS,
            vmin=0,
            vmax=grid.top,
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
        return image

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

    def _numbers(self, grid: Grid, x: float, y: float, labels: float) -> None:
        """Write "head 1" above each column of panels, and "layer 1" beside each row of panels."""
        (width, height), (layers, heads) = grid.panel, grid.weights.shape[:2]
        above = y - HEAD_GAP - max(labels - HEAD_HEIGHT, 0.0)
        beside = EDGE + LABELLED_LAYER if grid.labelled else x - LAYER_GAP
        for head in range(heads):
            place = x + grid.corner(0, head)[0] + width / 2
            self._text(place, above, f"head {head + 1}", NUMBER_TEXT, SOFT, ha="center", va="bottom")
        for layer in range(layers):
            place = y + grid.corner(layer, 0)[1] + height / 2
            style = {"ha": "right", "va": "center", "rotation": 90}
            self._text(beside, place, f"layer {layer + 1}", NUMBER_TEXT, SOFT, **style)

    def _colorbar(self, image: AxesImage, x: float, y: float, grid: Grid) -> None:
        axes, top = self._axes(x, y, COLORBAR_WIDTH, min(grid.height, COLORBAR_HEIGHT)), grid.top
        capped = grid.weights.max() > top + CAPPED
        labels = ["0", f"{top / 2:.2f}", f"{'≥ ' if capped else ''}{top:.2f}"]
        bar = self.figure.colorbar(image, cax=axes, ticks=[0, top / 2, top])
        bar.outline.set_visible(False)
        axes.set_yticklabels(labels, color=SOFT, fontsize=NUMBER_TEXT, family=self.families)
        axes.tick_params(length=0, pad=3)
        axes.set_axis_on()

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

        font = FontProperties(family=self.families, size=size)
        width, _, _ = self.canvas.get_renderer().get_text_width_height_descent(text, font, False)  # type: ignore[no-untyped-call]
        return float(width) / DPI

    def _wrapped(self, width: float) -> list[str]:
        """Return the title as at most `TITLE_LINES` lines that are no wider than `width` inches."""
        fit = max(int(len(self.title) * width / max(self._width(self.title, TITLE_MEASURE), 1e-6)), 8)
        return textwrap.wrap(self.title, fit, max_lines=TITLE_LINES, placeholder=" …")
