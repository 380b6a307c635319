"""Label-smoothed cross entropy over real positions, without ever holding all logits."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

CHUNK_ELEMENTS = {True: 2**20, False: 2**27}  # logits held at a time, on a CPU (fits its cache) or elsewhere


def token_loss(
    hidden: Tensor, output: nn.Linear, targets: Tensor, mask: Tensor, *, label_smoothing: float = 0.0
) -> tuple[Tensor, Tensor, int]:
    """Return the summed smoothed loss, the summed negative log-likelihood (without gradient), and the count of tokens.

    `hidden` (B, T, D), `targets` and `mask` (B, T); padding is left out before the projection. With smoothing e the
    target distribution is (1 - e) on the token plus e / V on every token (arXiv:1512.00567, section 7), as in
    torch.nn.functional.cross_entropy.
    """
    real = mask.flatten().nonzero().squeeze(1)
    rows = hidden.flatten(0, 1).index_select(0, real)
    wanted = targets.flatten().index_select(0, real)
    loss, likelihood = _ChunkedCrossEntropy.apply(  # type: ignore[no-untyped-call]
        rows, output.weight, output.bias, wanted, label_smoothing, torch.is_grad_enabled()
    )
    return loss, likelihood, len(real)


class _ChunkedCrossEntropy(torch.autograd.Function):
    """Linear projection and cross entropy, a chunk of rows at a time; the gradients are made on the way forward.

    d loss / d logits = softmax - (1 - e) * onehot - e / V. Only the first two are made as a matrix, times the softmax's
    normalizer, which divides the rows in its place; the last reaches the gradients as the mean row of the weight.
    """

    @staticmethod
    def forward(
        ctx: Any,
        rows: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        targets: Tensor,
        smoothing: float,
        grad_enabled: bool,  # needs_input_grad does not tell
    ) -> tuple[Tensor, Tensor]:
        matrix, offset = weight, bias
        if torch.is_autocast_enabled(rows.device.type):
            dtype = torch.get_autocast_dtype(rows.device.type)
            rows, matrix = rows.to(dtype), weight.to(dtype)
            offset = bias if bias is None else bias.to(dtype)
        wants_gradient = grad_enabled and any(ctx.needs_input_grad[:3])
        grad_rows = torch.empty_like(rows) if wants_gradient else None
        grad_weight = torch.zeros_like(weight) if wants_gradient else None
        grad_bias = torch.zeros_like(bias) if wants_gradient and bias is not None else None
        mean_weight = weight.mean(0)
        total = weight.new_zeros(())
        likelihood = weight.new_zeros(())
        size = max(1, CHUNK_ELEMENTS[rows.device.type == "cpu"] // len(weight))
        for start in range(0, len(rows), size):
            part, wanted = rows[start : start + size], targets[start : start + size]
            logits = nn.functional.linear(part, matrix, offset).to(weight.dtype)
            chosen = logits.gather(1, wanted[:, None])
            largest = logits.amax(1, keepdim=True)
            exponentials = logits.sub_(largest).exp_()
            sums = exponentials.sum(1, keepdim=True)
            normalizer = sums.log() + largest
            nll = (normalizer - chosen).sum()
            mean_logits = (part.to(weight.dtype) @ mean_weight).sum() + (
                0.0 if bias is None else bias.mean() * len(part)
            )
            likelihood += nll
            total += (1 - smoothing) * nll + smoothing * (normalizer.sum() - mean_logits)
            if grad_rows is None or grad_weight is None:
                continue
            # In full precision: for a token that is sure the two are nearly equal.
            unscaled = exponentials.scatter_add_(1, wanted[:, None], (smoothing - 1) * sums).to(matrix.dtype)
            grad_rows[start : start + size] = (unscaled @ matrix) / sums - smoothing * mean_weight
            grad_weight += unscaled.t() @ (part / sums).to(matrix.dtype)
            if grad_bias is not None:
                grad_bias += (unscaled / sums).sum(0)
        if grad_weight is not None:
            grad_weight -= smoothing / len(weight) * rows.sum(0, dtype=weight.dtype)
        if grad_bias is not None:
            grad_bias -= smoothing / len(weight) * len(rows)
        ctx.save_for_backward(grad_rows, grad_weight, grad_bias)
        ctx.mark_non_differentiable(likelihood)
        return total, likelihood

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_total: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        grad_rows, grad_weight, grad_bias = ctx.saved_tensors
        return (
            (grad_rows * grad_total).to(grad_rows.dtype),
            grad_weight * grad_total,
            None if grad_bias is None else grad_bias * grad_total,
            None,
            None,
            None,
        )
