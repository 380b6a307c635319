"""Additive attention (Bahdanau, Cho, Bengio 2014, arXiv:1409.0473)."""

from __future__ import annotations

from typing import Any

from torch import Tensor, nn

from nmt.checks import WIDEST, require_integer
from nmt.models.attention.base import Attention, AttentionMemory, additive_scores


class BahdanauAttention(Attention):
    """Additive scores, e_ij = v^T tanh(W s_(i-1) + U h_j) (arXiv:1409.0473, eq. 6 and appendix A.1.2).

    The query is the previous state s_(i-1). The context c_i = sum_j a_ij h_j (eq. 5) enters the cell that computes s_i.
    `width` is the number of units of the hidden layer, n' in the paper. Raises ParameterError where it is below 1.
    """

    query_state = "previous"

    def __init__(self, query_width: int, memory_width: int, width: int = 256) -> None:
        super().__init__(query_width, memory_width)
        require_integer(at_least=1, at_most=WIDEST, width=width)
        self.query_projection = nn.Linear(query_width, width, bias=False)  # W
        self.key_projection = nn.Linear(memory_width, width, bias=False)  # U
        self.energy = nn.Linear(width, 1, bias=False)  # v

    def project_keys(self, memory: Tensor) -> Tensor:
        keys: Tensor = self.key_projection(memory)
        return keys

    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        return additive_scores(self.query_projection(query), memory.keys, self.energy)
