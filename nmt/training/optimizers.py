"""Muon and AdamW as one optimizer."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.optim import AdamW, Muon, Optimizer

from nmt.parameters import Fraction, NonNegative, checked


@checked
class MuonWithAdamW(Optimizer):
    """Muon for the hidden weight `matrices` of a model, and AdamW for its other `params`.

    Muon (K. Jordan 2024, https://kellerjordan.github.io/posts/muon) makes the mean gradient of a matrix orthogonal,
    approximately. Its update is scaled to the size that updates of AdamW usually have, so both use `lr` and
    `weight_decay` (arXiv:2502.16982, section 2.2).

    There are two groups of parameters, first that of Muon. The state and the groups of both parts are those of this
    object, so schedules, gradient clipping and checkpoints see one optimizer. Raises ParameterError for a value out of
    range, and ValueError if one of `matrices` is no matrix.
    """

    def __init__(
        self,
        params: Iterable[Tensor],
        matrices: Sequence[Tensor],
        *,
        lr: NonNegative,
        momentum: Fraction = 0.95,
        betas: tuple[Fraction, Fraction] = (0.9, 0.999),
        eps: NonNegative = 1e-8,
        weight_decay: NonNegative = 0.01,
    ) -> None:
        own = set(map(id, matrices))
        others = [each for each in params if id(each) not in own]
        muon = _Muon([{"params": matrices}], lr, weight_decay, momentum)
        adamw = AdamW([{"params": others}], lr, betas, eps, weight_decay, fused=True)
        self.parts = (muon, adamw)
        super().__init__([*muon.param_groups, *adamw.param_groups], {})

    @torch.no_grad()
    def step(self, closure: Callable[[], float] | None = None) -> float | None:  # type: ignore[override]
        """Update all parameters that have a gradient. Returns the result of `closure`, which computes the gradients."""
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for part, group in zip(self.parts, self.param_groups, strict=True):
            part.state, part.param_groups = self.state, [group]  # loading a state replaces both
            part.step()
        return loss


class _Muon(Muon):
    """torch's Muon with `adjust_lr_fn="match_rms_adamw"`, faster on a CPU.

    It makes all matrices of the same shape orthogonal together. torch's own takes one matrix after another, and
    multiplies in bfloat16, which many CPUs do slowly.
    """

    def step(self, closure: None = None) -> None:  # type: ignore[override]
        for group in self.param_groups:
            self._update(group, {each: each.grad for each in group["params"] if each.grad is not None})

    def _update(self, group: Mapping[str, Any], gradient_of: Mapping[Tensor, Tensor]) -> None:
        params, gradients = list(gradient_of), list(gradient_of.values())
        for each in params:
            if "momentum_buffer" not in self.state[each]:
                self.state[each]["momentum_buffer"] = torch.zeros_like(each)
        means = [self.state[each]["momentum_buffer"] for each in params]
        torch._foreach_lerp_(means, gradients, 1 - group["momentum"])
        updates = torch._foreach_lerp(gradients, means, group["momentum"])
        torch._foreach_mul_(params, 1 - group["lr"] * group["weight_decay"])
        same_shape = defaultdict(list)
        for param, update in zip(params, updates, strict=True):
            same_shape[param.shape].append((param, update))
        for shape, pairs in same_shape.items():
            size = 0.2 * math.sqrt(max(shape)) * group["lr"]
            found = orthogonal(torch.stack([update for _, update in pairs]), group["ns_coefficients"])
            for (param, _), update in zip(pairs, found, strict=True):
                param.add_(update, alpha=-size)


def orthogonal(matrices: Tensor, coefficients: tuple[float, float, float]) -> Tensor:
    """Return `matrices` (N, A, B) with singular values of about 1, by five Newton-Schulz iterations.

    See https://kellerjordan.github.io/posts/muon, which has the three `coefficients`. The iterations are in bfloat16 on
    a GPU, as in torch, and in the type of the matrices on a CPU.
    """
    a, b, c = coefficients
    wide = matrices.mT if matrices.shape[1] > matrices.shape[2] else matrices
    x = wide.bfloat16() if wide.is_cuda else wide
    x = x / x.norm(dim=(1, 2), keepdim=True).clamp(min=1e-7)
    for _ in range(5):
        gram = x @ x.mT
        x = torch.baddbmm(x, torch.baddbmm(gram, gram, gram, beta=b, alpha=c), x, beta=a)
    return x.mT if wide is not matrices else x
