"""A picture of all heads of a model: their roles, and what the model loses without each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from nmt.attention_map import Kind
from nmt.errors import printable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CELL = (1.15, 0.62)  # inches of a head
KINDS: tuple[Kind, ...] = ("encoder_self", "decoder_self", "cross")  # from left to right


@dataclass(frozen=True)
class Cell:
    """A head with its text, and the value that its colour shows."""

    kind: Kind
    layer: int
    head: int
    text: str
    value: float


def heads_figure(cells: Sequence[Cell], title: str, legend: str) -> Figure:
    """Return a figure with one panel for each kind of attention: heads across, layers down, layer 1 at the bottom.

    The colours have one scale, from 0 (or the lowest value, if that is negative) to the highest value; `legend` names
    it.
    """
    from matplotlib.figure import Figure

    kinds = [kind for kind in KINDS if any(cell.kind == kind for cell in cells)]
    layers, heads = max(cell.layer for cell in cells), max(cell.head for cell in cells)
    width = len(kinds) * heads * CELL[0] + 2.2
    figure = Figure(figsize=(max(width, 4.5), layers * CELL[1] + 1.5), dpi=110, layout="constrained")
    low, high = min(0.0, *(cell.value for cell in cells)), max(1e-9, *(cell.value for cell in cells))
    panels = figure.subplots(1, len(kinds), squeeze=False)[0]
    for kind, axes in zip(kinds, panels, strict=True):
        values = [[float("nan")] * heads for _ in range(layers)]
        for cell in (cell for cell in cells if cell.kind == kind):
            values[cell.layer - 1][cell.head - 1] = cell.value
            dark = (cell.value - low) / (high - low) > 0.6
            axes.text(
                cell.head,
                cell.layer,
                cell.text,
                ha="center",
                va="center",
                fontsize=8,
                color="white" if dark else "black",
            )
        axes.imshow(
            values, cmap="Blues", vmin=low, vmax=high, aspect="auto", origin="lower",
            extent=(0.5, heads + 0.5, 0.5, layers + 0.5),
        )  # fmt: skip
        axes.set(title=kind, xlabel="head", ylabel="layer", xticks=range(1, heads + 1), yticks=range(1, layers + 1))
    # A name may have characters that are formulas to matplotlib.
    figure.colorbar(panels[0].images[0], ax=list(panels)).set_label(printable(legend), parse_math=False)
    figure.suptitle(printable(title), parse_math=False)
    return figure


def png(figure: Figure) -> bytes:
    """Return a figure as the content of a PNG file."""
    content = BytesIO()
    figure.savefig(content, format="png", dpi=160)
    return content.getvalue()
