"""Attention maps as matplotlib figures, for sentences of any length. The figures do not use pyplot's global state."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from nmt.errors import UserError
from nmt.lab.attention.drawing import CARD_EDGE, GAP, Drawing, blank, fit
from nmt.lab.attention.view import Shown, attention_maps, view
from nmt.system.atomic import write_atomically

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from nmt.attention_map import AttentionMap
    from nmt.lab.attention.view import View, Weights
    from nmt.translation.translation import Translation
    from nmt.translation.translator import Translator

SAVED_DPI = 160
CARD_DPI = 185  # twice the pixels of a card of TensorBoard: a browser shrinks such a picture well
FORMATS = ("png", "svg", "pdf")


def figure(
    attention: AttentionMap,
    *,
    kind: Shown = "cross",
    layer: int | None = None,
    head: int | None = None,
    words: bool = False,
    scaled: bool = False,
) -> Figure:
    """Return a figure of one large panel: the darker a cell, the more its row attends to its column.

    `layer` and `head` count from 1, as in the pictures; None means the mean of all. `words` merges pieces to words.
    A rollout goes through all layers, or through the first `layer` of them. Colours go from 0 to 1, so that they mean
    the same in every picture; with `scaled`, they go from 0 to the highest weights of this picture. Raises UserError if
    the model has no such attention, layer or head.
    """
    return draw([view(attention, kind, words=words)], layer=layer, head=head, scaled=scaled)


def overview(attention: AttentionMap, kind: Shown = "cross", *, words: bool = False, scaled: bool = False) -> Figure:
    """Return a figure of one large panel, the mean of all layers and heads, with a small panel for each head beside it.

    A model with one layer and one head, such as a recurrent one, gets the large panel only, and so does a rollout. The
    other arguments are as in `figure`.
    """
    seen, drawn = view(attention, kind, words=words), blank()
    panel, note = seen.panel()
    top, warning = scale([panel], scaled)
    heads = None if seen.weights.shape[:2] == (1, 1) or kind == "rollout" else seen.weights
    return fit(drawn, Drawing(drawn, seen, [note, warning], top).draw(panel, heads))


def draw(views: Sequence[View], *, layer: int | None = None, head: int | None = None, scaled: bool = False) -> Figure:
    """Return a figure with a panel for each view, side by side. The same colour means the same weight in all panels.

    `layer` and `head` are as in `figure`. With `scaled`, colours go to the highest weights of all views. Raises
    UserError if a view has no such layer or head.
    """
    from matplotlib.transforms import Bbox

    panels = [seen.panel(layer, head) for seen in views]
    top, warning = scale([panel for panel, _ in panels], scaled)
    drawn = blank()
    boxes: list[Bbox] = []
    for seen, (panel, note) in zip(views, panels, strict=True):
        left = boxes[-1].x1 + GAP if boxes else 0.0
        boxes.append(Drawing(drawn, seen, [note, warning], top).draw(panel, left=left))
    return fit(drawn, Bbox.union(boxes))


def card(seen: View) -> Figure:
    """Return a small figure of the mean of a view, which can be read in a card of TensorBoard."""
    drawn = blank()
    panel, note = seen.panel()
    fit(drawn, Drawing(drawn, seen, [note], 1.0).draw_card(panel), CARD_EDGE).set_dpi(CARD_DPI)
    return drawn


def save(
    attention: AttentionMap,
    path: str | Path,
    *,
    kind: Shown = "cross",
    layer: int | None = None,
    head: int | None = None,
    words: bool = False,
    scaled: bool = False,
) -> None:
    """Write the map to `path`: a picture (.png, .svg, .pdf), or all data (.json).

    The picture is that of `figure` if a layer or a head is given, else that of `overview`. The file is complete or not
    written at all. Raises UserError for another suffix, a folder that does not exist, a model without attention, and a
    kind, layer or head that the model does not have. Raises OSError for a full disk.
    """
    path = Path(path)
    suffix = path.suffix.lower().removeprefix(".")
    if suffix not in (*FORMATS, "json"):
        expected = "expected .png, .svg or .pdf (a picture) or .json (the data)"
        raise UserError(f"attention map {path}: got the suffix '{path.suffix}', {expected}; rename the file")
    if not path.parent.is_dir():
        raise UserError(f"attention map {path}: the folder {path.parent} does not exist; make it or choose another")
    if not attention.kinds:
        raise UserError(f"attention map {path}: this model has no attention to write; use a model with attention")
    if suffix == "json":
        write_atomically(path, attention.to_json().encode())
        return
    if layer is None and head is None:
        drawn = overview(attention, kind, words=words, scaled=scaled)
    else:
        drawn = figure(attention, kind=kind, layer=layer, head=head, words=words, scaled=scaled)
    save_figure(drawn, path)


def save_figure(drawn: Figure, path: Path) -> None:
    """Write a figure to a picture, whose format is the suffix of `path`."""
    write_atomically(path, content(drawn, path.suffix.lower()[1:]))


def content(drawn: Figure, format: str = "png") -> bytes:
    """Return the content of a picture file of a figure."""
    picture = BytesIO()
    drawn.savefig(picture, format=format, dpi=SAVED_DPI)
    return picture.getvalue()


def scale(panels: Sequence[Weights], scaled: bool) -> tuple[float, str]:
    """Return the weight that gets the darkest colour in pictures of `panels` (R, C), and a warning if it is not 1."""
    if not scaled:
        return 1.0, ""
    top = max(map(darkest, panels))
    return top, f"colours only for {'this picture' if len(panels) == 1 else 'these pictures'}: 0 to {top:.2f}"


def darkest(weights: Weights) -> float:
    """Return the weight that gets the darkest colour if a picture has a scale of its own.

    It is the 90 % quantile of the highest weights of the rows: a few rows with almost all weight in one place, such as
    the end of the sentence, would make all others pale. It is at least twice the weight of uniform attention, so that
    uniform attention does not look certain.
    """
    highest = float(np.quantile(weights.max(axis=-1), 0.9))
    return min(1.0, max(highest, 2.0 / float(weights.shape[-1])))


def save_attention_maps(translator: Translator, translations: Sequence[Translation], folder: Path) -> None:
    """Write the attention map of every translation as `<n>.json`, and cross attention also as `<n>.png`.

    The folder is made if needed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for number, attention_map in attention_maps(translator, translations).items():
        save(attention_map, folder / f"{number}.json")
        if attention_map.cross is not None:
            save(attention_map, folder / f"{number}.png")
