"""The base class of attention in recurrent decoders. A family is one file in this package and one YAML.

Legend: B sentences, Q queries of a sentence, N = B * Q hypotheses, S source length, A width of a key, D width of the
memory.
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
    """The memory that the decoder attends to. It is made once for a sentence; the beams share it without a copy.

    The context is a weighted sum of `values` (B, S, D). The scores compare `keys` (B, S, A), which `project_keys`
    makes, with the query. `mask` (B, S) is True at real tokens.
    """

    values: Tensor = per_sentence()
    keys: Tensor = per_sentence()
    mask: Tensor = per_sentence()


class Attention(nn.Module, ABC):
    """Maps queries and a memory to contexts and weights.

    A family implements `project_keys` and `score`. It may override `normalize` (in place of the softmax), `reweigh`
    (after the softmax, as in local attention), and `init_state` together with `advance` (for a state that changes from
    step to step, as in coverage).

    `query_state` says which decoder state is the query. With "previous" it is s(t-1), and the context enters the cell
    that computes s(t). With "current" it is s(t), and the context is joined with s(t) after the cell.

    `query_width` and `memory_width` come from the decoder; `context_width` is the width of the context.
    """

    query_state: ClassVar[Literal["previous", "current"]]

    def __init__(self, query_width: int, memory_width: int) -> None:
        super().__init__()
        self.query_width = query_width
        self.memory_width = memory_width
        self.context_width = memory_width

    @property
    def recurrent(self) -> bool:
        """Whether the scores of a step depend on the previous step. If so, a call gets the queries of one step only."""
        return type(self).advance is not Attention.advance

    def prepare(self, memory: Tensor, mask: Tensor) -> AttentionMemory:
        """Return `memory` (B, S, D), its projected keys and its `mask` (B, S), for all steps and beams."""
        return AttentionMemory(memory, self.project_keys(memory), mask)

    def forward(self, query: Tensor, memory: AttentionMemory, state: Any) -> tuple[Tensor, Tensor, Any]:
        """Return contexts (B, Q, D), weights (B, Q, S) and the next state for `query` (B, Q, query_width).

        Q is 1 in training step by step, and K in a search with K beams. Q is T if all steps are computed at once, which
        requires a cell without the context and an attention that is not recurrent. Weights at padding are exactly 0.
        """
        scores = self.score(query, memory, state)  # (B, Q, S)
        scores = scores.masked_fill(~memory.mask.unsqueeze(1), -torch.inf)
        weights = self.reweigh(self.normalize(scores), query, memory, state)
        return weights @ memory.values, weights, self.advance(state, weights)

    @abstractmethod
    def project_keys(self, memory: Tensor) -> Tensor:
        """Return the keys (B, S, A) of `memory` (B, S, D): the part of the score that does not depend on the query."""

    @abstractmethod
    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        """Return scores (B, Q, S) of `query` (B, Q, query_width). The caller masks padding."""

    def init_state(self, memory: AttentionMemory) -> State | None:
        """Return the state before the first step, with one hypothesis for each sentence (N = B), or None."""
        return None

    def advance(self, state: Any, weights: Tensor) -> Any:
        """Return the state after a step with `weights` (B, Q, S); its tensors are (N, ...) with N = B * Q."""
        return state

    def normalize(self, scores: Tensor) -> Tensor:
        """Return weights (B, Q, S) for scores (B, Q, S). Scores are -inf at padding, where weights must be 0."""
        return scores.softmax(dim=-1)

    def reweigh(self, weights: Tensor, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        """Return the final weights (B, Q, S), given the normalized ones. Weights at padding must stay 0."""
        return weights


def additive_scores(queries: Tensor, keys: Tensor, energy: nn.Linear) -> Tensor:
    """Return v^T tanh(q + k) (B, Q, S) for `queries` (B, Q, A) and `keys` (B, S, A); `energy` holds v.

    tanh(x) is computed as 2 sigmoid(2x) - 1, because torch's tanh takes six times as long as its sigmoid on a CPU. In
    half precision this would lose the small values.
    """
    if queries.element_size() < 4:
        exact: Tensor = energy(torch.tanh(queries.unsqueeze(2) + keys.unsqueeze(1))).squeeze(-1)
        return exact
    doubled = (2 * queries).unsqueeze(2) + (2 * keys).unsqueeze(1)  # (B, Q, S, A)
    scores: Tensor = energy(torch.sigmoid(doubled)).squeeze(-1)
    return 2 * scores - energy.weight.sum()


@runtime_checkable
class AttentionFactory(Protocol):
    """Makes the attention of a recurrent decoder: a class derived from `Attention`, or a partial of one."""

    def __call__(self, *, query_width: int, memory_width: int) -> Attention:
        """Return an attention for queries and a memory of these widths."""
