"""Attention maps as matplotlib figures, for sentences of any length. The figures do not use pyplot's global state."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from nmt.analysis.caption import metadata
from nmt.analysis.layout import darkest
from nmt.analysis.sheet import Sheet
from nmt.atomic import write_atomically
from nmt.errors import UserError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from nmt.analysis.layout import Weights
    from nmt.attention_map import AttentionMap, Kind

SAVED_DPI = 160
FORMATS = ("png", "svg", "pdf")
DESCRIPTION = {"png": "Description", "svg": "Description", "pdf": "Subject"}  # the names that the formats define


def figure(
    attention: AttentionMap,
    *,
    kind: Kind = "cross",
    layer: int | None = None,
    head: int | None = None,
    words: bool = False,
    scaled: bool = False,
    title: str | None = None,
) -> Figure:
    """Return a figure of one large panel: the darker a cell, the more its row attends to its column.

    `layer` and `head` count from 1, as in the pictures; None means the mean of all. `words` merges pieces to words.
    Colours go from 0 to 1, so that they mean the same in every picture; with `scaled`, they go from 0 to the highest
    weights of this picture. `title` replaces the first line of the caption. Raises UserError where the model has no
    such attention, layer or head.
    """
    attention, weights = _weights(attention, kind, words)
    chosen, note = _choose(weights, layer, head)
    top, note = _scale(chosen, note, scaled)
    return Sheet(attention, kind, note, top, title).draw(chosen)


def overview(
    attention: AttentionMap,
    kind: Kind = "cross",
    *,
    words: bool = False,
    scaled: bool = False,
    title: str | None = None,
) -> Figure:
    """Return a figure of one large panel, the mean of all layers and heads, with a small panel for each head beside it.

    A model with one layer and one head, such as a recurrent one, gets the large panel only. The other arguments are as
    in `figure`.
    """
    attention, weights = _weights(attention, kind, words)
    chosen, note = _choose(weights, None, None)
    top, note = _scale(chosen, note, scaled)
    heads = None if weights.shape[:2] == (1, 1) else weights
    return Sheet(attention, kind, note, top, title).draw(chosen, heads)


def card(attention: AttentionMap) -> Figure:
    """Return a small figure of the mean cross attention between words, which can be read in a card of TensorBoard."""
    attention, weights = _weights(attention, "cross", words=True)
    chosen, note = _choose(weights, None, None)
    return Sheet(attention, "cross", note, 1.0).draw_card(chosen)


def save(
    attention: AttentionMap, path: str | Path, *, kind: Kind = "cross", words: bool = False, scaled: bool = False
) -> None:
    """Write the map to `path`: the picture that `overview` draws (.png, .svg, .pdf), or all data (.json).

    `kind`, `words` and `scaled` choose what the picture shows. The metadata of the file tells what the caption tells,
    and the whole sentences. The file is complete or not written at all. Raises UserError for another suffix, a folder
    that does not exist and a model without attention, and OSError for a full disk.
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
    drawn = overview(attention, kind, words=words, scaled=scaled)
    title, description = metadata(attention, kind)
    picture = BytesIO()
    drawn.savefig(picture, format=suffix, dpi=SAVED_DPI, metadata={"Title": title, DESCRIPTION[suffix]: description})
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


def _scale(weights: Weights, note: str, scaled: bool) -> tuple[float, str]:
    """Return the weight that gets the darkest colour, and the note with a warning if it is not 1."""
    if not scaled:
        return 1.0, note
    top = darkest(weights)
    return top, ", ".join(filter(None, (note, f"colours only for this picture: 0 to {top:.2f}")))
