"""Additive attention: a network with one hidden layer computes the score."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from nmt.models.attention.base import Attention, AttentionMemory, QueryState, StateT
from nmt.models.attention.normalizers import Normalizer
from nmt.parameters import Width, checked


@checked
class AdditiveAttention(Attention[StateT]):
    """score_j = v^T tanh(W q + U h_j) (arXiv:1409.0473, eq. 6 and appendix A.1.2); h_j is the vector of source token j.

    By default the query q is the previous state s_(i-1), as in the paper: the context c_i = sum_j a_ij h_j (eq. 5)
    enters the cell that computes s_i.

    `width` is the number of units of the hidden layer; None is the width of the query. With None and
    `query_state="current"` this is also "concat" of arXiv:1508.04025, section 3.1, v^T tanh(W' [h_t; h_s]), whose
    matrix W' = [W U] is stored in two parts, so that U h_j is computed once.
    """

    def __init__(
        self,
        query_width: int,
        memory_width: int,
        width: Width | None = 256,
        query_state: QueryState = "previous",
        normalizer: Normalizer = "softmax",
    ) -> None:
        super().__init__(query_width, memory_width, query_state=query_state, normalizer=normalizer)
        width = query_width if width is None else width
        self.query_projection = nn.Linear(query_width, width, bias=False)  # W
        self.key_projection = nn.Linear(memory_width, width, bias=False)  # U
        self.energy = nn.Linear(width, 1, bias=False)  # v

    def project_keys(self, memory: Tensor) -> Tensor:
        keys: Tensor = self.key_projection(memory)
        return keys

    def score(self, query: Tensor, memory: AttentionMemory, state: StateT) -> Tensor:
        return additive_scores(self.query_projection(query), memory.keys.unsqueeze(1), self.energy)


def additive_scores(queries: Tensor, keys: Tensor, energy: nn.Linear) -> Tensor:
    """Return v^T tanh(q + k) (B, Q, S) for `queries` (B, Q, A) and `keys` (B, 1 or Q, S, A); `energy` holds v.

    tanh(x) is computed as 2 sigmoid(2x) - 1, because torch's tanh takes six times as long as its sigmoid on a CPU. In
    half precision this would lose the small values.
    """
    if queries.element_size() < 4:
        tanh = torch.tanh(queries.unsqueeze(2) + keys)
        exact: Tensor = energy(tanh).squeeze(-1)
        return exact
    half = torch.sigmoid((2 * queries).unsqueeze(2) + 2 * keys)  # (B, Q, S, A)
    scores: Tensor = energy(half).squeeze(-1)
    return 2 * scores - energy.weight.sum()
