"""Figures of attention maps: how sharp each head is, how evenly it reads, and where it looks.

Legend: L layers, H heads, R rows (queries), C columns (tokens that a row may attend to), w(r, c) the weights.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

import torch
from torch import Tensor

from nmt.attention_map import AttentionMap, Kind
from nmt.tokens import WORD_MARK, Piece

SHARP = 0.99  # a row with a higher weight is sharp
TINY = 1e-30  # instead of a divisor that is 0


def measures(maps: Sequence[AttentionMap], kind: Kind) -> dict[str, Tensor]:
    """Return the figures of one kind of attention, each as (L, H) in float64, over all maps together.

    - `entropy`: of a row in nats, -sum_c w log w; `relative_entropy` divides it by the largest possible, the logarithm
      of the number of tokens that the row may attend to. 0: all weight on one token, 1: the same weight on each.
    - `sharp`: the share of rows with a weight above 0.99.
    - `coverage_deviation`: how unevenly the columns are read, the mean over columns of |1 - C/R sum_r w(r, c)|. 0: each
      token gets the same attention; near 2: one token gets all. It follows the coverage deviation penalty of Rikters
      and Fishel 2017 (arXiv:1710.03743), which compares each sum with 1 instead of with the mean.
    - `diagonality`: 1 minus the mean distance between a row and the tokens that it attends to, as a share of the
      largest distance possible (Zhang et al. 2020, arXiv:2011.04906). Rows and columns both have positions from 0 to 1,
      so that sentences of different lengths have a diagonal too. 1: all weight on the diagonal.
    - `special`: the share of attention on `</s>`, or on `<s>` in decoder self-attention.
    - `punctuation`: the share of attention on tokens of punctuation marks only.

    All but the coverage deviation are means over the rows of all maps. A row that may attend to one token only has no
    choice and does not count, such as the first row of decoder self-attention. The coverage deviation is a mean over
    maps. If no map has a row that counts, the result is empty. All maps are from one model.
    """
    found = [_measures(each, kind) for each in maps if allowed(each, kind).sum(-1).max() > 1]
    if not found:
        return {}
    return {name: torch.cat([each[name] for each in found], dim=-1).mean(-1) for name in found[0]}


def scalars(maps: Sequence[AttentionMap]) -> dict[str, float]:
    """Return the figures of every kind, layer and head: "cross/entropy/layer1.head2", counted from 1."""
    kinds = maps[0].kinds if maps else ()
    return {
        f"{kind}/{name}/layer{layer}.head{head}": value
        for kind in kinds
        for name, values in measures(maps, kind).items()
        for layer, heads in enumerate(values.tolist(), start=1)
        for head, value in enumerate(heads, start=1)
    }


def allowed(attention: AttentionMap, kind: Kind) -> Tensor:
    """Return the mask (R, C) that is True where a row may attend to a column."""
    rows, columns = map(len, attention.axes(kind))
    mask = torch.ones(rows, columns, dtype=torch.bool)
    return mask.tril() if kind == "decoder_self" else mask


def _measures(attention: AttentionMap, kind: Kind) -> dict[str, Tensor]:
    """Return the figures (L, H, R') of one map. R' are the rows with a choice, or 1 for the coverage deviation."""
    weights: Tensor = getattr(attention, kind).double()
    weights = weights / weights.sum(-1, keepdim=True).clamp(min=TINY)  # the rows of local_p sum to less than 1
    mask = allowed(attention, kind)
    choices = mask.sum(-1)  # (R,)
    counted = choices > 1
    columns = attention.columns(kind)
    rows = weights[:, :, counted]
    entropy = torch.special.entr(rows).sum(-1)
    distance = _distances(mask)[counted]  # (R', C)
    return {
        "entropy": entropy,
        "relative_entropy": entropy / choices[counted].log(),
        "sharp": (rows.amax(-1) > SHARP).double(),
        "coverage_deviation": (1 - weights.mean(2) * len(columns)).abs().mean(-1, keepdim=True),
        "diagonality": 1 - (rows * distance).sum(-1),
        "special": rows[..., torch.tensor([piece.is_special for piece in columns])].sum(-1),
        "punctuation": rows[..., torch.tensor(are_punctuation(columns))].sum(-1),
    }


def _distances(mask: Tensor) -> Tensor:
    """Return the distance (R, C) of rows and columns, as a share of the largest that the mask allows in the row."""
    down, across = (torch.linspace(0, 1, count, dtype=torch.float64) for count in mask.shape)
    distance = (down[:, None] - across).abs() * mask
    return distance / distance.amax(-1, keepdim=True)


def are_punctuation(pieces: Sequence[Piece]) -> list[bool]:
    """Return for each piece whether it has only punctuation marks.

    All bytes of such a mark count as the mark, and so does the space before it, which can be a piece of its own.
    """
    found: list[bool] = []
    for piece in pieces:
        text = piece.label.replace(WORD_MARK, "")
        mark = bool(text) and all(unicodedata.category(char)[0] == "P" for char in text)
        found.append(found[-1] if piece.continues and found else mark)
    after = [*found[1:], False]
    return [after[i] if piece.label == WORD_MARK else found[i] for i, piece in enumerate(pieces)]
