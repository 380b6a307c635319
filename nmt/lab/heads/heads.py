"""The profile of each attention head: figures, role, the score lost without it; as values and as a picture."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any

from nmt.attention_map import AttentionMap, Kind
from nmt.data.encoded import encode
from nmt.data.pair import SentencePair
from nmt.data.tokenizer import Tokenizer
from nmt.errors import printable
from nmt.lab.attention.measures import measures
from nmt.lab.heads.importance import Head
from nmt.lab.heads.roles import role, roles

if TYPE_CHECKING:
    from matplotlib.figure import Figure

CELL = (1.15, 0.62)  # inches of a head
COUNTED_PAIRS = 100_000  # of the training, for the frequencies of pieces
KINDS: tuple[Kind, ...] = ("encoder_self", "decoder_self", "cross")  # from left to right


def heads_figure(found: Sequence[Profile], title: str, legend: str) -> Figure:
    """Return a figure with one panel for each kind of attention: heads across, layers down, layer 1 at the bottom.

    The colours have one scale, from 0 (or the lowest value, if that is negative) to the highest value; `legend` names
    it.
    """
    from matplotlib.figure import Figure

    measured = any(each.lost is not None for each in found)
    cells = [(each.head, *(each.shown_loss() if measured else each.shown_share())) for each in found]
    kinds = [kind for kind in KINDS if any(head.kind == kind for head, _, _ in cells)]
    layers, heads = max(head.layer for head, _, _ in cells), max(head.head for head, _, _ in cells)
    width = len(kinds) * heads * CELL[0] + 2.2
    figure = Figure(figsize=(max(width, 4.5), layers * CELL[1] + 1.5), dpi=110, layout="constrained")
    known = [value for _, _, value in cells if not math.isnan(value)]
    low, high = min(0.0, *known), max(1e-9, *known)
    panels = figure.subplots(1, len(kinds), squeeze=False)[0]
    for kind, axes in zip(kinds, panels, strict=True):
        values = [[float("nan")] * heads for _ in range(layers)]
        for head, text, value in (cell for cell in cells if cell[0].kind == kind):
            values[head.layer - 1][head.head - 1] = value
            dark = (value - low) / (high - low) > 0.6
            style = {"ha": "center", "va": "center", "fontsize": 8, "color": "white" if dark else "black"}
            axes.text(head.head, head.layer, text, **style)
        axes.imshow(
            values, cmap="Blues", vmin=low, vmax=high, aspect="auto", origin="lower",
            extent=(0.5, heads + 0.5, 0.5, layers + 0.5),
        )  # fmt: skip
        axes.set(title=kind, xlabel="head", ylabel="layer", xticks=range(1, heads + 1), yticks=range(1, layers + 1))
    # A name may have characters that are formulas to matplotlib.
    figure.colorbar(panels[0].images[0], ax=list(panels)).set_label(printable(legend), parse_math=False)
    figure.suptitle(printable(title), parse_math=False)
    return figure


@dataclass(frozen=True)
class Profile:
    """The profile of a head: its `role` or None, its shares of each role, its figures, and the `lost` score or None."""

    head: Head
    role: str | None
    shares: Mapping[str, float]
    measures: Mapping[str, float]
    lost: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        plain = asdict(self)
        return {**plain.pop("head"), **plain}

    def shown_loss(self) -> tuple[str, float]:
        """Return the text of the head in a picture of lost scores, and its value: NaN if it cannot be left out."""
        number = "" if self.lost is None else f"{self.lost:+.1f}"
        return "\n".join(filter(None, (self.role, number))), math.nan if self.lost is None else self.lost

    def shown_share(self) -> tuple[str, float]:
        """Return the text of the head in a picture of roles, and its value: the share of the role."""
        best = max(self.shares, key=lambda name: self.shares[name], default=None)
        share = 0.0 if best is None else self.shares[best]
        return "\n".join(filter(None, (self.role, f"{100 * share:.0f} %"))), share


def profiles(
    maps: Sequence[AttentionMap], frequencies: Mapping[str, Mapping[str, int]] | None, lost: Mapping[Head, float]
) -> list[Profile]:
    """Return the profile of every head, by kind, layer and number.

    `frequencies` are the frequencies of source and target pieces, or None; see `nmt.lab.heads.roles`. `lost` are the
    scores lost without each head, empty if they were not measured. There is at least one map, and all maps are from one
    model.
    """
    found = []
    for kind in (kind for kind in KINDS if kind in maps[0].kinds):
        side = "target" if kind == "decoder_self" else "source"
        shares = roles(maps, kind, None if frequencies is None else frequencies[side])
        figures = measures(maps, kind)
        layers, heads = getattr(maps[0], kind).shape[:2]
        for layer in range(layers):
            for number in range(heads):
                head = Head(kind, layer + 1, number + 1)
                own = {name: float(values[layer, number]) for name, values in shares.items()}
                found.append(
                    Profile(
                        head,
                        role(own),
                        own,
                        {name: float(values[layer, number]) for name, values in figures.items()},
                        lost.get(head),
                    )
                )
    return found


def count_pieces(pairs: Iterable[SentencePair], tokenizer: Tokenizer) -> dict[str, Counter[str]]:
    """Return how often each piece occurs in the first 100,000 pairs, as "source" and "target"."""
    counts: dict[str, Counter[str]] = {"source": Counter(), "target": Counter()}
    for pair in islice(pairs, COUNTED_PAIRS):
        (ids,) = encode([pair], tokenizer)
        counts["source"].update(piece.label for piece in tokenizer.source_pieces(ids.source))
        counts["target"].update(piece.label for piece in tokenizer.target_pieces(ids.target))
    return counts
