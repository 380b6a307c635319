"""Dot product attention, scaled or not."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from nmt.models.attention.base import Attention, AttentionMemory, QueryState
from nmt.models.attention.factor import Scale, make_factor, require_equal_widths
from nmt.models.attention.normalizers import Normalizer


class DotAttention(Attention):
    """score = f h_t^T h_s, with the factor f of `nmt.models.attention.factor`.

    "dot" of arXiv:1508.04025, section 3.1, has no factor; scaled dot product attention (arXiv:1706.03762, eq. 1) has
    f = 1 / sqrt(width). Without a factor the scores become large, and the attention soon looks at one token only.
    Raises ValueError if decoder and memory have different widths.
    """

    def __init__(
        self,
        query_width: int,
        memory_width: int,
        scale: Scale = "none",
        query_state: QueryState = "current",
        normalizer: Normalizer = "softmax",
    ) -> None:
        super().__init__(query_width, memory_width, query_state=query_state, normalizer=normalizer)
        require_equal_widths(query_width, memory_width)
        self.factor = make_factor(scale, query_width)

    def project_keys(self, memory: Tensor) -> Tensor:
        return memory * self.factor  # so the factor is applied once, not in each step

    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        return query @ memory.keys.transpose(1, 2)
