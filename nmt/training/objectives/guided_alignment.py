"""Guided alignment: given word alignments teach a head where to attend (arXiv:1607.01628, arXiv:1909.02074)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from torch import Tensor, nn

from nmt.data.batches import Batch
from nmt.errors import ParameterError
from nmt.models.interface import AttentionWeights, CrossLayer
from nmt.models.seq2seq import Seq2Seq
from nmt.parameters import NonNegative, PositiveInt
from nmt.training.objectives.base import Mean, Objective, Sums

MIN_WEIGHT = 1e-9  # in place of weights of 0, which sparsemax and local attention give


@dataclass(kw_only=True, eq=False)
class GuidedAlignment(Objective):
    """Cross entropy of the target, and cross entropy between given word alignments and attention weights.

    With A the weights of a head, and G(t, s) = 1 / n for each of the n source pieces s that are linked to target piece
    t, the loss of a target token is

        CE(t) - weight * sum over s of G(t, s) log A(t, s)

    (Garg et al. 2019, arXiv:1909.02074, section 4.2, for the Transformer; Chen et al. 2016, arXiv:1607.01628, for a
    recurrent decoder). A(t) are the weights of the step that predicts piece t. A piece without links has no second
    term, and neither has the end of the sentence. Both terms are sums that are divided by the number of target tokens,
    as in the code of Garg et al. in fairseq, whose default weight is 0.05 too. (Marian divides the second term by the
    number of links.)

    `layer` and `head` choose the weights, both counted from 1. If `layer` is None, it is the layer before the last, or
    the only one. If `head` is None, it is the mean of all heads. Only this layer does not use the fused kernel. Weights
    below 1e-9 count as 1e-9, without gradient: with sparsemax, a source piece that gets no weight cannot be taught.

    The figure `alignment_loss` is the mean of the sum over s, without `weight`, over the target pieces with links.
    """

    needs_links = True

    weight: NonNegative = 0.05
    layer: PositiveInt | None = None
    head: PositiveInt | None = 1

    def __post_init__(self) -> None:
        self.needs_weights = CrossLayer(self.layer)

    def check(self, model: Seq2Seq) -> None:
        heads = max((getattr(each, "heads", 0) for each in model.decoder.attentions("cross")), default=0)
        if self.head is not None and 0 < heads < self.head:
            raise ParameterError(
                "head", f"got {self.head}, but the decoder has {heads}; expected 1 to {heads}, or null"
            )

    def __call__(self, hidden: Tensor, output: nn.Linear, batch: Batch, weights: AttentionWeights | None) -> Sums:
        sums = self.cross_entropy(hidden, output, batch)
        loss, pieces = self.alignment_loss(batch, weights)
        return replace(sums, loss=sums.loss + self.weight * loss, figures=_figures(loss, pieces))

    def validate(self, hidden: Tensor, output: nn.Linear, batch: Batch, weights: AttentionWeights | None) -> Sums:
        sums = super().validate(hidden, output, batch, weights)
        return replace(sums, figures=_figures(*self.alignment_loss(batch, weights)))

    def alignment_loss(self, batch: Batch, weights: AttentionWeights | None) -> tuple[Tensor, int]:
        """Return the cross entropy between the links and the weights, summed over target pieces with links.

        It is a scalar in nats. The second value is the number of these pieces.
        """
        assert weights is not None and weights.cross is not None and batch.links is not None
        heads = weights.cross[:, 0]  # (B, H, T, S)
        rows = (heads.mean(1) if self.head is None else heads[:, self.head - 1]).flatten(0, 1)  # (B * T, S)
        sentences, steps, places = batch.links.unbind(1)
        row = sentences * heads.shape[2] + steps  # (K,)
        counts = row.bincount()
        logs = rows[row, places].float().clamp(min=MIN_WEIGHT).log()
        return -(logs / counts[row]).sum(), int((counts > 0).sum())


def _figures(loss: Tensor, pieces: int) -> Mapping[str, Mean]:
    return {"alignment_loss": Mean(loss.detach(), pieces)} if pieces else {}
