"""Local attention: a window around one position of the source, with the scores of any other family."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from nmt.errors import ParameterError
from nmt.models.attention.base import AttentionFactory, AttentionMemory, AttentionWrapper, StateT
from nmt.models.interface import State
from nmt.parameters import Length


class LocalAttention(AttentionWrapper[StateT]):
    """Attends to the positions s with |s - p_t| <= D only (arXiv:1508.04025, section 3.2).

    `window` is D. `scores` makes the attention whose scores, normalizer and query state are used. Raises ParameterError
    for scores that have a window already.
    """

    def __init__(self, query_width: int, memory_width: int, scores: AttentionFactory, window: Length = 10) -> None:
        inner = scores(query_width=query_width, memory_width=memory_width)
        if isinstance(inner, LocalAttention):
            raise ParameterError("scores", "got an attention with a window of its own, expected a global one")
        super().__init__(inner)
        self.window = window

    def weigh_within(
        self, distance: Tensor, query: Tensor, memory: AttentionMemory, state: Any, allowed: Tensor
    ) -> Tensor:
        """Return the weights (B, H, Q, S) of the positions whose `distance` (B, Q, S) is at most the window."""
        return self.scores.weigh(query, memory, state, allowed & (distance.abs() <= self.window))


@dataclass(frozen=True)
class Clock(State):
    """The number of steps so far (N,), and the state of the inner attention."""

    time: Tensor
    scores: State | None


class MonotonicLocalAttention(LocalAttention[Clock]):
    """Local-m: the window moves one position in each step, p_t = t (arXiv:1508.04025, section 3.2).

    A translation can be longer than its source; then the window stays at the last token.
    """

    @property
    def recurrent(self) -> bool:
        return True

    def init_state(self, memory: AttentionMemory) -> Clock:
        time = torch.zeros(memory.mask.shape[0], dtype=torch.long, device=memory.mask.device)
        return Clock(time, self.scores.init_state(memory))

    def advance(self, state: Clock, weights: Tensor) -> Clock:
        return Clock(state.time + 1, self.scores.advance(state.scores, weights))

    def weigh(self, query: Tensor, memory: AttentionMemory, state: Clock, allowed: Tensor) -> Tensor:
        last = memory.mask.sum(1).view(-1, 1, 1) - 1
        centre = torch.minimum(state.time.view(*query.shape[:2], 1), last)  # (B, Q, 1)
        return self.weigh_within(_positions(memory) - centre, query, memory, state.scores, allowed)


class PredictiveLocalAttention(LocalAttention[State | None]):
    """Local-p: the query predicts the centre of the window (arXiv:1508.04025, section 3.2).

    p_t = S sigmoid(v^T tanh(W h_t)) for a source of S tokens (eq. 9). The weights in the window are multiplied by
    exp(-(s - p_t)^2 / (2 sigma^2)) with sigma = D / 2 (eq. 10), so their sum is less than 1.
    """

    def __init__(self, query_width: int, memory_width: int, scores: AttentionFactory, window: Length = 10) -> None:
        super().__init__(query_width, memory_width, scores, window)
        self.centre_hidden = nn.Linear(query_width, query_width, bias=False)  # W
        self.centre_output = nn.Linear(query_width, 1, bias=False)  # v

    def weigh(self, query: Tensor, memory: AttentionMemory, state: State | None, allowed: Tensor) -> Tensor:
        logit = self.centre_output(torch.tanh(self.centre_hidden(query)))  # (B, Q, 1)
        precise = torch.promote_types(logit.dtype, torch.float32)  # bfloat16 cannot count the tokens of a long source
        share = torch.sigmoid(logit.to(precise))
        centre = memory.mask.sum(1).view(-1, 1, 1) * share
        distance = _positions(memory) - centre
        weights = self.weigh_within(distance, query, memory, state, allowed)
        bell = torch.exp(-(distance**2) / (2 * (self.window / 2) ** 2))
        return weights * bell.unsqueeze(1).to(weights.dtype)


def _positions(memory: AttentionMemory) -> Tensor:
    return torch.arange(memory.mask.shape[1], device=memory.mask.device)
