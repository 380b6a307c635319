"""SimCut: predictions must not change if some words of the input are hidden (arXiv:2206.02368)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn

from nmt.data.batches import Batch
from nmt.models.interface import AttentionWeights
from nmt.parameters import Fraction, NonNegative
from nmt.training.objectives.base import Objective, Sums, hide, real_log_probs


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
        log_probs = real_log_probs(hidden, output, batch)
        sums, (p, q) = self.sums(log_probs[:1], batch), log_probs
        return replace(sums, loss=sums.loss + self.alpha * (p.exp() * (p - q)).sum())
