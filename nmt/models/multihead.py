"""Multi-head scaled dot-product attention."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from nmt.errors import ParameterError
from nmt.models.layers import Dropout
from nmt.models.positions.base import Positions

_FEW_QUERIES, _FEW_PRODUCTS, _FEW_KEYS = 8, 400, 512


class MultiHeadAttention(nn.Module):
    """Attention with `heads` heads of width `width / heads` (arXiv:1706.03762, section 3.2).

    `scale_scores` divides the scores by the square root of the head width (eq. 1). `qk_norm` applies an RMSNorm
    (arXiv:1910.07467) to the queries of each head, and another to the keys, before positions rotate them; the heads
    share its gain. This bounds the scores. (arXiv:2010.04245 uses the L2 norm, arXiv:2302.05442 LayerNorm.) `gate`
    multiplies each number of the contexts by sigmoid(W x + b), where x is the input of the query: this is the best gate
    of arXiv:2505.06708 (position G1, for each head and element).

    Torch's fused kernel computes the result, or batched products where these are faster. With `need_weights`, the
    weights are computed explicitly and returned. Self-attention gets the `positions` of its stack as an argument of
    every call. Raises ParameterError if `heads` does not divide `width`.

    Legend: B sentences, H heads, T queries, S keys, D width.
    """

    def __init__(
        self,
        width: int,
        heads: int,
        *,
        memory_width: int | None = None,
        dropout: float = 0.0,
        scale_scores: bool = True,
        qk_norm: bool = False,
        gate: bool = False,
    ) -> None:
        super().__init__()
        require_division(width, heads)
        self.heads = heads
        self.dropout = Dropout(dropout)
        self.scale = (width // heads) ** -0.5 if scale_scores else 1.0
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(memory_width or width, 2 * width)
        self.output = nn.Linear(width, width)
        self.query_norm, self.key_norm = (nn.RMSNorm(width // heads) if qk_norm else nn.Identity() for _ in range(2))
        self.gate = nn.Linear(width, width) if gate else None
        for projection in filter(None, (self.query, self.key_value, self.output, self.gate)):
            nn.init.xavier_uniform_(projection.weight)
            nn.init.zeros_(projection.bias)

    def forward(
        self,
        query: Tensor,
        memory: Tensor,
        mask: Tensor | None = None,
        *,
        positions: Positions | None = None,
        causal: bool = False,
        need_weights: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        """Return the context (B, T, D) of `query` (B, T, D) from `memory` (B, S, memory width), and the weights.

        The weights are (B, H, T, S), or None without `need_weights`. `mask` (B, S) is True where a query may attend to
        a key. With `causal`, a query cannot attend to keys after its position.
        """
        keys, values = self.project(memory, positions)
        queries = self.project_query(query, positions)
        bias = None if positions is None else positions.bias(queries, keys.shape[2], scale=self.scale)
        dropout = self.dropout.p if self.training else 0.0
        # With dropout, torch has no kernel on a CPU, and draws its mask slowly.
        explicit = need_weights or _products_are_faster(queries, keys) or (dropout > 0 and query.device.type == "cpu")
        # The kernel is fastest with its built-in causal mask, but then it accepts no other mask.
        is_causal = causal and not explicit and mask is None and bias is None
        if not is_causal:
            length = query.shape[1]
            past = torch.ones(length, length, dtype=torch.bool, device=query.device).tril() if causal else None
            mask = _join(mask, bias, past)
        if explicit:
            weights = attention_weights(queries, keys, mask, self.scale)
            return self.join(self.dropout(weights) @ values, query), weights if need_weights else None
        contexts = _fused(queries, keys, values, mask, dropout_p=dropout, is_causal=is_causal, scale=self.scale)
        return self.join(contexts, query), None

    def project(self, memory: Tensor, positions: Positions | None = None) -> tuple[Tensor, Tensor]:
        """Return keys and values (B, H, S, D / H) of `memory` (B, S, memory width)."""
        keys, values = self.key_value(memory).chunk(2, dim=-1)
        keys = self.key_norm(self._split(keys))
        return (keys if positions is None else positions.rotate(keys)), self._split(values)

    def project_query(self, query: Tensor, positions: Positions | None = None) -> Tensor:
        """Return queries (B, H, T, D / H) of `query` (B, T, D)."""
        projected = self._split(self.query(query))
        normalized: Tensor = self.query_norm(projected)
        return normalized if positions is None else positions.rotate(normalized)

    def entry(self, x: Tensor, positions: Positions, start: int) -> Tensor:
        """Return keys and values (N, H, 1, 2 D / H), side by side, of one token x (N, D) at the position `start`."""
        keys, values = self.key_value(x).view(x.shape[0], 2, self.heads, 1, -1).unbind(1)
        return torch.cat((positions.rotate(self.key_norm(keys), start), values), dim=-1)

    def memory(self, memory: Tensor) -> tuple[Tensor, Tensor]:
        """Return transposed keys (B, H, D / H, S) and values (B, H, S, D / H) of a memory, for `read_memory`."""
        keys, values = self.project(memory)
        return keys.transpose(2, 3).contiguous(), values.contiguous()

    def read_prefix(
        self, x: Tensor, entries: Tensor, positions: Positions, *, need_weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        """Return the context (N, D) of one token x (N, D) from the `entries` (N, H, T, 2 D / H) of its prefix.

        The token is the last of the prefix. The weights are (N, H, 1, T).
        """
        start = entries.shape[2] - 1
        queries = self.query_norm(self.query(x).view(x.shape[0], self.heads, 1, -1))
        queries = positions.rotate(queries, start) * self.scale
        keys, values = entries.flatten(0, 1).chunk(2, dim=-1)
        bias = positions.bias(queries, entries.shape[2], start=start)
        if bias is not None:
            bias = bias.expand(x.shape[0], self.heads, 1, -1).flatten(0, 1)
        contexts, weights = _read(queries.flatten(0, 1), keys.transpose(1, 2), values, bias)
        out = self.output(self.gated(contexts.view(x.shape), x))
        return out, weights.view(*entries.shape[:2], 1, -1) if need_weights else None

    def read_memory(
        self, x: Tensor, keys: Tensor, values: Tensor, bias: Tensor, *, need_weights: bool
    ) -> tuple[Tensor, Tensor | None]:
        """Return the context (N, D) of one token x (N, D) of each hypothesis from the `memory` of its sentence.

        `bias` (B * H, 1, S) is -inf at padding. The weights are (N, H, 1, S).
        """
        sentences, _, head_width, length = keys.shape
        # The hypotheses of a sentence are queries to the same memory: (N, D) -> (B * H, N / B, D / H).
        queries = self.query_norm(self.query(x).view(sentences, -1, self.heads, head_width)) * self.scale
        queries = queries.transpose(1, 2).reshape(bias.shape[0], -1, head_width)
        contexts, weights = _read(queries, keys.flatten(0, 1), values.flatten(0, 1), bias)
        contexts = contexts.view(sentences, self.heads, -1, head_width).transpose(1, 2).reshape(x.shape)
        out = self.output(self.gated(contexts, x))
        weights = weights.view(sentences, self.heads, -1, length)  # (B, H, N / B, S)
        return out, weights.transpose(1, 2).reshape(x.shape[0], self.heads, 1, length) if need_weights else None

    def join(self, contexts: Tensor, query: Tensor | None = None) -> Tensor:
        """Return the output (B, T, D) for the heads' contexts (B, H, T, D / H). A gate reads `query` (B, T, D)."""
        joined: Tensor = self.output(self.gated(contexts.transpose(1, 2).flatten(2), query))
        return joined

    def gated(self, contexts: Tensor, query: Tensor | None) -> Tensor:
        """Return `contexts` (..., D), those of all heads side by side, times the gate of `query` (..., D) if any."""
        if self.gate is None:
            return contexts
        gate: Tensor = self.gate(query).sigmoid()
        return contexts * gate

    def _split(self, x: Tensor) -> Tensor:
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)  # (B, S, D) -> (B, H, S, D / H)


