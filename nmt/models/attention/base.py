"""The base class of attention in recurrent decoders. A family is a YAML in configs/model/attention that
names a class of this package and its settings.

Legend: B sentences, Q queries of a sentence, N = B * Q hypotheses, H heads, S source length, A width of a key, D width
of the memory, C width of the context. H is 1 except in multi-head attention.
"""

from __future__ import annotations

import functools
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeVar, cast

import torch
from torch import Tensor, nn

from nmt.errors import ParameterError, missing_packages
from nmt.models.interface import State, per_sentence
from nmt.parameters import value_problem

Normalizer = Literal["softmax", "sparsemax", "entmax"]
QueryState = Literal["previous", "between", "current"]
Scale = Literal["none", "sqrt", "learned"]
StateT = TypeVar("StateT", bound=State | None)


@dataclass(frozen=True)
class AttentionMemory(State):
    """The memory that the decoder attends to. It is made once for a sentence; the beams share it without a copy.

    The context is a weighted sum of `values` (B, S, D). The scores compare `keys` (B, S, A), which `project_keys`
    makes, with the query. `mask` (B, S) is True at real tokens.
    """

    values: Tensor = per_sentence()
    keys: Tensor = per_sentence()
    mask: Tensor = per_sentence()


class Attention(nn.Module, ABC, Generic[StateT]):
    """Maps queries and a memory to contexts and weights.

    A family implements `project_keys` and `score`. It may override `normalize` (in place of the normalizer), `reweigh`
    (after it), and `init_state` together with `advance` (for a state that changes from step to step, as in coverage).
    Local attention overrides `weigh`; several heads override `prepare` and `read` as well.

    `query_state` says which decoder state is the query. With "previous" it is s(t-1), and the context enters the cell
    that computes s(t). With "between" it is the state between two cells; the context enters the second one, which
    computes s(t). With "current" it is s(t), and the context is joined with s(t) after the cell. `normalizer_function`
    explains `normalizer`.

    `query_width` and `memory_width` come from the decoder; `context_width` is the width C of the context, and `heads`
    the number of heads. `StateT` is the type of the attention's own state, which it carries from step to step, as
    coverage does; it is not the decoder's state. Most families have no state, and are an `Attention[None]`.
    """

    heads: int = 1

    def __init__(
        self,
        query_width: int,
        memory_width: int,
        *,
        query_state: QueryState = "current",
        normalizer: Normalizer = "softmax",
    ) -> None:
        super().__init__()
        for name, value, kind in (("query_state", query_state, QueryState), ("normalizer", normalizer, Normalizer)):
            if problem := value_problem(value, kind):
                raise ParameterError(name, problem)
        self.query_width = query_width
        self.memory_width = memory_width
        self.context_width = memory_width
        self.query_state: QueryState = query_state
        self.normalizer: Normalizer = normalizer
        self._normalize = normalizer_function(normalizer)

    @property
    def recurrent(self) -> bool:
        """Whether the scores of a step depend on the previous step. If so, a call gets the queries of one step only."""
        return type(self).advance is not Attention.advance

    def prepare(self, memory: Tensor, mask: Tensor) -> AttentionMemory:
        """Return `memory` (B, S, D), its projected keys and its `mask` (B, S), for all steps and beams."""
        return AttentionMemory(memory, self.project_keys(memory), mask)

    def forward(self, query: Tensor, memory: AttentionMemory, state: StateT) -> tuple[Tensor, Tensor, StateT]:
        """Return contexts (B, Q, C), weights (B, H, Q, S) and the next state for `query` (B, Q, query_width).

        Q is 1 in training step by step, and K in a search with K beams. Q is T if all steps are computed at once; this
        is possible if the context does not enter the cell and the attention is not recurrent. Weights at padding are
        exactly 0.
        """
        weights = self.weigh(query, memory, state, memory.mask.unsqueeze(1))
        return self.read(weights, memory), weights, self.advance(state, weights.mean(1))

    def weigh(self, query: Tensor, memory: AttentionMemory, state: StateT, allowed: Tensor) -> Tensor:
        """Return weights (B, H, Q, S). `allowed` (B, 1 or Q, S) is True where a query may attend to a position."""
        scores = self.score(query, memory, state)
        if scores.shape != (size := (*query.shape[:2], memory.mask.shape[1])):
            raise ParameterError("decoder.attention", f"got scores of the shape {tuple(scores.shape)}, expected {size}")
        masked = scores.masked_fill(~allowed, -torch.inf)
        return self.reweigh(self.normalize(masked), query, memory, state).unsqueeze(1)

    def read(self, weights: Tensor, memory: AttentionMemory) -> Tensor:
        """Return the contexts (B, Q, C) of `weights` (B, H, Q, S)."""
        return weights.squeeze(1) @ memory.values

    @abstractmethod
    def project_keys(self, memory: Tensor) -> Tensor:
        """Return the keys (B, S, A) of `memory` (B, S, D): the part of the score that does not depend on the query."""

    @abstractmethod
    def score(self, query: Tensor, memory: AttentionMemory, state: StateT) -> Tensor:
        """Return scores (B, Q, S) of `query` (B, Q, query_width). The caller masks padding."""

    def init_state(self, memory: AttentionMemory) -> StateT:
        """Return the state before the first step, with one hypothesis for each sentence (N = B), or None."""
        return cast(StateT, None)

    def advance(self, state: StateT, weights: Tensor) -> StateT:
        """Return the state after a step with `weights` (B, Q, S), the mean of the heads.

        Tensors of the state are (N, ...) with N = B * Q.
        """
        return state

    def normalize(self, scores: Tensor) -> Tensor:
        """Return weights (B, Q, S) for scores (B, Q, S). Scores are -inf at padding, where weights must be 0."""
        return self._normalize(scores)

    def reweigh(self, weights: Tensor, query: Tensor, memory: AttentionMemory, state: StateT) -> Tensor:
        """Return the final weights, given the normalized ones. Weights at padding must stay 0.

        Both are (B, Q, S), or (B, H, Q, S) in `MultiHead`.
        """
        return weights


