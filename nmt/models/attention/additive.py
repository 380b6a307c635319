"""Additive attention: a network with one hidden layer computes the score. One class adds coverage of earlier steps."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import torch
from torch import Tensor, nn

from nmt.models.attention.base import Attention, AttentionMemory, Normalizer, QueryState, StateT
from nmt.models.interface import State, per_sentence
from nmt.parameters import Range, Width


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


@dataclass(frozen=True)
class CoverageState(State):
    """`coverage` (N, S): how much of each source token has been translated. `fertility` (B, S): see the attention."""

    coverage: Tensor
    fertility: Tensor = per_sentence()


class CoverageAttention(AdditiveAttention[CoverageState]):
    """Linguistic coverage of arXiv:1601.04811, section 3.1. As in the paper, the default query is the previous state.

    score = v^T tanh(W s_(i-1) + U h_j + V C_(i-1,j)). The coverage C_ij = C_(i-1,j) + a_ij / F_j begins at 0. The
    fertility F_j = N sigmoid(U_f h_j) is the number of target tokens that a source token is expected to become; its
    largest value N is `max_fertility`.
    """

    def __init__(
        self,
        query_width: int,
        memory_width: int,
        width: Width = 256,
        max_fertility: Annotated[float, Range(above=0)] = 2.0,
        query_state: QueryState = "previous",
        normalizer: Normalizer = "softmax",
    ) -> None:
        super().__init__(query_width, memory_width, width, query_state=query_state, normalizer=normalizer)
        self.max_fertility = max_fertility
        self.coverage_projection = nn.Linear(1, width, bias=False)  # V
        self.fertility = nn.Linear(memory_width, 1, bias=False)  # U_f

    def init_state(self, memory: AttentionMemory) -> CoverageState:
        fertility = self.max_fertility * self.fertility(memory.values).sigmoid().squeeze(-1)
        return CoverageState(fertility.new_zeros(fertility.shape), fertility)

    def score(self, query: Tensor, memory: AttentionMemory, state: CoverageState) -> Tensor:
        coverage = state.coverage.view(*query.shape[:2], -1)  # (B, Q, S)
        keys = memory.keys.unsqueeze(1) + self.coverage_projection(coverage.unsqueeze(-1))  # (B, Q, S, A)
        return additive_scores(self.query_projection(query), keys, self.energy)

    def advance(self, state: CoverageState, weights: Tensor) -> CoverageState:
        translated = weights / state.fertility.unsqueeze(1)  # (B, Q, S)
        return replace(state, coverage=state.coverage + translated.flatten(0, 1))
