"""What every attention of a recurrent decoder promises; a family is one file beside this one and one YAML.

Legend: B sentences, Q queries a sentence, N = B*Q, S source length, A width of a key, D width of the memory.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

import torch
from torch import Tensor, nn

from nmt.models.interface import State, per_sentence


@dataclass(frozen=True)
class AttentionMemory(State):
    """What is attended to: made once a sentence, shared by its beams, never copied for them.

    `values` (B, S, D) are summed, `keys` (what `project_keys` made of them) are scored, `mask` (B, S) is True at real
    tokens.
    """

    values: Tensor = per_sentence()
    keys: Tensor = per_sentence()
    mask: Tensor = per_sentence()


class Attention(nn.Module, ABC):
    """Queries and a memory to contexts and weights.

    A family writes `project_keys` and `score`. Where it needs more, it overrides `normalize` (in place of the softmax),
    `reweigh` (after it; local attention), and `init_state` with `advance` (coverage, location, a position that moves).

    `query` says which decoder state asks: "previous", s(t-1), and the context then enters the cell that makes s(t); or
    "current", s(t), and the context meets s(t) after the cell. `recurrent` says that the attention's own state changes
    from step to step, so that it is asked for one step at a time.

    `query_width` and `memory_width` come from the decoder; `context_width` is what it gets back.
    """

    query: ClassVar[Literal["previous", "current"]]
    recurrent: ClassVar[bool] = False

    def __init__(self, query_width: int, memory_width: int) -> None:
        super().__init__()
        self.query_width = query_width
        self.memory_width = memory_width
        self.context_width = memory_width

    def prepare(self, memory: Tensor, mask: Tensor) -> AttentionMemory:
        """Return `memory` (B, S, D) under `mask` (B, S) with its keys projected, once for all steps and beams."""
        return AttentionMemory(memory, self.project_keys(memory), mask)

    def forward(self, query: Tensor, memory: AttentionMemory, state: Any) -> tuple[Tensor, Tensor, Any]:
        """Return contexts (B, Q, D), weights (B, Q, S) and the next state for `query` (B, Q, query_width).

        Q is 1 while training step by step, K in a search with K beams, and all T steps at once where neither the
        decoder nor the attention is in the way of that. Weights at padding are exactly 0.
        """
        scores = self.score(query, memory, state)  # (B, Q, S)
        scores = scores.masked_fill(~memory.mask.unsqueeze(1), -torch.inf)
        weights = self.reweigh(self.normalize(scores), query, memory, state)
        return weights @ memory.values, weights, self.advance(state, weights)

    @abstractmethod
    def project_keys(self, memory: Tensor) -> Tensor:
        """Return the keys (B, S, A) of `memory` (B, S, D): all of the score that does not depend on the query."""

    @abstractmethod
    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        """Return scores (B, Q, S) of `query` (B, Q, query_width); padding need not be looked at."""

    def init_state(self, memory: AttentionMemory) -> State | None:
        """Return the attention's state before the first step, one hypothesis a sentence (N = B); None: it has none."""
        return None

    def advance(self, state: Any, weights: Tensor) -> Any:
        """Return the state, its tensors (N, ...), after a step with `weights` (B, Q, S), where N = B * Q."""
        return state

    def normalize(self, scores: Tensor) -> Tensor:
        """Return weights (B, Q, S) for scores (B, Q, S), which are -inf at padding: their weights have to be 0."""
        return scores.softmax(dim=-1)

    def reweigh(self, weights: Tensor, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        """Return the weights (B, Q, S) that are used, given the normalized ones; padding has to stay 0."""
        return weights


@runtime_checkable
class AttentionFactory(Protocol):
    """Makes the attention of a recurrent decoder: a class derived from `Attention`, or a partial of one."""

    def __call__(self, *, query_width: int, memory_width: int) -> Attention:
        """Return an attention for queries and a memory of these widths."""
