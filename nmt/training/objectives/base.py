"""The base class of training objectives."""

from __future__ import annotations

from abc import ABC, abstractmethod

from torch import Tensor, nn

from nmt.checks import require_fraction
from nmt.models.interface import AttentionWeights
from nmt.training.objectives.chunked import chunked_cross_entropy
from nmt.training.objectives.sums import Sums


class Objective(ABC):
    """The loss of a batch, as sums over its real target tokens.

    A subclass is one file in this package (or in your own package) and one YAML in configs/objective. Two class
    attributes say what it needs from the model:

    - `passes`: the number of forward passes of the same batch that it compares. The trainer repeats the batch that many
      times and calls the model once; dropout differs between the copies.
    - `needs_weights`: whether it reads attention weights. The model then computes them explicitly, which is slower than
      the fused kernel.

    `label_smoothing` is the share of the target distribution that is spread evenly over the vocabulary.
    """

    passes: int = 1
    needs_weights: bool = False

    def __init__(self, *, label_smoothing: float = 0.1) -> None:
        require_fraction(label_smoothing=label_smoothing)
        self.label_smoothing = label_smoothing

    @abstractmethod
    def __call__(
        self, hidden: Tensor, output: nn.Linear, targets: Tensor, mask: Tensor, weights: AttentionWeights | None
    ) -> Sums:
        """Return the sums of one training batch.

        With P passes and B sentences, `hidden` is (P * B, T, D): all rows of the first pass, then all of the second,
        and so on. `output` projects hidden states to logits. `targets` and `mask` (True = real token) are (B, T) and
        are the same for every pass. `weights` has P * B rows like `hidden`, or is None without `needs_weights`.

        The trainer divides `Sums.loss` by `Sums.tokens` of the whole update, over all processes and accumulated
        batches; so `tokens` counts the tokens of one copy of the batch.
        """

    def validate(self, hidden: Tensor, output: nn.Linear, targets: Tensor, mask: Tensor) -> Sums:
        """Return the sums of one validation batch: the cross entropy of one pass with this `label_smoothing`.

        Losses are comparable only between runs with equal smoothing. Perplexity, which is computed from `Sums.nll`,
        does not depend on the smoothing. Shapes are those of `__call__` with P = 1.
        """
        return chunked_cross_entropy(hidden, output, targets, mask, label_smoothing=self.label_smoothing)
