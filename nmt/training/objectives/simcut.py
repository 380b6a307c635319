"""SimCut: predictions must not change if some words of the input are hidden (arXiv:2206.02368)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from nmt.data.batches import Batch
from nmt.models.interface import AttentionWeights
from nmt.parameters import Fraction, NonNegative
from nmt.training.objectives.base import Objective, Sums, hide
from nmt.training.objectives.chunked import rowwise_dot


@dataclass(kw_only=True, eq=False)
class SimCut(Objective):
    """Cross entropy of the batch, and the divergence from a second pass that reads it with some pieces hidden.

    With p and q the predicted distributions of the first and the second pass, the loss of a token is (arXiv:2206.02368)

        CE(p) + alpha * KL(p || q)

    with the label-smoothed cross entropy of the first pass only. Both passes carry gradient. The authors find that
    SimCut works less well if only one pass carries gradient.

    In the second pass, the embeddings of a random share `cut` of the pieces are zero, in the source and in the input of
    the decoder (token cutoff, arXiv:2009.13818). The beginning and the end of a sentence are never hidden. The dropout
    of the model differs between the passes.

    Normalization: the loss is summed over the tokens and divided by the tokens of ONE copy of the batch. The authors
    use alpha = 3 and cut = 0.05. `word_dropout` hides pieces in both passes.
    """

    passes = 2

    alpha: NonNegative = 3.0
    cut: Fraction = 0.05

    def inputs(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        source, mask, target_in = super().inputs(batch)
        cut = (torch.cat((x[: len(x) // 2], hide(x[len(x) // 2 :], self.cut))) for x in (source, target_in))
        return next(cut), mask, next(cut)

    def __call__(self, hidden: Tensor, output: nn.Linear, batch: Batch, weights: AttentionWeights | None) -> Sums:
        return self.cross_entropy(hidden, output, batch, counted=1, penalty=self.divergence)

    def divergence(self, log_probs: Tensor, probs: Tensor) -> tuple[Tensor, Tensor]:
        """Return the summed divergence term of two passes (2, N, V), and its gradient (2, N, V) for their logits.

        With l = log p - log q the gradient of KL(p || q) is, for the logits of the first pass, p * (l - KL(p || q)),
        and for the logits of the second, q - p.
        """
        (log_p, log_q), (p, q) = log_probs, probs
        ratio = log_p - log_q
        divergence = rowwise_dot(p, ratio)  # (N, 1)
        gradient = log_probs  # overwritten: the largest tensors here, and no longer needed
        torch.mul(ratio.sub_(divergence), p, out=gradient[0])
        torch.sub(q, p, out=gradient[1])
        return self.alpha * divergence.sum(), gradient.mul_(self.alpha)
