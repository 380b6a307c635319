"""The result of an objective for a batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from torch import Tensor


@dataclass(frozen=True)
class Mean:
    """A mean over several batches, as the sum of all values and their number."""

    total: float
    count: int

    def __add__(self, other: Mean) -> Mean:
        return Mean(self.total + other.total, self.count + other.count)

    @property
    def value(self) -> float:
        """The mean."""
        return self.total / self.count


def added(one: Mapping[str, Mean], other: Mapping[str, Mean]) -> dict[str, Mean]:
    """Return the means of both by name; those of the same name become one."""
    return {**one, **{name: one[name] + mean if name in one else mean for name, mean in other.items()}}


@dataclass(frozen=True)
class Sums:
    """Sums over the real target tokens of a batch.

    `loss` is a scalar with gradient. `nll` is the negative log-likelihood of the targets in nats, a scalar without
    gradient; with several passes, it is their mean. `tokens` counts the tokens of one pass. `figures` are further means
    for the logs, by name; one without values is left out.
    """

    loss: Tensor
    nll: Tensor
    tokens: int
    figures: Mapping[str, Mean] = field(default_factory=dict)
