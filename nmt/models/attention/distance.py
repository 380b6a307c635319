"""Attention by the distance between query and memory: the nearer, the more weight."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor

from nmt.models.attention.base import Attention, AttentionMemory, QueryState, Scale, make_factor, require_equal_widths
from nmt.models.attention.normalizers import Normalizer
from nmt.parameters import checked


@checked
class DistanceAttention(Attention[None]):
    """score = -f |h_t - h_s|, with the factor f of `make_factor`.

    `distance` "euclidean" is the root of the sum of squares, sqrt(sum_i (h_ti - h_si)^2); "manhattan" is the sum of
    absolute values, sum_i |h_ti - h_si|. The first grows with the root of the width, and the second with the width.
    With the factor 1 / sqrt(width), the second still grows with the root of the width. No paper on translation uses
    these scores.

    Raises ValueError if decoder and memory have different widths.
    """

    def __init__(
        self,
        query_width: int,
        memory_width: int,
        distance: Literal["euclidean", "manhattan"] = "euclidean",
        scale: Scale = "none",
        query_state: QueryState = "current",
        normalizer: Normalizer = "softmax",
    ) -> None:
        super().__init__(query_width, memory_width, query_state=query_state, normalizer=normalizer)
        require_equal_widths(query_width, memory_width)
        self.norm = 2.0 if distance == "euclidean" else 1.0
        self.factor = make_factor(scale, query_width)

    def project_keys(self, memory: Tensor) -> Tensor:
        return memory

    def score(self, query: Tensor, memory: AttentionMemory, state: None) -> Tensor:
        # torch's other way for Euclidean distances, by products, loses digits, and more of them in larger batches
        distances = torch.cdist(query, memory.keys, p=self.norm, compute_mode="donot_use_mm_for_euclid_dist")
        return -self.factor * distances
