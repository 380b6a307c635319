"""The global attention of Luong, Pham, Manning 2015 (arXiv:1508.04025), and the factor of unbounded scores."""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor, nn

from nmt.errors import ParameterError
from nmt.models.attention.additive import AdditiveAttention
from nmt.models.attention.base import Attention, AttentionMemory, AttentionWrapper, QueryState
from nmt.models.attention.normalizers import Normalizer
from nmt.models.interface import State
from nmt.parameters import checked

Scale = Literal["none", "sqrt", "learned"]


def make_factor(scale: Scale, width: int) -> nn.Parameter | float:
    """Return the factor of scores that sum over `width` terms.

    It is 1 for "none"; 1 / sqrt(width) for "sqrt" (arXiv:1706.03762, eq. 1); a parameter that begins at 1 / sqrt(width)
    for "learned". Without a factor the scores become so large that the attention soon looks at one token only.
    """
    if scale == "none":
        return 1.0
    return nn.Parameter(torch.tensor(width**-0.5)) if scale == "learned" else width**-0.5


def require_equal_widths(query_width: int, memory_width: int) -> None:
    """Raise ValueError if the widths differ."""
    if query_width != memory_width:
        raise ValueError(
            f"got a decoder of width {query_width} and a memory of width {memory_width}, expected equal widths for a "
            f"score without a matrix; make them equal, or use general, additive, location or multihead"
        )


@checked
class DotAttention(Attention[None]):
    """score = f h_t^T h_s with the factor f of `make_factor`.

    "dot" of arXiv:1508.04025, section 3.1, has no factor; scaled dot product attention (arXiv:1706.03762, eq. 1) has
    f = 1 / sqrt(width). Raises ValueError if decoder and memory have different widths.
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

    def score(self, query: Tensor, memory: AttentionMemory, state: None) -> Tensor:
        return query @ memory.keys.transpose(1, 2)


@checked
class GeneralAttention(Attention[None]):
    """score = f h_t^T W h_s: "general" of arXiv:1508.04025, section 3.1, times the factor f of `make_factor`.

    The paper has no factor (`scale` "none").
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

    def score(self, query: Tensor, memory: AttentionMemory, state: None) -> Tensor:
        return query @ memory.keys.transpose(1, 2)


@checked
class LuongAttention(AttentionWrapper[State | None]):
    """Global attention whose query is the current state h_t (arXiv:1508.04025, section 3.1, eq. 7).

    `score` is one of the paper's three: "dot" (`DotAttention`), "general" (`GeneralAttention`), or "concat"
    (`AdditiveAttention`, with as many hidden units as h_t has). `scale` is the factor of the first two; None is "sqrt",
    and the paper has "none".

    Raises ParameterError for "concat" with a scale, and ValueError for "dot" if decoder and memory have different
    widths.
    """

    def __init__(
        self,
        query_width: int,
        memory_width: int,
        score: Literal["dot", "general", "concat"] = "general",
        scale: Scale | None = None,
        normalizer: Normalizer = "softmax",
    ) -> None:
        if score == "concat" and scale not in (None, "none"):
            raise ParameterError(
                "scale", f"got '{scale}' with the score 'concat', whose size its tanh bounds, expected 'none' or null"
            )
        scores: Attention[Any]
        if score == "concat":
            scores = AdditiveAttention(query_width, memory_width, None, "current", normalizer)
        else:
            kind = DotAttention if score == "dot" else GeneralAttention
            scores = kind(query_width, memory_width, scale or "sqrt", "current", normalizer)
        super().__init__(scores)
