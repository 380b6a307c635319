"""Attention by the angle or the distance between query and memory."""

from __future__ import annotations

from typing import Annotated, Literal

import torch
from torch import Tensor, nn

from nmt.models.attention.base import (
    Attention,
    AttentionMemory,
    Normalizer,
    QueryState,
    Scale,
    make_factor,
    require_equal_widths,
)
from nmt.parameters import Range


class CosineAttention(Attention[None]):
    """score = f cos(h_t, h_s), as in the content-based addressing of arXiv:1410.5401, section 3.3.1, eq. 5 and 6.

    The learned factor f is the inverse of a temperature. In the paper, f comes from the controller; here it is a
    parameter that begins at `factor`. Cosines lie between -1 and 1, so without the factor all weights would be nearly
    equal. Raises ValueError if decoder and memory have different widths.
    """

    def __init__(
        self,
        query_width: int,
        memory_width: int,
        factor: Annotated[float, Range(above=0)] = 10.0,
        query_state: QueryState = "current",
        normalizer: Normalizer = "softmax",
    ) -> None:
        super().__init__(query_width, memory_width, query_state=query_state, normalizer=normalizer)
        require_equal_widths(query_width, memory_width)
        self.factor = nn.Parameter(torch.tensor(float(factor)))

    def project_keys(self, memory: Tensor) -> Tensor:
        norms = _norms(memory)
        return memory / norms * self.factor

    def score(self, query: Tensor, memory: AttentionMemory, state: None) -> Tensor:
        norm = _norms(query)
        return query / norm @ memory.keys.transpose(1, 2)


def _norms(vectors: Tensor) -> Tensor:
    """Return the Euclidean norm (..., 1) of each vector, with a tiny number in place of 0."""
    norms: Tensor = torch.linalg.vector_norm(vectors, dim=-1, keepdim=True)
    return norms.clamp_min(1e-12)


class DistanceAttention(Attention[None]):
    """score = -f |h_t - h_s|, with the factor f of `make_factor`.

    `distance` "euclidean" is the root of the sum of squares, sqrt(sum_i (h_ti - h_si)^2); "manhattan" is the sum of
    absolute values, sum_i |h_ti - h_si|. The first grows with the root of the width, and the second with the width.
    No paper on translation uses these scores. Raises ValueError if decoder and memory have different widths.
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
        # By default torch may compute Euclidean distances by products. This loses digits, and more in larger batches.
        distances = torch.cdist(query, memory.keys, p=self.norm, compute_mode="donot_use_mm_for_euclid_dist")
        return -self.factor * distances
