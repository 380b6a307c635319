"""Attention maps with random weights, for tests of the map and of its pictures."""

from __future__ import annotations

import torch

from nmt.attention_map import AttentionMap

ENGLISH = ["▁A", "▁man", ",", "▁in", "▁a", "▁red", "▁shirt", ",", "▁ride", "s", "▁a", "▁bike", ".", "</s>"]
GERMAN = ["▁Ein", "▁Mann", "▁in", "▁einem", "▁rot", "en", "▁Hemd", "▁fährt", "▁Fahr", "rad", ".", "</s>"]


def weights(layers: int, heads: int, rows: int, columns: int, *, causal: bool = False) -> torch.Tensor:
    scores = 2 * torch.randn(layers, heads, rows, columns, generator=torch.Generator().manual_seed(rows * columns))
    if causal:
        scores = scores.masked_fill(torch.ones(rows, columns).triu(1).bool(), -torch.inf)
    return scores.softmax(-1)


def make(source: list[str] = ENGLISH, target: list[str] = GERMAN, layers: int = 2, heads: int = 3) -> AttentionMap:
    s, t = len(source), len(target)
    return AttentionMap(
        source_pieces=source,
        target_pieces=target,
        cross=weights(layers, heads, t, s),
        encoder_self=weights(layers, heads, s, s),
        decoder_self=weights(layers, heads, t, t, causal=True),
        source="the source",
        target="das Ziel",
    )


# --- words
