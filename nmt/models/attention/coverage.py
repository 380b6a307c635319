"""Additive attention with a record of the source tokens that have been translated."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from torch import Tensor, nn

from nmt.models.attention.additive import AdditiveAttention, additive_scores
from nmt.models.attention.base import AttentionMemory, QueryState
from nmt.models.attention.normalizers import Normalizer
from nmt.models.interface import State, per_sentence
from nmt.parameters import Range, Width, checked


@dataclass(frozen=True)
class CoverageState(State):
    """`coverage` (N, S): how much of each source token has been translated. `fertility` (B, S): see the attention."""

    coverage: Tensor
    fertility: Tensor = per_sentence()


@checked
class CoverageAttention(AdditiveAttention[CoverageState]):
    """Linguistic coverage of arXiv:1601.04811, section 3.1; the default query is the previous state, as there.

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
