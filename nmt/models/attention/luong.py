"""Global attention with a choice of scores (Luong, Pham, Manning 2015, arXiv:1508.04025)."""

from __future__ import annotations

from typing import Any, Literal

import torch
from torch import Tensor, nn

from nmt.checks import require_choice
from nmt.errors import ParameterError
from nmt.models.attention.base import Attention, AttentionMemory

SCORES = ("dot", "general", "concat")


class LuongAttention(Attention):
    """Global attention whose query is the current state h_t (arXiv:1508.04025, section 3.1, eq. 7).

    `score` is one of eq. 8: "dot", h_t^T h_s, for states and memory of the same width; "general", h_t^T W h_s;
    "concat", v^T tanh(W [h_t; h_s]), with as many hidden units as h_t has. The W of "concat" is stored as two matrices,
    so that W_s h_s is computed once. Raises ParameterError for another score, and for "dot" if the widths differ.
    """

    query_state = "current"

    def __init__(
        self, query_width: int, memory_width: int, score: Literal["dot", "general", "concat"] = "general"
    ) -> None:
        super().__init__(query_width, memory_width)
        require_choice(SCORES, score=score)
        if score == "dot" and query_width != memory_width:
            raise ParameterError(
                "score",
                f"got 'dot' with a decoder of width {query_width} and a memory of width {memory_width}, expected "
                f"equal widths; make them equal or use 'general'",
            )
        self.kind = score
        if score != "dot":
            self.key_projection = nn.Linear(memory_width, query_width, bias=False)
        if score == "concat":
            self.query_projection = nn.Linear(query_width, query_width, bias=False)
            self.energy = nn.Linear(query_width, 1, bias=False)

    def project_keys(self, memory: Tensor) -> Tensor:
        keys: Tensor = memory if self.kind == "dot" else self.key_projection(memory)
        return keys

    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        if self.kind != "concat":
            return query @ memory.keys.transpose(1, 2)
        hidden = self.query_projection(query).unsqueeze(2) + memory.keys.unsqueeze(1)  # (B, Q, S, query_width)
        scores: Tensor = self.energy(torch.tanh(hidden))
        return scores.squeeze(-1)

    def extra_repr(self) -> str:
        return f"score={self.kind}"
