"""The maps of two models for one sentence, side by side, with one scale of colours."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from nmt.attention_map import AttentionMap
from nmt.lab.attention.figure import SAVED_DPI, scale
from nmt.lab.attention.sheet import Sheet
from nmt.lab.attention.view import Shown, view
from nmt.system.atomic import write_atomically


def save_beside(
    maps: Sequence[AttentionMap],
    path: Path,
    *,
    kind: Shown = "cross",
    layer: int | None = None,
    head: int | None = None,
    words: bool = False,
    scaled: bool = False,
) -> None:
    """Write a PNG with a panel for each map. The same colour stands for the same weight in all panels.

    The arguments are as in `nmt.lab.attention.figure.figure`. With `scaled`, colours go to the highest weights of all
    maps.
    Raises UserError where a model has no such attention, layer or head.
    """
    from PIL import Image

    views = [view(attention, kind, words=words) for attention in maps]
    panels = [seen.panel(layer, head) for seen in views]
    top, warning = scale([panel for panel, _ in panels], scaled)
    pictures = []
    for seen, (panel, note) in zip(views, panels, strict=True):
        file = BytesIO()
        Sheet(seen, [note, warning], top).draw(panel).savefig(file, format="png", dpi=SAVED_DPI)
        pictures.append(Image.open(file))
    whole = Image.new("RGB", (sum(each.width for each in pictures), max(each.height for each in pictures)), "white")
    left = 0
    for picture in pictures:
        whole.paste(picture, (left, 0))
        left += picture.width
    file = BytesIO()
    whole.save(file, format="png")
    write_atomically(path, file.getvalue())
