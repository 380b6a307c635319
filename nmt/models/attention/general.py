"""Bilinear attention: a dot product with a matrix between query and memory."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from nmt.models.attention.base import Attention, AttentionMemory, QueryState
from nmt.models.attention.factor import Scale, make_factor
from nmt.models.attention.normalizers import Normalizer


class GeneralAttention(Attention):
    """score = f h_t^T W h_s: "general" of arXiv:1508.04025, section 3.1, times a factor f.

    The paper has no factor (`scale` "none"). Without one the scores become large, and the attention soon looks at one
    token only. `nmt.models.attention.factor` has the choices.
    """

    def __init__(
        self,
        query_width: int,
        memory_width: int,
        scale: Scale = "sqrt",
        query_state: QueryState = "current",
        normalizer: Normalizer = "softmax",
    ) -> None:
        super().__init__(query_width, memory_width, query_state=query_state, normalizer=normalizer)
        self.factor = make_factor(scale, query_width)
        self.key_projection = nn.Linear(memory_width, query_width, bias=False)  # W

    def project_keys(self, memory: Tensor) -> Tensor:
        keys: Tensor = self.key_projection(memory) * self.factor
        return keys

    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        return query @ memory.keys.transpose(1, 2)
