"""A model whose decoding state also says how much attention each source token has got."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from nmt.errors import UserError
from nmt.models.interface import State
from nmt.models.seq2seq import Seq2Seq


@dataclass(frozen=True)
class Covered(State):
    """The decoder's state `inner`, and `coverage` (N, S): the attention that each source token has got so far.

    One step adds the attention of the decoder's last token: the mean over layers and heads. Padding counts 1.
    """

    inner: State
    coverage: Tensor


class Covering:
    """Starts and steps as `model` does, with `Covered` states. Raises UserError if its decoder has no attention."""

    def __init__(self, model: Seq2Seq) -> None:
        if not model.decoder.attends:
            raise UserError(
                "search.coverage_penalty: the decoder of this model has no attention; use search.coverage_penalty=0"
            )
        self.model = model

    def start(self, source: Tensor, source_mask: Tensor) -> Covered:
        """Return the state before the first token, with one hypothesis for each sentence."""
        return Covered(self.model.start(source, source_mask), (~source_mask).float())

    def step(self, tokens: Tensor, state: Covered) -> tuple[Tensor, Covered]:
        """Read `tokens` (N,); return log-probabilities (N, V) in float32 and the next state."""
        hidden, weights, inner = self.model.decoder.step(tokens, state.inner, need_weights=True)
        assert weights is not None and weights.cross is not None
        attention = weights.cross.float().mean((1, 2)).squeeze(1)  # (N, L, H, 1, S) -> (N, S)
        log_probs = torch.log_softmax(self.model.decoder.output(hidden).float(), dim=-1)
        return log_probs, Covered(inner, state.coverage + attention)
