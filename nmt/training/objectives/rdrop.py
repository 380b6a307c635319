"""R-Drop: two dropout passes of the same batch must agree (arXiv:2106.14448)."""

from __future__ import annotations

from dataclasses import dataclass

from torch import Tensor, nn

from nmt.data.batches import Batch
from nmt.models.interface import AttentionWeights
from nmt.parameters import NonNegative
from nmt.training.objectives.base import Objective, Sums
from nmt.training.objectives.chunked import rowwise_dot


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
        return self.cross_entropy(hidden, output, batch, penalty=self.divergence)

    def divergence(self, log_probs: Tensor, probs: Tensor) -> tuple[Tensor, Tensor]:
        """Return the summed divergence term of two passes (2, N, V), and its gradient (2, N, V) for their logits.

        With l = log p - log q the gradients of KL(p || q) + KL(q || p) are, for the logits of the first pass,
        p * (l - KL(p || q)) + p - q, and for the logits of the second, q * (-l - KL(q || p)) + q - p.
        """
        (log_p, log_q), (p, q) = log_probs, probs
        ratio = log_p - log_q
        forward = rowwise_dot(p, ratio)  # KL(p || q), (N, 1)
        backward = rowwise_dot(q, ratio).neg_()  # KL(q || p)
        gradient = log_probs  # overwritten: the largest tensors here, and no longer needed
        half = self.alpha / 2
        gradient[0] = (ratio - (forward - 1)).mul_(p).sub_(q)
        gradient[1] = ratio.neg_().sub_(backward - 1).mul_(q).sub_(p)
        return half * (forward.sum() + backward.sum()), gradient.mul_(half)
