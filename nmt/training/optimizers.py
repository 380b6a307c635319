"""Muon and AdamW as one optimizer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import torch
from torch import Tensor
from torch.optim import AdamW, Muon, Optimizer

from nmt.parameters import Fraction, NonNegative


class MuonWithAdamW(Optimizer):
    """Muon for the hidden weight `matrices` of a model, and AdamW for its other `params`.

    Muon (K. Jordan 2024, https://kellerjordan.github.io/posts/muon) makes the mean gradient of a matrix orthogonal,
    approximately. Its update is scaled to the size that updates of AdamW usually have, so both use `lr` and
    `weight_decay` (arXiv:2502.16982, section 2.2).

    There are two groups of parameters, first that of Muon. The state and the groups of both parts are those of this
    object, so schedules, gradient clipping and checkpoints see one optimizer. Raises ValueError if one of `matrices` is
    no matrix.
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
        muon = Muon([{"params": matrices}], lr, weight_decay, momentum, adjust_lr_fn="match_rms_adamw")
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
