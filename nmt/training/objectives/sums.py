"""The result of an objective for a batch."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class Sums:
    """Sums over the real target tokens of a batch.

    `loss` is a scalar with gradient. `nll` is the negative log-likelihood of the targets in nats, a scalar without
    gradient; with several passes, it is their mean. `tokens` counts the tokens of one pass.
    """

    loss: Tensor
    nll: Tensor
    tokens: int
