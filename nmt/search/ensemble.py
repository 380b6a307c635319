"""The step function of an ensemble: the mean of several step functions' probabilities. Any strategy searches with it.

The probability of a token is the arithmetic mean of the members' probabilities, P = (P_1 + ... + P_n) / n. This is the
ensemble of fairseq. It is a distribution again, so log P of a translation and its perplexity keep their meaning. Marian
and OpenNMT-py average log-probabilities instead; the probabilities of this geometric mean do not sum to 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self, cast

import torch
from torch import Tensor

from nmt.search.base import Attending, Selectable, Step


@dataclass(frozen=True)
class States:
    """The states of the members, one each."""

    members: tuple[Selectable, ...]

    def select(self, rows: Tensor, sentences: Tensor | None = None) -> Self:
        return type(self)(tuple(state.select(rows, sentences) for state in self.members))

    @property
    def coverage(self) -> Tensor:
        """The mean of the members' coverage (N, S), as in fairseq; a search reads it only if their states have it."""
        return torch.stack([cast(Attending, state).coverage for state in self.members]).mean(0)


def average(steps: Sequence[Step[Any]]) -> Step[States]:
    """Return the step function of the mean of the members' probabilities. Its state holds their states in order."""

    def averaged(tokens: Tensor, state: States) -> tuple[Tensor, States]:
        found = [step(tokens, inner) for step, inner in zip(steps, state.members, strict=True)]
        return mean_log_probs([log_probs for log_probs, _ in found]), States(tuple(inner for _, inner in found))

    return averaged


def mean_log_probs(log_probs: Sequence[Tensor]) -> Tensor:
    """Return the logarithm of the mean of the probabilities whose logarithms are given, in tensors of one shape."""
    return torch.stack(list(log_probs)).logsumexp(0) - math.log(len(log_probs))
