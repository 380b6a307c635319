"""Attention maps as matplotlib figures, laid out in inches so that no label is cut off at any sentence length.

No figure touches pyplot or its global state. Everything that is drawn is measured first: the labels decide the margins.
"""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt.analysis.fonts import Typeface, typeface
from nmt.atomic import write_atomically
from nmt.errors import UserError

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.image import AxesImage
    from numpy.typing import NDArray

    from nmt.attention_map import AttentionMap, Kind

    Weights = NDArray[np.float32]

# kind: title, what the rows are, what the columns are
TEXTS = {
    "cross": ("Attention to the source", "translation", "source"),
    "encoder_self": ("Self-attention of the encoder", "source, from", "source, to"),
    "decoder_self": ("Self-attention of the decoder", "translation, being written", "translation, read so far"),
}
COLORS = "Blues"
INK, SOFT, LINE = "#1f2933", "#6b7680", "#c9d1d9"
DPI = 110
EDGE = 0.15  # inches left free around everything
LONGEST_LABEL = 26  # characters
MOST = 28  # inches of all labelled panels, either way: more would be gigabytes of pixels
LEAST_PANEL = 0.5  # inches, either way: room for "head 12" above and "layer 12" beside
SLANT = math.sqrt(0.5)  # sine and cosine of 45 degrees


def figure(
    attention: AttentionMap,
    *,
    kind: Kind = "cross",
    layer: int | None = None,
    head: int | None = None,
    words: bool = False,
    title: str | None = None,
) -> Figure:
    """Return one large panel: rows look at columns, the darker the more.

    `layer` and `head` count from 1, as the pictures do; None takes the mean of all. `words` merges pieces to words.
    Raises UserError where the model has no such attention, layer or head.
    """
    attention, weights = _weights(attention, kind, words)
    chosen, note = _choose(weights, layer, head)
    return _Sheet(attention, kind, title, note).draw([chosen])


def overview(attention: AttentionMap, kind: Kind = "cross", *, words: bool = False, title: str | None = None) -> Figure:
    """Return the mean of all layers and heads as one large panel, and beside it each head small.

    A model with one layer and head, such as a recurrent one, has the large panel only.
    """
    attention, weights = _weights(attention, kind, words)
    chosen, note = _choose(weights, None, None)
    panels = [chosen] if weights.shape[:2] == (1, 1) else [chosen, weights]
    return _Sheet(attention, kind, title, note).draw(panels)


