"""The base classes of encoders, decoders and their states.

Legend: B sentences, K beams, N = B * K hypotheses (the beams of a sentence are adjacent), S source length, T target
length, D width, L layers, H heads, V vocabulary. Masks are bool and True at real tokens.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, Generic, Self, TypeVar

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class AttentionWeights:
    """Attention weights; a kind that the model does not have is None.

    `cross` is (B, L, H, T, S), `decoder_self` (B, L, H, T, T), `encoder_self` (B, L, H, S, S). A recurrent decoder has
    L = 1, and H = 1 except with multi-head attention. In a decoding step T is 1, and `decoder_self` is (N, L, H, 1, t)
    for the t tokens read so far.
    """

    cross: Tensor | None = None
    decoder_self: Tensor | None = None
    encoder_self: Tensor | None = None


@dataclass(frozen=True)
class CrossLayer:
    """Requests the cross attention of one layer only from a forward pass. All other layers use the fused kernel.

    `number` counts from 1. None is the layer before the last, or the only one.
    """

    number: int | None = None

    def index(self, layers: int) -> int:
        """Return the place of the layer among `layers` layers, from 0."""
        return max(0, layers - 2) if self.number is None else self.number - 1


@dataclass(frozen=True)
class EncoderOutput:
    """The result of an encoder: `memory` (B, S, D), `memory_mask` (B, S), `final_state` (B, L, D), `attention`.

    `final_state` holds hidden states of the width of the memory. If it is None, a recurrent decoder starts from the
    mean of the memory. `attention` is None unless `need_weights` was set.
    """

    memory: Tensor
    memory_mask: Tensor
    final_state: Tensor | None = None
    attention: AttentionWeights | None = None


def per_sentence() -> Any:
    """Mark a field of a `State` whose tensors have one row for each sentence (B, ...), shared by all its beams."""
    return field(metadata={"rows": "sentences"})


@dataclass(frozen=True)
class State:
    """The state that a decoder passes from step to step. It is immutable and is never stored in a module.

    Fields are tensors, None, other states, or tuples of these. Their first dimension counts hypotheses (N, ...), or
    sentences (B, ...) in fields declared with `per_sentence()`.
    """

    def select(self, rows: Tensor, sentences: Tensor | None = None) -> Self:
        """Return the state of the hypotheses with the indices `rows` (N',).

        Per-sentence fields change only if the indices `sentences` (B',) are given. A search uses this method to copy
        states to beams, to follow back-pointers, and to remove finished sentences.
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


StateT = TypeVar("StateT", bound=State)


class Encoder(nn.Module, ABC):
    """Maps source ids to a memory.

    `embedding` is the input table. `width` is the last dimension of the memory. `attends` is True if the encoder has
    attention weights. `max_length` is the largest number of source tokens, eos included; None if every length works.
    """

    embedding: nn.Embedding
    width: int
    attends: bool = False
    max_length: int | None = None

    @abstractmethod
    def forward(self, source: Tensor, source_mask: Tensor, *, need_weights: bool = False) -> EncoderOutput:
        """Encode `source` (B, S) with `source_mask` (B, S). Attention weights are returned only with `need_weights`."""


class Decoder(nn.Module, ABC, Generic[StateT]):
    """Maps target ids to hidden states, and hidden states to logits.

    `embedding` is the input table. `output` is the only layer that computes logits (..., V); its weight may be tied to
    an embedding. `attends` is True if the decoder has attention weights. `max_length` is the largest number of tokens
    that it can read and therefore also generate; None if every length works. `StateT` is the class of its state.
    """

    embedding: nn.Embedding
    attends: bool = False
    output: nn.Linear
    max_length: int | None = None

    def attentions(self, kind: str) -> Sequence[nn.Module]:
        """Return the module of each layer that computes attention of the kind "cross" or "decoder_self", for a trace.

        The list is empty if the decoder has no such attention.
        """
        return []

    @abstractmethod
    def forward(
        self, target_in: Tensor, encoded: EncoderOutput, *, need_weights: bool | CrossLayer = False
    ) -> tuple[Tensor, AttentionWeights | None]:
        """Return the hidden states (B, T, D) of all tokens `target_in` (B, T). They must equal T steps.

        All attention weights are returned with `need_weights`. For a `CrossLayer`, there is only `cross`
        (B, 1, H, T, S), the weights of that layer.
        """

    @abstractmethod
    def init_state(self, encoded: EncoderOutput) -> StateT:
        """Return the state before the first token, with one hypothesis for each sentence (N = B)."""

    @abstractmethod
    def step(
        self, tokens: Tensor, state: StateT, *, need_weights: bool = False
    ) -> tuple[Tensor, AttentionWeights | None, StateT]:
        """Read the next token of each hypothesis, `tokens` (N,).

        Returns the hidden states (N, D), the attention weights (None without `need_weights`) and the next state.
        """


def stack_layers(layers: Sequence[Tensor | None]) -> Tensor:
    """Return the weights (B, H, T, S) of L layers as one tensor (B, L, H, T, S)."""
    return torch.stack([layer for layer in layers if layer is not None], dim=1)
