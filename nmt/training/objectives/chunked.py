"""Cross entropy over real positions, computed in chunks so that the logits of all positions never exist at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.autograd.function import once_differentiable

# Logits held at a time, over all passes. On a CPU they fit its cache.
CPU_CHUNK, GPU_CHUNK = 2**20, 2**27

# (log_probs, probs), both (P, N, V) for N positions of a chunk -> (summed penalty, its gradient for the logits).
# It may overwrite `log_probs`, but not `probs`.
Penalty = Callable[[Tensor, Tensor], tuple[Tensor, Tensor]]


def chunked_cross_entropy(
    hidden: Tensor,
    output: nn.Linear,
    targets: Tensor,
    mask: Tensor,
    *,
    label_smoothing: float = 0.0,
    counted: int | None = None,
    penalty: Penalty | None = None,
) -> tuple[Tensor, Tensor, int]:
    """Return the smoothed cross entropy of the passes plus a `penalty` that compares them, the nll, and the tokens.

    Only the cross entropy of the first `counted` passes is part of the sums; None counts all of them.

    `hidden` is (P * B, T, D), the P passes one after another; `targets` and `mask` (True = real token) are (B, T).
    Padding is left out before the projection. With smoothing e the target distribution is (1 - e) on the target token
    plus e / V on every token (arXiv:1512.00567, section 7), as in torch.nn.functional.cross_entropy.

    Under autocast only the products with the output layer's weight and its gradient take the lower precision.
    """
    real, passes = mask.flatten().nonzero().squeeze(1), len(hidden) // len(mask)
    rows = hidden.reshape(passes, -1, hidden.shape[-1]).index_select(1, real)  # (P, N, D)
    wanted = targets.flatten().index_select(0, real)  # (N,)
    device, counted = rows.device.type, passes if counted is None else counted
    if torch.is_autocast_enabled(device):
        rows = rows.to(torch.get_autocast_dtype(device))
    with torch.autocast(device, enabled=False):
        loss, nll = _ChunkedCrossEntropy.apply(  # type: ignore[no-untyped-call]
            rows, output.weight, output.bias, wanted, label_smoothing, counted, penalty, torch.is_grad_enabled()
        )
    return loss, nll / counted, len(real)


class _ChunkedCrossEntropy(torch.autograd.Function):
    """Linear projection, cross entropy and penalty of one chunk of positions after another.

    The forward pass computes the gradients too, because they need the logits of the chunk. For cross entropy
    d loss / d logits = softmax - (1 - e) * onehot - e / V. The first two terms are kept as one matrix that is not yet
    divided by the normalizer of the softmax, because dividing the rows of the hidden states' gradient is cheaper. The
    last term is the same for every token of the vocabulary, so its part of a hidden state's gradient is -e times the
    mean row of the weight.
    """

    @staticmethod
    def forward(
        ctx: Any,
        rows: Tensor,
        weight: Tensor,
        bias: Tensor | None,
        targets: Tensor,
        smoothing: float,
        counted: int,
        penalty: Penalty | None,
        grad_enabled: bool,  # needs_input_grad is True under no_grad too
    ) -> tuple[Tensor, Tensor]:
        matrix = weight.to(rows.dtype)
        offset = None if bias is None else bias.to(rows.dtype)
        wants_gradient = grad_enabled and any(ctx.needs_input_grad[:3])
        grad_rows = torch.empty_like(rows) if wants_gradient else None
        grad_weight = torch.zeros_like(weight) if wants_gradient else None
        grad_bias = torch.zeros_like(bias) if wants_gradient and bias is not None else None
        mean_weight = weight.mean(0)
        total = weight.new_zeros(())
        total_nll = weight.new_zeros(())
        passes, width = len(rows), rows.shape[-1]
        size = max(1, (CPU_CHUNK if rows.device.type == "cpu" else GPU_CHUNK) // (passes * len(weight)))
        for start in range(0, len(targets), size):
            part = rows[:, start : start + size].reshape(-1, width)  # (P * n, D)
            wanted = targets[start : start + size].repeat(counted)
            end = len(wanted)  # the end of the rows whose cross entropy counts
            logits = nn.functional.linear(part, matrix, offset).to(weight.dtype)
            chosen = logits[:end].gather(1, wanted[:, None])
            largest = logits.amax(1, keepdim=True)
            exponentials = (logits.sub_(largest) if penalty is None else logits - largest).exp_()
            sums = exponentials.sum(1, keepdim=True)
            normalizer = sums.log() + largest
            nll = (normalizer[:end] - chosen).sum()
            mean_logits = (part[:end].to(weight.dtype) @ mean_weight).sum() + (
                0.0 if bias is None else bias.mean() * end
            )
            total_nll += nll
            total += (1 - smoothing) * nll + smoothing * (normalizer[:end].sum() - mean_logits)
            extra = None
            if penalty is not None:
                probs = exponentials.div_(sums)
                sums = torch.ones_like(sums)
                shape = (passes, -1, len(weight))
                value, extra = penalty(logits.sub_(normalizer).view(shape), probs.view(shape))
                total += value
            if grad_rows is None or grad_weight is None:
                continue
            # In full precision: for a token that the model is sure of, softmax and target nearly cancel.
            exponentials[:end].scatter_add_(1, wanted[:, None], (smoothing - 1) * sums[:end])
            exponentials[end:] = 0
            if extra is not None:
                exponentials += extra.reshape(exponentials.shape)
            unscaled = exponentials.to(matrix.dtype)
            grad_part = (unscaled @ matrix) / sums
            grad_part[:end] -= smoothing * mean_weight
            grad_rows[:, start : start + size] = grad_part.view(passes, -1, width)
            grad_weight += unscaled.t() @ (part / sums).to(matrix.dtype)
            if grad_bias is not None:
                grad_bias += (unscaled / sums).sum(0)
        if grad_weight is not None:
            grad_weight -= smoothing / len(weight) * rows[:counted].flatten(0, 1).sum(0, dtype=weight.dtype)
        if grad_bias is not None:
            grad_bias -= smoothing / len(weight) * counted * len(targets)
        ctx.save_for_backward(grad_rows, grad_weight, grad_bias)
        ctx.mark_non_differentiable(total_nll)
        return total, total_nll

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad_total: Tensor, _: Tensor) -> tuple[Tensor | None, ...]:
        grad_rows, grad_weight, grad_bias = ctx.saved_tensors
        return (
            (grad_rows * grad_total).to(grad_rows.dtype),
            grad_weight * grad_total,
            None if grad_bias is None else grad_bias * grad_total,
            *[None] * 5,
        )


def rowwise_dot(a: Tensor, b: Tensor) -> Tensor:
    """Return the dot products (N, 1) of the rows of two matrices (N, V), without a matrix in between."""
    return (a.unsqueeze(1) @ b.unsqueeze(2)).squeeze(2)