class AttentionWrapper(Attention[StateT]):
    """Uses the attention `scores`; a derived class overrides `prepare`, `weigh`, `read` or `advance`."""

    def __init__(self, scores: Attention[Any]) -> None:
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

    def weigh(self, query: Tensor, memory: AttentionMemory, state: StateT, allowed: Tensor) -> Tensor:
        return self.scores.weigh(query, memory, state, allowed)

    def read(self, weights: Tensor, memory: AttentionMemory) -> Tensor:
        return self.scores.read(weights, memory)

    def project_keys(self, memory: Tensor) -> Tensor:
        return self.scores.project_keys(memory)

    def score(self, query: Tensor, memory: AttentionMemory, state: StateT) -> Tensor:
        return self.scores.score(query, memory, state)

    def init_state(self, memory: AttentionMemory) -> StateT:
        return cast(StateT, self.scores.init_state(memory))

    def advance(self, state: StateT, weights: Tensor) -> StateT:
        return cast(StateT, self.scores.advance(state, weights))


# Makes an attention for a `query_width` and a `memory_width`: a class derived from `Attention`, or a partial of one
AttentionFactory = Callable[..., Attention[Any]]


def make_factor(scale: Scale, width: int) -> nn.Parameter | float:
    """Return the factor of scores that sum over `width` terms.

    It is 1 for "none"; 1 / sqrt(width) for "sqrt" (arXiv:1706.03762, eq. 1); a parameter that begins at 1 / sqrt(width)
    for "learned". Without a factor the scores become so large that the attention soon looks at one token only.
    """
    if scale == "none":
        return 1.0
    return nn.Parameter(torch.tensor(width**-0.5)) if scale == "learned" else width**-0.5


def require_equal_widths(query_width: int, memory_width: int) -> None:
    """Raise ValueError if the widths differ."""
    if query_width != memory_width:
        raise ValueError(
            f"got a decoder of width {query_width} and a memory of width {memory_width}, expected equal widths for a "
            f"score without a matrix; make them equal, or use general, additive, location or multihead"
        )


def normalizer_function(normalizer: Normalizer) -> Callable[[Tensor], Tensor]:
    """Return a function from scores (..., S) to weights (..., S) that sum to 1, exactly 0 where a score is -inf.

    With softmax every weight is above 0. "sparsemax" is the nearest point of the simplex, so that small scores get
    exactly 0 (arXiv:1602.02068, eq. 2). "entmax" is 1.5-entmax, half-way between the two (arXiv:1905.05702, section 3).
    The last two are computed by the package entmax. Raises ParameterError if it is not installed.
    """
    if normalizer == "softmax":
        return functools.partial(torch.softmax, dim=-1)
    if missing := missing_packages("entmax", extra="entmax"):
        raise ParameterError("normalizer", f"'{normalizer}' {missing}")
    return functools.partial(_by_entmax, "sparsemax" if normalizer == "sparsemax" else "entmax15")


def _by_entmax(name: str, scores: Tensor) -> Tensor:
    import entmax

    precise = scores.float() if scores.element_size() < 4 else scores  # the functions sum over the sorted scores
    return cast(Tensor, getattr(entmax, name)(precise, dim=-1)).to(scores.dtype)
