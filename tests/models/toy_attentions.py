"""Toy attentions as a user could write them: coverage and local attention, without a change of the decoder."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from nmt.models.attention.base import Attention, AttentionMemory, QueryState
from nmt.models.interface import State


@dataclass(frozen=True)
class CoverageState(State):
    """The sum of all earlier weights of each position; (N, S)."""

    coverage: Tensor


class Coverage(Attention):
    """Additive scores that depend on the sum of all earlier weights (arXiv:1601.04811, arXiv:1704.04368 eq. 10-11)."""

    def __init__(
        self, query_width: int, memory_width: int, width: int = 5, query_state: QueryState = "previous"
    ) -> None:
        super().__init__(query_width, memory_width, query_state=query_state)
        self.by_query = nn.Linear(query_width, width)
        self.by_key = nn.Linear(memory_width, width)
        self.by_coverage = nn.Linear(1, width)
        self.energy = nn.Linear(width, 1)

    def project_keys(self, memory: Tensor) -> Tensor:
        return self.by_key(memory)

    def init_state(self, memory: AttentionMemory) -> CoverageState:
        return CoverageState(memory.values.new_zeros(memory.mask.shape))

    def score(self, query: Tensor, memory: AttentionMemory, state: CoverageState) -> Tensor:
        coverage = state.coverage.view(*query.shape[:2], -1, 1)
        hidden = self.by_query(query).unsqueeze(2) + memory.keys.unsqueeze(1) + self.by_coverage(coverage)
        return self.energy(hidden.tanh()).squeeze(-1)

    def advance(self, state: CoverageState, weights: Tensor) -> CoverageState:
        return CoverageState(state.coverage + weights.flatten(0, 1))


class CurrentCoverage(Coverage):
    def __init__(self, query_width: int, memory_width: int) -> None:
        super().__init__(query_width, memory_width, query_state="current")


class Local(Attention):
    """Predictive local attention (arXiv:1508.04025, eq. 9-10): a bell around a position that the query predicts."""

    def __init__(self, query_width: int, memory_width: int) -> None:
        super().__init__(query_width, memory_width, query_state="current")
        self.place = nn.Linear(query_width, 1)
        self.key = nn.Linear(memory_width, query_width)

    def project_keys(self, memory: Tensor) -> Tensor:
        return self.key(memory)

    def score(self, query: Tensor, memory: AttentionMemory, state: None) -> Tensor:
        return query @ memory.keys.transpose(1, 2)

    def reweigh(self, weights: Tensor, query: Tensor, memory: AttentionMemory, state: None) -> Tensor:
        centre = memory.mask.sum(1).view(-1, 1, 1) * self.place(query).sigmoid()  # (B, Q, 1)
        distance = torch.arange(weights.shape[2], device=weights.device) - centre
        return weights * torch.exp(-(distance**2) / 2)


@dataclass(frozen=True)
class Clock(State):
    """The number of steps so far; (N,)."""

    time: Tensor


class Monotonic(Local):
    """Monotonic local attention (section 3.2): the bell moves one position in each step."""

    def __init__(self, query_width: int, memory_width: int) -> None:
        super().__init__(query_width, memory_width)
        del self.place

    def init_state(self, memory: AttentionMemory) -> Clock:
        return Clock(memory.mask.new_zeros(len(memory.mask), dtype=torch.long))

    def advance(self, state: Clock, weights: Tensor) -> Clock:
        return Clock(state.time + 1)

    def reweigh(self, weights: Tensor, query: Tensor, memory: AttentionMemory, state: Clock) -> Tensor:
        distance = torch.arange(weights.shape[2], device=weights.device) - state.time.view(*query.shape[:2], 1)
        return weights * torch.exp(-(distance.to(weights.dtype) ** 2) / 20)


TOYS: dict[str, type[Attention]] = {
    "toy coverage": Coverage,
    "toy coverage, current": CurrentCoverage,
    "toy local": Local,
    "toy monotonic": Monotonic,
}
