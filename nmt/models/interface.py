"""What every encoder and decoder promises; the only file that encoders, decoders and search share.

Legend: B sentences, K beams, N = B*K hypotheses (a sentence's beams adjacent), S source length,
T target length, D width, L layers, H heads, V vocabulary. Masks are bool, True = a real token.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Self

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class AttentionWeights:
    """Attention weights that were asked for; what a model does not have is None.

    `cross` is (B, L, H, T, S), `decoder_self` (B, L, H, T, T), `encoder_self` (B, L, H, S, S); a recurrent decoder has
    L = H = 1. From one decoding step T is 1, and `decoder_self` is (N, L, H, 1, t) for the t tokens read so far.
    """

    cross: Tensor | None = None
    decoder_self: Tensor | None = None
    encoder_self: Tensor | None = None


@dataclass(frozen=True)
class EncoderOutput:
    """`memory` (B, S, D), `memory_mask` (B, S), `final_state` (B, L, D) or None, `attention` or None.

    `final_state` is plain hidden state, as wide as the memory; where it is None the decoder's bridge takes the masked
    mean of the memory.
    """

    memory: Tensor
    memory_mask: Tensor
    final_state: Tensor | None = None
    attention: AttentionWeights | None = None


def per_sentence() -> Any:
    """Mark a field of a `State` whose tensors have one row a sentence (B, ...), shared by its beams."""
    return field(metadata={"rows": "sentences"})


@dataclass(frozen=True)
class State:
    """What a decoder carries from step to step: a value, never kept on a module.

    Fields are tensors, None, other states, or tuples of these. Their first dimension counts hypotheses (N, ...), or
    sentences (B, ...) for fields declared with `per_sentence()`.
    """

    def select(self, rows: Tensor, sentences: Tensor | None = None) -> Self:
        """Return the state of the hypotheses `rows` (N',), indices into N.

        Per-sentence fields stay as they are unless `sentences` (B',) is given. Expanding to beams, following
        back-pointers and dropping finished sentences are all this one call.
        """
        changes = {}
        for entry in fields(self):
            shared = entry.metadata.get("rows") == "sentences"
            changes[entry.name] = _select(getattr(self, entry.name), sentences if shared else rows, rows, sentences)
        return replace(self, **changes)


def _select(value: Any, index: Tensor | None, rows: Tensor, sentences: Tensor | None) -> Any:
    if isinstance(value, State):
        return value.select(rows, sentences)
    if isinstance(value, tuple):
        return tuple(_select(item, index, rows, sentences) for item in value)
    if value is None or index is None:
        return value
    return value.index_select(0, index)


class Encoder(nn.Module, ABC):
    """Source ids to memory.

    `embedding` is its input table, `width` the last dimension of its memory; `attends` tells whether it has weights
    to show.
    """

    embedding: nn.Embedding
    width: int
    attends: bool

    @abstractmethod
    def forward(self, source: Tensor, source_mask: Tensor, *, need_weights: bool = False) -> EncoderOutput:
        """Encode `source` (B, S) under `source_mask` (B, S); weights are returned only when asked for."""


class Decoder(nn.Module, ABC):
    """Target ids to hidden states, and hidden states to logits.

    `embedding` is its input table; `output(hidden)` alone makes logits (..., V), and owns the
    (possibly tied) weight. `attends` tells whether it has weights to show.
    """

    embedding: nn.Embedding
    attends: bool
    output: nn.Linear

    @abstractmethod
    def forward(
        self, target_in: Tensor, encoded: EncoderOutput, *, need_weights: bool = False
    ) -> tuple[Tensor, AttentionWeights | None]:
        """Return hidden (B, T, D) for the whole prefix `target_in` (B, T) at once; equals the stacked steps."""

    @abstractmethod
    def init_state(self, encoded: EncoderOutput) -> State:
        """Return the state before the first token, one hypothesis a sentence (N = B)."""

    @abstractmethod
    def step(
        self, tokens: Tensor, state: Any, *, need_weights: bool = False
    ) -> tuple[Tensor, AttentionWeights | None, Any]:
        """Read one token each, `tokens` (N,); return hidden (N, D), weights if asked for, and the next state."""


def masked_mean(memory: Tensor, mask: Tensor) -> Tensor:
    """Return the mean (B, D) of `memory` (B, S, D) over the real positions of `mask` (B, S)."""
    weights = mask.to(memory.dtype).unsqueeze(-1)
    return (memory * weights).sum(1) / weights.sum(1)


def stack_layers(layers: Sequence[Tensor | None]) -> Tensor:
    """Stack one weight tensor (B, H, T, S) a layer into (B, L, H, T, S)."""
    return torch.stack([layer for layer in layers if layer is not None], dim=1)