def save(attention: AttentionMap, path: str | Path, *, kind: Kind = "cross", words: bool = False) -> None:
    """Write the map to `path`, whole or not at all: the data as `.json`, the picture `overview` as `.png`.

    `kind` and `words` choose what the picture shows; the data always has everything. Raises UserError for another
    suffix, a folder that is not there, and a model without attention, OSError for a disk that is full.
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in (".json", ".png"):
        expected = "expected .png (a picture) or .json (the data)"
        raise UserError(f"attention map {path}: got the suffix '{path.suffix}', {expected}; name the file so")
    if not path.parent.is_dir():
        raise UserError(f"attention map {path}: the folder {path.parent} does not exist; make it, or name another")
    if not attention.kinds:
        raise UserError(f"attention map {path}: this model has no attention to write; use a model that has")
    if suffix == ".json":
        write_atomically(path, attention.to_json().encode())
        return
    picture = BytesIO()
    overview(attention, kind, words=words).savefig(picture, format="png", dpi=160)
    write_atomically(path, picture.getvalue())


def _weights(attention: AttentionMap, kind: Kind, words: bool) -> tuple[AttentionMap, Weights]:
    if kind not in attention.kinds:
        has = ", ".join(attention.kinds) or "no attention at all"
        raise UserError(f"attention map: got kind '{kind}', but this model has {has}; choose what it has")
    attention = attention.words() if words else attention
    weights: Weights = getattr(attention, kind).numpy()
    return attention, weights


def _choose(weights: Weights, layer: int | None, head: int | None) -> tuple[Weights, str]:
    """Return the panel (1, 1, R, C) of a layer and head, or of their means, and the words for it."""
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
    """Return which layer and head a panel shows; nothing where there is but one."""
    sides = [("layer", layer, layers), ("head", head, heads)]
    taken = [f"{name} {index} of {count}" for name, index, count in sides if index is not None and count > 1]
    means = [f"{count} {name}s" for name, index, count in sides if index is None and count > 1]
    return ", ".join(taken + (["mean of " + " and ".join(means)] if means else []))


@dataclass(frozen=True)
class _Block:
    """Panels (L, H, R, C) side by side, in inches: a column's width, a row's height, the gap between panels."""

    weights: Weights
    across: float
    down: float
    gap: float
    labelled: bool

    @property
    def panel(self) -> tuple[float, float]:
        """Width and height of one panel."""
        rows, columns = self.weights.shape[2:]
        return columns * self.across, rows * self.down

    @property
    def width(self) -> float:
        return float(self.weights.shape[1] * (self.panel[0] + self.gap) - self.gap)

    @property
    def height(self) -> float:
        return float(self.weights.shape[0] * (self.panel[1] + self.gap) - self.gap)

    @property
    def top(self) -> float:
        """The weight that gets the darkest colour.

        The highest of most rows: a few certain ones, such as the end of the sentence, would leave all others pale. At
        least twice what even attention gives, so that evenness does not look like certainty.
        """
        import numpy as np

        highest = float(np.quantile(self.weights.max(axis=-1), 0.9))
        return min(1.0, max(highest, 2.0 / float(self.weights.shape[3])))

    @property
    def font(self) -> float:
        """Points of the labels."""
        return min(max(min(self.across, self.down) * 72 * 0.55, 5.5), 10.5)

    @property
    def step_across(self) -> int:
        """Every how many columns have a label: each unless they are narrower than slanted letters are high."""
        return math.ceil(self.font / (self.across * 72 * SLANT) - 1e-6)

    @property
    def step_down(self) -> int:
        """Every how many rows have a label."""
        return math.ceil(self.font * 0.95 / (self.down * 72) - 1e-6)


def _block(weights: Weights) -> _Block:
    """The labelled panels: cells of a size to read for short sentences, and still to tell apart for long ones."""
    layers, heads, rows, columns = weights.shape
    if layers * heads == 1:
        longest = max(rows, columns)
        cell = min(max(6.4 / longest, 0.165), 0.55, MOST / longest)
        return _Block(weights, max(cell, min(1.2 / columns, 0.4)), max(cell, min(1.2 / rows, 0.4)), 0.0, True)
    longest = max(layers * rows, heads * columns)
    cell = min(max(14 / longest, 0.075), 0.25, MOST / longest)
    return _Block(weights, max(cell, LEAST_PANEL / columns), max(cell, LEAST_PANEL / rows), 0.3, True)


def _thumbnails(weights: Weights, beside: _Block) -> _Block:
    """The small panels: about as large together as the one beside them."""
    layers, heads, rows, columns = weights.shape
    width, height = max(1.15 * beside.width, 2.6), max(beside.height, 2.2)
    cell = min(width / (heads * columns), height / (layers * rows) - 0.07 / rows)
    return _Block(weights, max(cell, LEAST_PANEL / columns), max(cell, LEAST_PANEL / rows), 0.07, False)


class _Sheet:
    """A figure in the making: measures, then draws."""

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
        """Draw the first of `panels` with its pieces, the second, if any, small beside it."""
        block = _block(panels[0])
        small = _thumbnails(panels[1], block) if len(panels) > 1 else None
        size, widest = block.font, self._widest(self.columns, block.font)
        slanted = widest > block.across * block.step_across * 0.94
        many = block.weights.shape[0] * block.weights.shape[1] > 1
        left = EDGE + 0.28 + self._widest(self.rows, size) + (0.2 if many else 0.0)
        labels = (widest + size / 72) * SLANT + 0.1 if slanted else size / 72 + 0.12
        labels += 0.22 if many else 0.0
        overhang = widest * SLANT - block.across * 0.3 if slanted else 0.0
        right = max(0.75, overhang + EDGE)
        beside = right + 0.35 if small else right
        width = left + block.width + beside + (small.width + 0.75 if small else 0.0)
        width = max(width, EDGE * 2 + self._width(self.note, 8.5), 2.8)
        heading = self._wrapped(width - 2 * EDGE)
        top = EDGE + 0.21 * len(heading) + (0.18 if self.note else 0.0) + 0.08 + labels
        height = top + max(block.height, small.height if small else 0.0) + 0.32 + EDGE
        self.figure.set_size_inches(width, height)
        self._heading(heading)
        self._panels(block, left, top, slanted, labels)
        if small:
            self._panels(small, left + block.width + beside, top, False, 0.0)
        return self.figure

    def _heading(self, lines: Sequence[str]) -> None:
        y = EDGE
        for line in lines:
            self._text(EDGE, y, line, 12, INK, va="top")
            y += 0.21
        if self.note:
            self._text(EDGE, y + 0.02, self.note, 8.5, SOFT, va="top")

    def _panels(self, block: _Block, x: float, y: float, slanted: bool, labels: float) -> None:
        axes = self._axes(x, y, block.width, block.height)
        layers, heads = block.weights.shape[:2]
        for layer in range(layers):
            for head in range(heads):
                image = self._panel(axes, block, layer, head)
        axes.set_xlim(0, block.width)
        axes.set_ylim(block.height, 0)
        self._colorbar(image, x + block.width + 0.14, y, min(block.height, 2.4), block)
        if layers * heads > 1:
            self._numbers(block, x, y, labels)
        if block.labelled:
            self._row_labels(block, x, y)
            self._column_labels(block, x, y, slanted)
            self._text(x + block.width / 2, y + block.height + 0.1, self.names[1], 8.5, SOFT, ha="center", va="top")
            self._text(EDGE, y + block.height / 2, self.names[0], 8.5, SOFT, ha="left", va="center", rotation=90)

    def _panel(self, axes: Axes, block: _Block, layer: int, head: int) -> AxesImage:
        from matplotlib.patches import Rectangle

        (width, height), (rows, columns) = block.panel, block.weights.shape[2:]
        x, y = head * (width + block.gap), layer * (height + block.gap)
        smallest = min(block.across, block.down)
        image = axes.imshow(
            block.weights[layer, head],
            cmap=COLORS,
            vmin=0,
            vmax=block.top,
            extent=(x, x + width, y + height, y),
            aspect="auto",
            interpolation="nearest" if smallest * DPI >= 2 else "auto",
        )
        if smallest >= 0.16:
            axes.hlines([y + i * block.down for i in range(1, rows)], x, x + width, colors="white", linewidth=0.8)
            axes.vlines([x + i * block.across for i in range(1, columns)], y, y + height, colors="white", linewidth=0.8)
        frame = Rectangle((x, y), width, height, fill=False, edgecolor=LINE, linewidth=0.7, clip_on=False)
        axes.add_patch(frame)
        return image

    def _row_labels(self, block: _Block, x: float, y: float) -> None:
        for layer in range(block.weights.shape[0]):
            first = y + layer * (block.panel[1] + block.gap)
            for index in range(0, len(self.rows), block.step_down):
                place = first + (index + 0.5) * block.down
                self._text(x - 0.07, place, self.rows[index], block.font, INK, ha="right", va="center_baseline")

    def _column_labels(self, block: _Block, x: float, y: float, slanted: bool) -> None:
        turn: dict[str, Any] = {"ha": "center", "va": "bottom"}
        if slanted:
            turn = {"ha": "left", "va": "baseline", "rotation": 45, "rotation_mode": "anchor"}
        for head in range(block.weights.shape[1]):
            first = x + head * (block.panel[0] + block.gap)
            for index in range(0, len(self.columns), block.step_across):
                place = first + (index + 0.5) * block.across
                self._text(place, y - 0.06, self.columns[index], block.font, INK, **turn)

    def _numbers(self, block: _Block, x: float, y: float, labels: float) -> None:
        (width, height), (layers, heads) = block.panel, block.weights.shape[:2]
        above = y - 0.05 - max(labels - 0.2, 0.0)
        beside = EDGE + 0.42 if block.labelled else x - 0.08
        for head in range(heads):
            place = x + head * (width + block.gap) + width / 2
            self._text(place, above, f"head {head + 1}", 7.5, SOFT, ha="center", va="bottom")
        for layer in range(layers):
            place = y + layer * (height + block.gap) + height / 2
            self._text(beside, place, f"layer {layer + 1}", 7.5, SOFT, ha="right", va="center", rotation=90)

    def _colorbar(self, image: AxesImage, x: float, y: float, height: float, block: _Block) -> None:
        axes, top = self._axes(x, y, 0.09, height), block.top
        highest = f"{'≥ ' if block.weights.max() > top + 0.005 else ''}{top:.2f}"
        bar = self.figure.colorbar(image, cax=axes, ticks=[0, top / 2, top])
        bar.outline.set_visible(False)
        axes.set_yticklabels(["0", f"{top / 2:.2f}", highest], color=SOFT, fontsize=7.5, family=self.families)
        axes.tick_params(length=0, pad=3)
        axes.set_axis_on()

    def _axes(self, x: float, y: float, width: float, height: float) -> Axes:
        across, down = self.figure.get_size_inches()
        axes = self.figure.add_axes((x / across, 1 - (y + height) / down, width / across, height / down))
        axes.set_axis_off()
        return axes

    def _text(self, x: float, y: float, text: str, size: float, color: str, **style: Any) -> None:
        """Write at inches from the left and from the top; a "$" is a dollar, not mathematics."""
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
        """Return the title in lines no wider than `width` inches, three at most."""
        fit = max(int(len(self.title) * width / max(self._width(self.title, 12.5), 1e-6)), 8)
        return textwrap.wrap(self.title, fit, max_lines=3, placeholder=" …")
