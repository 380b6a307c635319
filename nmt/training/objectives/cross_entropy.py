"""Cross entropy with label smoothing."""

from __future__ import annotations

from torch import Tensor, nn

from nmt.data.batches import Batch
from nmt.models.interface import AttentionWeights
from nmt.training.objectives.base import Objective, Sums


class CrossEntropy(Objective):
    """Label-smoothed cross entropy (arXiv:1512.00567, section 7), the usual objective of translation models."""

    def __call__(self, hidden: Tensor, output: nn.Linear, batch: Batch, weights: AttentionWeights | None) -> Sums:
        return self.cross_entropy(hidden, output, batch)
