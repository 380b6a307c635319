"""Global attention with a choice of scores (Luong, Pham, Manning 2015, arXiv:1508.04025)."""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor, nn

from nmt.checks import require_choice
from nmt.errors import ParameterError
from nmt.models.attention.base import Attention, AttentionMemory, additive_scores

SCORES = ("dot", "general", "concat")
SCALES = ("none", "sqrt", "learned")


class LuongAttention(Attention):
    """Global attention whose query is the current state h_t (arXiv:1508.04025, section 3.1, eq. 7).

    `score` is one of eq. 8: "dot", h_t^T h_s, for states and memory of the same width; "general", h_t^T W h_s;
    "concat", v^T tanh(W [h_t; h_s]), with as many hidden units as h_t has. The W of "concat" is stored as two matrices,
    so that W_s h_s is computed once.

    `scale` is a factor of the scores "dot" and "general", which sum over as many products as h_t is wide: "none", as in
    the paper; "sqrt", 1 / sqrt(width), as in arXiv:1706.03762, section 3.2.1; "learned", a parameter that begins at
    1 / sqrt(width). Without a factor the scores become large, and the attention soon looks at one token only.

    Raises ParameterError for another score or scale, for "dot" if the widths differ, and for "concat" with a scale.
    """

    query_state = "current"

    def __init__(
        self,
        query_width: int,
        memory_width: int,
        score: Literal["dot", "general", "concat"] = "general",
        scale: Literal["none", "sqrt", "learned"] = "none",
    ) -> None:
        super().__init__(query_width, memory_width)
        require_choice(SCORES, score=score)
        require_choice(SCALES, scale=scale)
        if score == "concat" and scale != "none":
            raise ParameterError(
                "scale", f"got '{scale}' with the score 'concat', whose size its tanh bounds, expected 'none'"
            )
        if score == "dot" and query_width != memory_width:
            raise ParameterError(
                "score",
                f"got 'dot' with a decoder of width {query_width} and a memory of width {memory_width}, expected "
                f"equal widths; make them equal or use 'general'",
            )
        self.kind = score
        self.scale = scale
        self.factor = nn.Parameter(torch.tensor(query_width**-0.5)) if scale == "learned" else query_width**-0.5
        if score != "dot":
            self.key_projection = nn.Linear(memory_width, query_width, bias=False)
        if score == "concat":
            self.query_projection = nn.Linear(query_width, query_width, bias=False)
            self.energy = nn.Linear(query_width, 1, bias=False)

    def project_keys(self, memory: Tensor) -> Tensor:
        keys: Tensor = memory if self.kind == "dot" else self.key_projection(memory)
        return keys if self.scale == "none" else keys * self.factor  # so the factor is applied once, not in each step

    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        if self.kind != "concat":
            return query @ memory.keys.transpose(1, 2)
        return additive_scores(self.query_projection(query), memory.keys, self.energy)

    def extra_repr(self) -> str:
        return f"score={self.kind}, scale={self.scale}"
