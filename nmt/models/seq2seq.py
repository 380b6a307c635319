"""An encoder and a decoder as one model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

import torch
from torch import Tensor, nn

from nmt.errors import ParameterError
from nmt.models.interface import AttentionWeights, CrossLayer, Decoder, Encoder, State
from nmt.require import require_choice

TIES = ("none", "target", "all")


class Seq2Seq(nn.Module):
    """An encoder and a decoder; any encoder works with any decoder.

    `tie_embeddings` is "none"; "target", which shares the decoder's input table with the output layer; or "all", which
    shares the encoder's table too (arXiv:1706.03762, section 3.4) and needs a joint vocabulary. Raises ParameterError
    for another value, and for tables of different shapes.

    `config` is the plain config that `nmt.build.build_model` made the model from, or None.
    """

    config: Mapping[str, Any] | None = None

    def __init__(
        self, encoder: Encoder, decoder: Decoder, *, tie_embeddings: Literal["none", "target", "all"] = "none"
    ) -> None:
        super().__init__()
        require_choice(TIES, tie_embeddings=tie_embeddings)
        self.encoder = encoder
        self.decoder = decoder
        if tie_embeddings in ("target", "all"):
            self._tie_output()
        if tie_embeddings == "all":
            self._tie_source()

    def _tie_output(self) -> None:
        table, output = self.decoder.embedding.weight, self.decoder.output.weight
        if table.shape != output.shape:
            raise ParameterError(
                "tie_embeddings",
                f"got a decoder whose embeddings are {table.shape[1]} wide and whose output layer reads "
                f"{output.shape[1]}, expected equal widths; make them equal or use 'none'",
            )
        self.decoder.output.weight = self.decoder.embedding.weight

    def _tie_source(self) -> None:
        source, target = self.encoder.embedding.weight, self.decoder.embedding.weight
        if source.shape != target.shape:
            raise ParameterError(
                "tie_embeddings",
                f"got 'all' with source embeddings {tuple(source.shape)} and target embeddings {tuple(target.shape)}, "
                f"expected one shape; use one joint vocabulary and equal widths, or use 'target'",
            )
        self.encoder.embedding.weight = self.decoder.embedding.weight

    def forward(
        self, source: Tensor, source_mask: Tensor, target_in: Tensor, *, need_weights: bool | CrossLayer = False
    ) -> tuple[Tensor, AttentionWeights | None]:
        """Return hidden states (B, T, D) for the given `target_in` (B, T), and all attention weights if requested.

        `Decoder.forward` says what a `CrossLayer` requests.
        """
        encoded = self.encoder(source, source_mask, need_weights=need_weights is True)
        hidden, weights = self.decoder(target_in, encoded, need_weights=need_weights)
        if not need_weights:
            return hidden, None
        encoder_self = encoded.attention.encoder_self if encoded.attention else None
        weights = weights or AttentionWeights()
        return hidden, AttentionWeights(weights.cross, weights.decoder_self, encoder_self)

    def start(self, source: Tensor, source_mask: Tensor) -> State:
        """Return the decoder's state before the first token, with one hypothesis for each sentence."""
        return self.decoder.init_state(self.encoder(source, source_mask))

    def step(self, tokens: Tensor, state: State) -> tuple[Tensor, State]:
        """Read one token for each hypothesis, `tokens` (N,). Return log-probabilities (N, V) and the next state.

        The log-probabilities are float32. A search strategy is called with this method as its step function.
        """
        hidden, _, state = self.decoder.step(tokens, state)
        return torch.log_softmax(self.decoder.output(hidden).float(), dim=-1), state