def attention_weights(queries: Tensor, keys: Tensor, mask: Tensor | None, scale: float) -> Tensor:
    """Return softmax(scale * Q K^T) (B, H, T, S) under a mask that broadcasts to that shape.

    A bool mask is True where a query may attend to a key. A float mask is added to the scaled scores. Weights are
    exactly 0 where the mask is False or -inf.
    """
    scores = queries @ keys.transpose(-2, -1)
    scaled = scores * scale
    if mask is None:
        return scaled.softmax(-1)
    masked = scaled.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scaled + mask
    return masked.softmax(-1)


def _fused(queries: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None, **options: Any) -> Tensor:
    """Return the contexts of torch's fused kernel, in the type of the queries.

    On a CPU it computes in float32. With bfloat16, its backward pass starts a product of oneDNN for each small block,
    and takes ten times as long or more.
    """
    if queries.device.type != "cpu" or queries.dtype != torch.bfloat16:
        return nn.functional.scaled_dot_product_attention(queries, keys, values, mask, **options)
    mask = mask.float() if mask is not None and mask.is_floating_point() else mask
    with torch.autocast("cpu", enabled=False):
        contexts = nn.functional.scaled_dot_product_attention(
            queries.float(), keys.float(), values.float(), mask, **options
        )
    return contexts.to(queries.dtype)


def _read(queries: Tensor, keys: Tensor, values: Tensor, bias: Tensor | None) -> tuple[Tensor, Tensor]:
    """Return contexts and weights for R rows of scaled queries (R, Q, d), transposed keys (R, d, S), values (R, S, d).

    A decoding step is so small that the number of calls of torch decides about its time, not that of products.
    """
    scores = torch.bmm(queries, keys) if bias is None else torch.baddbmm(bias, queries, keys)
    weights = scores.softmax(-1)
    return torch.bmm(weights, values), weights


def _products_are_faster(queries: Tensor, keys: Tensor) -> bool:
    """Return whether batched products are faster on a CPU than the fused kernel, which multiplies block by block.

    For the few queries of a decoding step, they are up to twice as fast. If oneDNN multiplies (see
    `nmt.system.process`), each block has a fixed cost, which makes the kernel up to twenty times as slow for short
    sentences. But torch has a slow path for batches of products with fewer than 400 multiplications each.
    """
    _, _, count, width = queries.shape
    if queries.device.type != "cpu" or count * keys.shape[2] * width < _FEW_PRODUCTS:
        return False
    with_onednn = torch.backends.mkldnn.matmul.fp32_precision == "bf16"  # type: ignore[attr-defined]
    return count <= _FEW_QUERIES or (with_onednn and keys.shape[2] <= _FEW_KEYS)


def require_division(width: int, heads: int) -> None:
    """Raise ParameterError if `heads` does not divide `width`."""
    if width % heads:
        raise ParameterError("heads", f"got {heads}, expected a number that divides the width {width}")


def _join(mask: Tensor | None, bias: Tensor | None, past: Tensor | None) -> Tensor | None:
    """Combine a mask (B, S), a bias (1 or B, 1 or H, T, S) and a causal mask (T, S) into one bool or float mask."""
    allowed = past
    if mask is not None:
        allowed = mask[:, None, None, :] if past is None else mask[:, None, None, :] & past  # (B, 1, 1 or T, S)
    if bias is None or allowed is None:
        return allowed if bias is None else bias
    return torch.where(allowed, bias, -torch.inf)
