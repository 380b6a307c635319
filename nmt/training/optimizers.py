"""Muon and AdamW as one optimizer."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor
from torch.optim import AdamW, Optimizer

from nmt.parameters import Fraction, NonNegative, PositiveInt


class MuonWithAdamW(Optimizer):
    """Muon for the hidden weight `matrices` of a model, and AdamW for its other `params`.

    Muon (K. Jordan 2024, https://kellerjordan.github.io/posts/muon) makes the mean gradient of a matrix orthogonal,
    approximately. Its update is scaled to the size that updates of AdamW usually have, so both use `lr` and
    `weight_decay` (arXiv:2502.16982, section 2.2).

    There are two groups of parameters, first that of Muon. The state and the groups of both parts are those of this
    object, so schedules, gradient clipping and checkpoints see one optimizer.
    """

    def __init__(
        self,
        params: Iterable[Tensor],
        matrices: Sequence[Tensor],
        *,
        lr: NonNegative,
        momentum: Fraction = 0.95,
        steps: PositiveInt = 5,
        betas: tuple[Fraction, Fraction] = (0.9, 0.999),
        eps: NonNegative = 1e-8,
        weight_decay: NonNegative = 0.01,
    ) -> None:
        own = set(map(id, matrices))
        muon = {"params": matrices, "lr": lr, "momentum": momentum, "weight_decay": weight_decay, "steps": steps}
        self.adamw = AdamW([each for each in params if id(each) not in own], lr, betas, eps, weight_decay, fused=True)
        super().__init__([muon, *self.adamw.param_groups], {})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """Update all parameters that have a gradient. Returns the result of `closure`, which computes the gradients."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        muon, rest = self.param_groups
        for weight in muon["params"]:
            if weight.grad is None:
                continue
            state, momentum = self.state[weight], muon["momentum"]
            mean = state.setdefault("momentum_buffer", torch.zeros_like(weight))
            mean.lerp_(weight.grad, 1 - momentum)
            update = orthogonal(weight.grad.lerp(mean, momentum), muon["steps"])
            weight.mul_(1 - muon["lr"] * muon["weight_decay"])
            weight.add_(update, alpha=-0.2 * math.sqrt(max(weight.shape)) * muon["lr"])
        self.adamw.state, self.adamw.param_groups = self.state, [rest]  # loading a state replaces both
        self.adamw.step()
        return loss


def orthogonal(matrix: Tensor, steps: int) -> Tensor:
    """Return about U V^T for a matrix U S V^T (M, N): most of its singular values are between 0.7 and 1.2.

    It takes `steps` steps of K. Jordan's Newton-Schulz iteration in the precision of the matrix. bfloat16 would be four
    times slower on processors without instructions for it.
    """
    wide = matrix if matrix.shape[0] <= matrix.shape[1] else matrix.T
    wide = wide / wide.norm().clamp(min=1e-7)
    for _ in range(steps):
        gram = wide @ wide.T
        wide = torch.addmm(wide, torch.addmm(gram, gram, gram, beta=-4.7750, alpha=2.0315), wide, beta=3.4445)
    return wide if wide.shape == matrix.shape else wide.T
