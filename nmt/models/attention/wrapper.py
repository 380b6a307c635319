"""The base class of an attention around another one."""

from __future__ import annotations

from typing import Any

from torch import Tensor

from nmt.models.attention.base import Attention, AttentionMemory
from nmt.models.interface import State


class AttentionWrapper(Attention):
    """Computes with the attention `scores`; a derived class overrides `prepare`, `weigh`, `read` or `advance`."""

    def __init__(self, scores: Attention) -> None:
        super().__init__(
            scores.query_width, scores.memory_width, query_state=scores.query_state, normalizer=scores.normalizer
        )
        self.context_width = scores.context_width
        self.heads = scores.heads
        self.scores = scores

    @property
    def recurrent(self) -> bool:
        return self.scores.recurrent

    def prepare(self, memory: Tensor, mask: Tensor) -> AttentionMemory:
        return self.scores.prepare(memory, mask)

    def weigh(self, query: Tensor, memory: AttentionMemory, state: Any, allowed: Tensor) -> Tensor:
        return self.scores.weigh(query, memory, state, allowed)

    def read(self, weights: Tensor, memory: AttentionMemory) -> Tensor:
        return self.scores.read(weights, memory)

    def project_keys(self, memory: Tensor) -> Tensor:
        return self.scores.project_keys(memory)

    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        return self.scores.score(query, memory, state)

    def init_state(self, memory: AttentionMemory) -> State | None:
        return self.scores.init_state(memory)

    def advance(self, state: Any, weights: Tensor) -> Any:
        return self.scores.advance(state, weights)
