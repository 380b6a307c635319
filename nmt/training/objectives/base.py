"""The base class of training objectives, and the sums that they return."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar, cast

import torch
from torch import Tensor, nn

from nmt.data.batches import Batch
from nmt.errors import UserError
from nmt.models.interface import AttentionWeights, CrossLayer
from nmt.models.layers import draws
from nmt.models.seq2seq import Seq2Seq
from nmt.parameters import Fraction
from nmt.tokens import BOS, EOS, PAD


@dataclass(frozen=True)
class Mean:
    """A mean as the sum of the values, which may be a tensor, and their number, so that batches can be added."""

    total: Tensor | float
    count: int


@dataclass(frozen=True)
class Sums:
    """Sums over the real target tokens of a batch.

    `loss` is a scalar with gradient. `nll` is the negative log-likelihood of the targets in nats, a scalar without
    gradient; with several passes, it is their mean. `tokens` counts the tokens of one pass. `figures` are further means
    for the logs, by name; a mean without values is left out.
    """

    loss: Tensor
    nll: Tensor
    tokens: int
    figures: Mapping[str, Mean] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.tokens, int) or self.loss.dim() or {"loss", "nll"} & self.figures.keys():
            raise UserError("objective: expected a scalar loss, tokens as an int, and no figure called loss or nll")


@dataclass(kw_only=True, eq=False)
class Objective(ABC):
    """The loss of a batch, as sums over its real target tokens.

    A subclass is one file in this package (or in your own package) and one YAML in configs/objective. Its fields are
    its settings. Three attributes declare its needs:

    - `passes`: the number of forward passes of the same batch that it compares. They are copies of the batch in one
      call of the model; dropout differs between them.
    - `needs_weights`: whether it reads attention weights. The model then computes them explicitly, which is slower than
      the fused kernel. With a `CrossLayer`, it computes only the cross attention of one layer in this way.
    - `needs_links`: whether it reads `Batch.links`. The training pairs must then have word alignments.

    `label_smoothing` is the share of the target distribution that is spread evenly over the vocabulary.
    `word_dropout` is the share of the input pieces that are hidden in training (arXiv:1512.05287; arXiv:1905.11901,
    section 4.1).
    """

    passes: ClassVar[int] = 1
    needs_links: ClassVar[bool] = False
    needs_weights = cast(bool | CrossLayer, False)  # not a field; an instance may choose its layer

    label_smoothing: Fraction = 0.1
    word_dropout: Fraction = 0.0

    def check(self, model: Seq2Seq) -> None:  # noqa: B027 - most objectives fit every model
        """Raise ParameterError for a model that does not fit, before a run begins."""

    def inputs(self, batch: Batch) -> tuple[Tensor, Tensor, Tensor]:
        """Return `source`, `source_mask` and `target_in` of all passes, as the model reads them in training.

        With P passes and B sentences they have P * B rows: all rows of the first pass, then all of the second, and so
        on. Word dropout hides different pieces in each pass.
        """
        source, mask, target_in = (
            x if self.passes == 1 else x.repeat(self.passes, 1)
            for x in (batch.source, batch.source_mask, batch.target_in)
        )
        return hide(source, self.word_dropout), mask, hide(target_in, self.word_dropout)

    def training_sums(self, model: Seq2Seq, batch: Batch) -> Sums:
        """Return the sums of one training batch of B sentences, computed with the model."""
        hidden, weights = model(*self.inputs(batch), need_weights=self.needs_weights)
        return self(hidden, model.decoder.output, batch, weights)

    @abstractmethod
    def __call__(self, hidden: Tensor, output: nn.Linear, batch: Batch, weights: AttentionWeights | None) -> Sums:
        """Return the sums of one training batch from its hidden states.

        `hidden` (P * B, T, D) are the hidden states for the `inputs`. `output` projects them to logits. `batch` has the
        targets `target_out` and `target_mask` (True = real token), both (B, T), which are the same for every pass.
        `weights` has P * B rows like `hidden`, or is None without `needs_weights`.

        The trainer divides `Sums.loss` by `Sums.tokens` of the complete update, over all processes and accumulated
        batches; so `tokens` counts the tokens of one copy of the batch.
        """

    def validate(self, hidden: Tensor, output: nn.Linear, batch: Batch, weights: AttentionWeights | None) -> Sums:
        """Return the sums of one validation batch: the cross entropy of one pass with this `label_smoothing`.

        Losses are comparable only between runs with equal smoothing. Perplexity, which is computed from `Sums.nll`,
        does not depend on the smoothing. Shapes are as in `__call__` with P = 1.
        """
        return self.cross_entropy(hidden, output, batch)

    def cross_entropy(self, hidden: Tensor, output: nn.Linear, batch: Batch) -> Sums:
        """Return the sums of the cross entropy of all passes with this `label_smoothing`."""
        return self.sums(real_log_probs(hidden, output, batch), batch)

    def sums(self, log_probs: Tensor, batch: Batch) -> Sums:
        """Return the sums of the cross entropy of the passes whose `real_log_probs` (P, N, V) are given.

        With smoothing e the target distribution is (1 - e) on the target token plus e / V on every token
        (arXiv:1512.00567, section 7), as in torch.nn.functional.cross_entropy.
        """
        targets = batch.target_out[batch.target_mask].expand(len(log_probs), -1)  # (P, N)
        loss = nll = -log_probs.gather(2, targets.unsqueeze(2)).sum()
        if self.label_smoothing:
            loss = (1 - self.label_smoothing) * nll - self.label_smoothing * log_probs.mean(2).sum()
        return Sums(loss, nll.detach() / len(log_probs), targets.shape[1])


def real_log_probs(hidden: Tensor, output: nn.Linear, batch: Batch) -> Tensor:
    """Return the log-probabilities (P, N, V) of the N real target positions in each pass, at least in float32.

    `hidden` is (P * B, T, D), the P passes one after another. Padding is left out before the projection.
    """
    real = batch.target_mask.flatten().nonzero().squeeze(1)
    rows = hidden.reshape(len(hidden) // len(batch.target_mask), -1, hidden.shape[-1]).index_select(1, real)
    logits: Tensor = output(rows)
    return logits.to(torch.promote_types(logits.dtype, torch.float32)).log_softmax(2)


def hide(tokens: Tensor, share: float) -> Tensor:
    """Return `tokens` (B, T) with PAD in place of a random `share` of the pieces.

    The embedding of PAD is zero, so a hidden piece is a position without content: its mask stays True. The beginning
    and the end of a sentence are never hidden.
    """
    if share == 0.0:
        return tokens
    special = (tokens == PAD) | (tokens == BOS) | (tokens == EOS)
    chosen = torch.rand(tokens.shape, device=tokens.device, generator=draws.generator) < share
    return tokens.masked_fill(chosen & ~special, PAD)
