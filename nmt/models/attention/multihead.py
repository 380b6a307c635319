"""Multi-head attention in a recurrent decoder."""

from __future__ import annotations

import torch
from torch import Tensor

from nmt.models.attention.base import Attention, AttentionMemory, Normalizer, QueryState
from nmt.models.multihead import MultiHeadAttention
from nmt.parameters import Heads


class MultiHead(Attention[None]):
    """`heads` heads, each with its own projections: Concat(head_1, ..., head_H) W^O (arXiv:1706.03762, section 3.2.2).

    head_i = softmax(q k^T / sqrt(d)) v with q = h_t W^Q_i, k = h_s W^K_i, v = h_s W^V_i and d = query width / heads. So
    the context is as wide as the query. Raises ParameterError if `heads` does not divide the width of the query.
    """

    def __init__(
        self,
        query_width: int,
        memory_width: int,
        heads: Heads = 8,
        query_state: QueryState = "current",
        normalizer: Normalizer = "softmax",
    ) -> None:
        super().__init__(query_width, memory_width, query_state=query_state, normalizer=normalizer)
        self.attention = MultiHeadAttention(query_width, heads, memory_width=memory_width)
        self.heads = heads
        self.context_width = query_width

    def prepare(self, memory: Tensor, mask: Tensor) -> AttentionMemory:
        """Return keys and values (B, H, S, d) of `memory` (B, S, D)."""
        keys, values = (part.contiguous() for part in self.attention.project(memory))
        return AttentionMemory(values, keys, mask)

    def project_keys(self, memory: Tensor) -> Tensor:
        """Return keys (B, H, S, d)."""
        return self.attention.project(memory)[0]

    def score(self, query: Tensor, memory: AttentionMemory, state: None) -> Tensor:
        """Return scores (B, H, Q, S)."""
        queries = self.attention.project_query(query)
        products = queries @ memory.keys.transpose(2, 3)
        return products * self.attention.scale

    def weigh(self, query: Tensor, memory: AttentionMemory, state: None, allowed: Tensor) -> Tensor:
        scores = self.score(query, memory, state)
        masked = scores.masked_fill(~allowed.unsqueeze(1), -torch.inf)
        return self.reweigh(self.normalize(masked), query, memory, state)

    def read(self, weights: Tensor, memory: AttentionMemory) -> Tensor:
        return self.attention.join(weights @ memory.values)
