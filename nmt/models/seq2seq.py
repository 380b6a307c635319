"""An encoder and a decoder as one model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from nmt.errors import UserError
from nmt.models.interface import AttentionWeights, Decoder, Encoder, State

TIES = ("none", "target", "all")


class Seq2Seq(nn.Module):
    """An encoder-decoder; any encoder goes with any decoder.

    `tie_embeddings`: "none"; "target" shares the decoder's input table with the output layer; "all" shares the
    encoder's table too (arXiv:1706.03762, section 3.4) and needs a joint vocabulary.

    `config` is the plain config that `nmt.build.build_model` made the model from; None for a model made otherwise.
    """

    config: Mapping[str, Any] | None = None

    def __init__(self, encoder: Encoder, decoder: Decoder, *, tie_embeddings: str = "none") -> None:
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder
        if tie_embeddings not in TIES:
            raise UserError(f"model.tie_embeddings: got '{tie_embeddings}', expected one of {', '.join(TIES)}")
        if tie_embeddings in ("target", "all"):
            self._tie_output()
        if tie_embeddings == "all":
            self._tie_source()

    def _tie_output(self) -> None:
        table, output = self.decoder.embedding.weight, self.decoder.output.weight
        if table.shape != output.shape:
            raise UserError(
                f"model.tie_embeddings: the decoder's embeddings are {table.shape[1]} wide and its output layer reads "
                f"{output.shape[1]}; give both the same width, or use model.tie_embeddings=none"
            )
        self.decoder.output.weight = self.decoder.embedding.weight

    def _tie_source(self) -> None:
        source, target = self.encoder.embedding.weight, self.decoder.embedding.weight
        if source.shape != target.shape:
            raise UserError(
                f"model.tie_embeddings=all: the source embeddings are {tuple(source.shape)} and the target's "
                f"{tuple(target.shape)}; that takes a joint vocabulary (tokenizer.joint=true) and equal widths"
            )
        self.encoder.embedding.weight = self.decoder.embedding.weight

    def forward(
        self, source: Tensor, source_mask: Tensor, target_in: Tensor, *, need_weights: bool = False
    ) -> tuple[Tensor, AttentionWeights | None]:
        """Return hidden (B, T, D) of the forced target prefix, and the weights of all attentions if asked for."""
        encoded = self.encoder(source, source_mask, need_weights=need_weights)
        hidden, weights = self.decoder(target_in, encoded, need_weights=need_weights)
        if not need_weights:
            return hidden, None
        encoder_self = encoded.attention.encoder_self if encoded.attention else None
        weights = weights or AttentionWeights()
        return hidden, AttentionWeights(weights.cross, weights.decoder_self, encoder_self)

    def start(self, source: Tensor, source_mask: Tensor) -> State:
        """Return the decoder's state before the first token, one hypothesis a sentence."""
        return self.decoder.init_state(self.encoder(source, source_mask))

    def step(self, tokens: Tensor, state: State) -> tuple[Tensor, State]:
        """Read one token each, `tokens` (N,); return log-probabilities (N, V) in float32 and the next state.

        This is the step function that a search strategy is called with.
        """
        hidden, _, state = self.decoder.step(tokens, state)
        return torch.log_softmax(self.decoder.output(hidden).float(), dim=-1), state
