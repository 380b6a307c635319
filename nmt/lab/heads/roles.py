"""Roles of attention heads: the token with the highest weight, by its place or its rarity.

Voita et al. 2019, "Analyzing Multi-Head Self-Attention: Specialized Heads Do the Heavy Lifting, the Rest Can Be Pruned"
(arXiv:1905.09418, section 5), call a head positional if its highest weight is on the previous or on the next token in
at least 90 % of the cases, and find heads that look at the rarest token of the sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import torch
from torch import Tensor

from nmt.attention_map import AttentionMap, Kind
from nmt.lab.attention.measures import allowed

ROLES = ("previous", "same", "next", "rare", "end")
LEAST_SHARE = 0.5  # of the rows: a head with less has no role


def roles(maps: Sequence[AttentionMap], kind: Kind, frequencies: Mapping[str, int] | None) -> dict[str, Tensor]:
    """Return for each of `ROLES` the share (L, H) of the rows whose highest weight is on that token.

    - `previous`, `same`, `next`: the token before, at or after the place of the row. Cross attention has none of them,
      and decoder self-attention has no next token.
    - `rare`: the rarest token that the row may attend to, except `</s>` and `<s>`. `frequencies` counts the labels of
      the attended tokens, as in the training text; a label that is not in it is rarest. None leaves this role out.
    - `end`: `</s>`; in decoder self-attention `<s>`.

    A row counts only if it has such a token and may attend to more than one token. A role that no row can have is not
    in the result. All maps are from one model.
    """
    found: dict[str, list[Tensor]] = {}
    for each in maps:
        for name, rows, wanted in _wanted(each, kind, frequencies):
            top: Tensor = getattr(each, kind)[:, :, rows].argmax(-1)  # (L, H, R')
            found.setdefault(name, []).append(wanted[rows].expand(*top.shape, -1).gather(-1, top[..., None])[..., 0])
    return {name: torch.cat(found[name], dim=-1).double().mean(-1) for name in ROLES if name in found}


def role(shares: Mapping[str, float]) -> str | None:
    """Return the role with the highest share, None if this is less than half of the rows."""
    best = max(shares, key=lambda name: shares[name], default=None)
    return best if best is not None and shares[best] >= LEAST_SHARE else None


def _wanted(
    attention: AttentionMap, kind: Kind, frequencies: Mapping[str, int] | None
) -> Iterator[tuple[str, Tensor, Tensor]]:
    """Yield a role, the mask (R,) of the rows that count, and the mask (R, C) of the tokens that have the role."""
    columns = attention.columns(kind)
    mask = allowed(attention, kind)
    special = torch.tensor([piece.is_special for piece in columns])
    candidates = {"end": mask & special}
    if frequencies is not None:
        candidates["rare"] = _rarest([piece.mark or piece.label for piece in columns], mask & ~special, frequencies)
    if kind != "cross":
        for name, distance in (("previous", -1), ("same", 0), ("next", 1)):
            candidates[name] = torch.ones_like(mask).tril(distance).triu(distance) & mask
    for name, wanted in candidates.items():
        rows = (mask.sum(-1) > 1) & wanted.any(-1)
        if rows.any():
            yield name, rows, wanted


def _rarest(labels: Sequence[str], mask: Tensor, frequencies: Mapping[str, int]) -> Tensor:
    """Return the mask (R, C) of the columns in `mask` with the lowest frequency of their row."""
    counts = torch.tensor([frequencies.get(label, 0) for label in labels], dtype=torch.float64)
    shown = counts.expand(mask.shape).masked_fill(~mask, torch.inf)
    return (shown == shown.amin(-1, keepdim=True)) & mask
