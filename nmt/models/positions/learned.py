"""Positions with a learned table: of places (arXiv:1705.03122) or of distances (arXiv:1803.02155)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from nmt.models.positions.base import Positions
from nmt.parameters import Length


class Learned(Positions):
    """Adds a learned vector for each position to the embeddings (arXiv:1705.03122, section 3.1).

    `max_length` is the number of positions and therefore the largest number of tokens of a sentence, eos included.
    """

    def __init__(self, width: int, heads: int, max_length: Length = 512) -> None:
        super().__init__(width, heads)
        self.max_length = max_length
        self.table = nn.Embedding(max_length, width)
        nn.init.normal_(self.table.weight, std=width**-0.5)

    def embed(self, x: Tensor, start: int = 0) -> Tensor:
        return x + self.table.weight[start : start + x.shape[1]].to(x.dtype)


class Relative(Positions):
    """Adds to each key a learned vector for its distance from the query (arXiv:1803.02155, section 3.1, eq. 4).

    score_ij = q_i . (k_j + a_clip(j - i, -k, k)) * scale for query i and key j; q_i . a * scale is the bias.

    Distances are clipped to `max_distance`, k in the paper, on both sides (section 3.2). All heads and layers share one
    table; the paper's base model has a table for each head and layer. The paper's second table, for values (eq. 3), is
    left out: the fused kernel cannot add it, and in the paper it does not improve on the first table alone (table 3).
    """

    def __init__(self, width: int, heads: int, max_distance: Length = 16) -> None:
        super().__init__(width, heads)
        self.max_distance = max_distance
        self.table = nn.Embedding(2 * max_distance + 1, width // heads)
        nn.init.xavier_uniform_(self.table.weight)

    def bias(self, queries: Tensor, length: int, *, start: int = 0, scale: float = 1.0) -> Tensor | None:
        products = queries @ self.table.weight.t().to(queries.dtype) * scale  # (B, H, T, 2k + 1)
        keys = torch.arange(length, device=queries.device)
        distance = keys - keys[start : start + queries.shape[2], None]  # (T, S)
        columns = distance.clamp(-self.max_distance, self.max_distance) + self.max_distance
        return products.gather(-1, columns.expand(*products.shape[:2], -1, -1))
