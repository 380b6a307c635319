"""The check that training has not diverged."""

from __future__ import annotations

from torch import nn

from nmt.checkpoint import non_finite
from nmt.errors import UserError


class Diverged(UserError):
    """The weights or gradients are not finite. `nmt.training.fit` adds what is saved and what to do."""


def require_finite(model: nn.Module, update: int) -> None:
    """Raise Diverged if a weight of `model` is not finite after `update`."""
    name = non_finite(model.state_dict())
    if name is not None:
        raise Diverged(f"training: the weight {name} is not finite after update {update:,}")
