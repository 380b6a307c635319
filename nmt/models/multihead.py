"""Multi-head scaled dot-product attention."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from nmt.errors import ParameterError
from nmt.models.positions.functions import rotate


class MultiHeadAttention(nn.Module):
    """Attention of `heads` heads, each `width / heads` wide (arXiv:1706.03762, section 3.2).

    `scale_scores` divides the scores by the root of the head width (eq. 1); `rotary` turns queries and keys by their
    positions. Without `need_weights` the fused kernel runs; with it the weights are computed and returned.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        memory_width: int | None = None,
        dropout: float = 0.0,
        scale_scores: bool = True,
        rotary: bool = False,
    ) -> None:
        super().__init__()
        if heads < 1 or width % heads:
            raise ParameterError("heads", f"got {heads}, expected a number that divides the width {width}")
        if rotary and (width // heads) % 2:
            raise ParameterError(
                "positions", f"rotary needs an even head width, got {width} / {heads} = {width // heads}"
            )
        self.heads = heads
        self.dropout = dropout
        self.scale = (width // heads) ** -0.5 if scale_scores else 1.0
        self.rotary = rotary
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(memory_width or width, 2 * width)
        self.output = nn.Linear(width, width)
        for projection in (self.query, self.key_value, self.output):
            nn.init.xavier_uniform_(projection.weight)
            nn.init.zeros_(projection.bias)

    def forward(
        self,
        query: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        *,
        causal: bool = False,
        need_weights: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Return what `query` (B, T, D) reads from `memory` (B, S, D), and the weights (B, H, T, S) if asked for.

        `mask` (B, S) is True where a key may be attended; `causal` hides keys after the query's own position.
        """
        keys, values = self.project(memory)
        return self.attend(query, keys, values, mask, causal=causal, need_weights=need_weights)

    def project(self, memory: Tensor, start: int = 0) -> tuple[Tensor, Tensor]:
        """Return the keys and values (B, H, S, D / H) of `memory` (B, S, D), whose first position is `start`."""
        keys, values = self.key_value(memory).chunk(2, dim=-1)
        keys = self._split(keys)
        return (rotate(keys, start) if self.rotary else keys), self._split(values)

    def attend(
        self,
        query: Tensor,
        keys: Tensor,
        values: Tensor,
        mask: Tensor | None = None,
        *,
        start: int = 0,
        causal: bool = False,
        need_weights: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Attend with projected keys and values; `start` is the position of the first query."""
        queries = self._split(self.query(query))
        if self.rotary:
            queries = rotate(queries, start)
        if mask is not None:
            mask = mask[:, None, None, :]  # (B, 1, 1, S)
        dropout = self.dropout if self.training else 0.0
        weights = None
        if need_weights:
            weights = attention_weights(queries, keys, mask, causal=causal, scale=self.scale)
            context = nn.functional.dropout(weights, dropout) @ values
        else:
            context = nn.functional.scaled_dot_product_attention(
                queries, keys, values, mask, dropout_p=dropout, is_causal=causal, scale=self.scale
            )
        return self.output(context.transpose(1, 2).flatten(2)), weights

    def _split(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)  # (B, S, D) -> (B, H, S, D / H)


def attention_weights(
    queries: Tensor, keys: Tensor, mask: Tensor | None, *, causal: bool, scale: float, fill: float = float("-inf")
) -> Tensor:
    """Return softmax(scale * Q K^T) (B, H, T, S), exactly 0 where `mask` is False or, if `causal`, in the future."""
    scores = queries @ keys.transpose(-2, -1) * scale
    if mask is not None:
        scores = scores.masked_fill(~mask, fill)
    if causal:
        future = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(1)
        scores = scores.masked_fill(future, fill)
    return scores.softmax(-1)
