"""What goes in and out of the modules of layers in a forward pass."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

from nmt.lab.attribution.base import TINY
from nmt.lab.attribution.prediction import Prediction


@dataclass(frozen=True, eq=False)
class Call:
    """One call of a module in a forward pass: its arguments and its result."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    output: Any


Calls = dict[nn.Module, Call]


def record(prediction: Prediction, layers: Iterable[nn.Module]) -> Calls:
    """Return the calls of `layers` and of the modules in them in a forward pass that computes attention weights."""
    calls: Calls = {}

    def keep(module: nn.Module, args: tuple[Any, ...], kwargs: dict[str, Any], output: Any) -> None:
        calls[module] = Call(args, kwargs, output)

    with ExitStack() as hooks, torch.no_grad():
        for module in (module for layer in layers for module in layer.modules()):
            hooks.enter_context(module.register_forward_hook(keep, with_kwargs=True))
        prediction.attend()
    return calls


def row_shares(contributions: Tensor, own: Tensor) -> Tensor:
    """Return `contributions` (R, C) as shares of each row. If a row is zero, its column `own` (R,) gets everything."""
    sums = contributions.sum(-1, keepdim=True)
    shares = contributions / sums.clamp(min=TINY)
    return shares.where(sums > TINY, nn.functional.one_hot(own, contributions.shape[1]).to(shares.dtype))
