"""The head of a Transformer whose cross attention agrees most with a statistical word aligner.

Engines that return the attention of one head only (for word alignments) then return that of this one. The aligner is
IBM Model 1 (Brown et al. 1993) with a preference for the diagonal (Dyer et al. 2013, fast_align), over pieces. It
learns from the pairs themselves.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from nmt.translation.stepwise import ModelTranslator
from nmt.translation.translation import Translation

ROUNDS, DIAGONAL = 5, 4.0  # of expectation and maximization; how much a link far from the diagonal is disliked
MAPS_AT_ONCE = 64  # in memory
Ids = Sequence[int]


@dataclass(frozen=True)
class AlignmentHead:
    """A head of the cross attention; `layer` and `head` count from 0.

    `agreement` is the share of target pieces whose highest weight is on the piece that the aligner chooses.
    """

    layer: int
    head: int
    agreement: float


def best_head(translator: ModelTranslator, sources: Sequence[str], targets: Sequence[str]) -> AlignmentHead:
    """Return the head that agrees most with the aligner on these pairs. The end of a sentence does not count."""
    scored = translator.score(sources, targets)
    pairs = [(each.source_part.ids[0][:-1], each.tokens[:-1]) for each in scored]
    links = align(pairs)
    parts = range(0, len(scored), MAPS_AT_ONCE)
    agreed = sum(_agreements(translator, scored[i : i + MAPS_AT_ONCE], links[i : i + MAPS_AT_ONCE]) for i in parts)
    assert isinstance(agreed, Tensor)
    layer, head = divmod(int(agreed.argmax()), agreed.shape[1])
    return AlignmentHead(layer, head, float(agreed.max()) / max(1, sum(len(target) for _, target in pairs)))


def _agreements(
    translator: ModelTranslator, translations: Sequence[Translation], links: Sequence[Sequence[int]]
) -> Tensor:
    """Return for each layer and head (L, H) the number of target pieces with the same link."""
    counts = []
    for attention, each in zip(translator.attention_maps(translations), links, strict=True):
        assert attention.cross is not None
        chosen = attention.cross[:, :, : len(each)].argmax(-1)  # (L, H, T)
        counts.append((chosen == torch.tensor(each, dtype=torch.long)).sum(-1))
    return torch.stack(counts).sum(0)


def align(pairs: Sequence[tuple[Ids, Ids]]) -> list[list[int]]:
    """Return for each piece of each target the position of the source piece that it translates."""
    table: dict[tuple[int, int], float] = defaultdict(lambda: 1.0)
    for _ in range(ROUNDS):
        counts: dict[tuple[int, int], float] = defaultdict(float)
        totals: dict[int, float] = defaultdict(float)
        for source, target in pairs:
            for place, piece in enumerate(target):
                for position, share in enumerate(_shares(table, source, piece, place / len(target))):
                    counts[source[position], piece] += share
                    totals[source[position]] += share
        table = {key: count / totals[key[0]] for key, count in counts.items()}
    return [
        [_link(table, source, piece, place / len(target)) for place, piece in enumerate(target)]
        for source, target in pairs
    ]


def _shares(table: dict[tuple[int, int], float], source: Ids, piece: int, height: float) -> list[float]:
    """Return the probability of each source position to be translated by a target piece at a relative `height`."""
    weights = [
        table[each, piece] * math.exp(-DIAGONAL * abs(position / len(source) - height))
        for position, each in enumerate(source)
    ]
    whole = sum(weights)
    return [weight / whole for weight in weights]


def _link(table: dict[tuple[int, int], float], source: Ids, piece: int, height: float) -> int:
    shares = _shares(table, source, piece, height)
    return max(range(len(shares)), key=shares.__getitem__)
