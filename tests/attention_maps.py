# ruff: noqa: RUF001 - wide letters and digits
"""Attention maps with random weights, for tests of the map and of its pictures."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from nmt.attention_map import AttentionMap, Origin
from nmt.models.interface import AttentionWeights
from nmt.tokens import Piece

ENGLISH = ["▁A", "▁man", ",", "▁in", "▁a", "▁red", "▁shirt", ",", "▁ride", "s", "▁a", "▁bike", ".", "</s>"]
GERMAN = ["▁Ein", "▁Mann", "▁in", "▁einem", "▁rot", "en", "▁Hemd", "▁fährt", "▁Fahr", "rad", ".", "</s>"]


ORIGIN = Origin("demo (Recurrent, Luong)", update=1200, score=-0.5, log_prob=-2.75)


def weights(layers: int, heads: int, rows: int, columns: int, *, causal: bool = False) -> torch.Tensor:
    scores = 2 * torch.randn(layers, heads, rows, columns, generator=torch.Generator().manual_seed(rows * columns))
    if causal:
        scores = scores.masked_fill(torch.ones(rows, columns).triu(1).bool(), -torch.inf)
    return scores.softmax(-1)


def as_pieces(labels: Sequence[Piece | str]) -> list[Piece]:
    return [label if isinstance(label, Piece) else Piece(label) for label in labels]


def make_map(source: Sequence[Piece | str], target: Sequence[Piece | str], **kinds: Tensor) -> AttentionMap:
    """Return the map with the given `cross`, `encoder_self` and `decoder_self`, each (L, H, R, C)."""
    batch = AttentionWeights(**{kind: values.unsqueeze(0) for kind, values in kinds.items()})
    sides = {"source_pieces": as_pieces(source), "target_pieces": as_pieces(target)}
    return AttentionMap.from_weights(batch, **sides, source="the source", target="das Ziel", origin=ORIGIN)


def make(
    source: Sequence[Piece | str] = ENGLISH, target: Sequence[Piece | str] = GERMAN, layers: int = 2, heads: int = 3
) -> AttentionMap:
    s, t = len(source), len(target)
    return make_map(
        source,
        target,
        cross=weights(layers, heads, t, s),
        encoder_self=weights(layers, heads, s, s),
        decoder_self=weights(layers, heads, t, t, causal=True),
    )


def later(*labels: str) -> list[Piece]:
    """Pieces that continue the character of the piece before them."""
    return [Piece(label, continues=True) for label in labels]


WORDS: list[tuple[list[Piece | str], list[str]]] = [  # pieces and the words that they make
    (ENGLISH, ["A", "man,", "in", "a", "red", "shirt,", "rides", "a", "bike.", "</s>"]),
    (["▁", "🍕", *later("<9F>", "<8D>", "<95>"), "!", "▁x"], ["🍕!", "x"]),
    (["▁caf", "é", *later("<A9>"), "s", "</s>"], ["cafés", "</s>"]),
    (["▁a", "<FF>", *later("<9F>")], ["a<FF>"]),
    (
        ["▁", "私", "は", "▁", "Python", "が", "好き", "です", "。", "</s>"],
        ["私", "は", "Python", "が", "好き", "です", "。", "</s>"],
    ),
    (["▁我们", "用", "GPU", "s", "训练"], ["我们", "用", "GPUs", "训练"]),
    (["▁Ｐ", "Ｄ", "Ｆ", "를", "▁２", "５", "개", "！"], ["ＰＤＦ를", "２５개", "！"]),
    (["▁สวัส", "ดี", "▁ครับ"], ["สวัส", "ดี", "ครับ"]),
    (["ne", "xt", "▁", "</s>"], ["next", "▁", "</s>"]),
    (["</s>"], ["</s>"]),
    (
        ["▁a", "ー", "b", "ｱ", "▁𠮷", "野", "魚", *later("<AD>", "<9A>"), "s"],
        ["a", "ー", "b", "ｱ", "𠮷", "野", "魚", "s"],
    ),
]
