"""R-Drop: two dropout passes of the same batch must agree (arXiv:2106.14448)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from torch import Tensor, nn

from nmt.data.batches import Batch
from nmt.models.interface import AttentionWeights
from nmt.parameters import NonNegative
from nmt.training.objectives.base import Objective, Sums, real_log_probs


@dataclass(kw_only=True, eq=False)
class RDrop(Objective):
    """Cross entropy of two dropout passes, and the divergence between their predictions.

    With p and q the predicted distributions of the two passes, the loss of a token is (arXiv:2106.14448, equation 4)

        CE(p) + CE(q) + alpha * (KL(p || q) + KL(q || p)) / 2

    with label-smoothed cross entropies. Both passes carry gradient.

    Normalization: the loss is summed over the tokens and divided by the tokens of ONE copy of the batch, as in the
    authors' fairseq code (`reg_label_smooth_cross_entropy.py`). Both cross entropies count in full, so with alpha = 0
    loss and gradient are twice those of `CrossEntropy`. A constant factor does not change Adam's update, but it changes
    the effect of gradient clipping. The example in the authors' README halves the cross entropies instead:
    0.5 * (CE + CE) + weight * (KL + KL) / 2. Its weight equals half our alpha.
    """

    passes = 2

    alpha: NonNegative = 3.0

    def __call__(self, hidden: Tensor, output: nn.Linear, batch: Batch, weights: AttentionWeights | None) -> Sums:
        log_probs = real_log_probs(hidden, output, batch)
        sums, (p, q) = self.sums(log_probs, batch), log_probs
        divergence = ((p.exp() - q.exp()) * (p - q)).sum()  # KL(p || q) + KL(q || p)
        return replace(sums, loss=sums.loss + self.alpha / 2 * divergence)
