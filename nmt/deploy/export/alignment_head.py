"""The head of a Transformer whose cross attention agrees most with a statistical word aligner.

Engines that return the attention of one head only (for word alignments) then return that of this one. The aligner
(`nmt.data.aligner`) learns from the pairs themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from nmt.data.aligner import Aligner
from nmt.translation.stepwise import ModelTranslator
from nmt.translation.translation import Translation

MAPS_AT_ONCE = 64  # in memory


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
    aligner = Aligner(pairs)
    links = [aligner.links(*pair)[0] for pair in pairs]
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
