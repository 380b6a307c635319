"""A description of a Transformer, for the formats that hold one, and the reasons why a format cannot hold a model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import torch
from torch import Tensor, nn

from nmt.errors import UserError
from nmt.models.layers import GatedLinearUnit
from nmt.models.multihead import MultiHeadAttention
from nmt.models.positions.base import Positions
from nmt.models.positions.learned import Learned
from nmt.models.positions.rotary import Rotary
from nmt.models.positions.sinusoidal import Sinusoidal
from nmt.models.seq2seq import Seq2Seq
from nmt.models.transformer import (
    ACTIVATIONS,
    NORMS,
    DecoderLayer,
    EncoderLayer,
    Residual,
    TransformerDecoder,
    TransformerEncoder,
)

POSITIONS: dict[type[Positions], str] = {Sinusoidal: "sinusoidal", Learned: "learned", Rotary: "rotary"}
RECURRENT = "use format=onnx, which holds every model"


@dataclass(frozen=True)
class Stack:
    """An encoder or a decoder, with the settings that all its layers share. `positions` are None if a format of other
    programs has no such ones.
    """

    module: TransformerEncoder | TransformerDecoder
    positions: str | None
    norm: str
    norm_first: bool
    activation: str
    heads: int
    qk_norm: bool
    attention_gate: bool

    @property
    def width(self) -> int:
        """The width D of the hidden states."""
        return self.module.embedding.embedding_dim

    @property
    def glu(self) -> bool:
        """Whether the activation is a gated linear unit."""
        return issubclass(ACTIVATIONS[self.activation], GatedLinearUnit)

    def table(self, count: int) -> Tensor:
        """Return what is added to the embeddings at the first `count` positions, (count, D)."""
        with torch.no_grad():
            return self.module.positions.embed(torch.zeros(1, count, self.width))[0]


def encoder_layers(model: Seq2Seq) -> list[EncoderLayer]:
    """Return the layers of the encoder."""
    return [cast(EncoderLayer, layer) for layer in cast(TransformerEncoder, model.encoder).layers]


def decoder_layers(model: Seq2Seq) -> list[DecoderLayer]:
    """Return the layers of the decoder."""
    return [cast(DecoderLayer, layer) for layer in cast(TransformerDecoder, model.decoder).layers]


def stacks(model: Seq2Seq, format: str) -> tuple[Stack, Stack]:
    """Return the encoder and the decoder of a Transformer. Raises UserError, which names the format, for others."""
    encoder, decoder = model.encoder, model.decoder
    if type(encoder) is not TransformerEncoder or type(decoder) is not TransformerDecoder:
        raise UserError(f"ckpt: format={format} holds a Transformer encoder and decoder only; {RECURRENT}")
    return _stack(encoder, format), _stack(decoder, format)


def raise_if_unsupported(side: str, problems: Iterator[str], format: str) -> None:
    """Raise UserError if a stack has anything that a format cannot hold."""
    found = list(problems)
    if found:
        raise UserError(*(f"ckpt: format={format} cannot hold this model, whose {side} has {each}" for each in found))


def _stack(module: TransformerEncoder | TransformerDecoder, format: str) -> Stack:
    attentions = [each for each in module.modules() if isinstance(each, MultiHeadAttention)]
    residuals = [each for each in module.modules() if isinstance(each, Residual)]
    activations = {type(cast(EncoderLayer, layer).feed_forward[1]) for layer in module.layers}
    settings = {
        (
            residual.norm_first,
            _name(NORMS, type(residual.norm)),
        )
        for residual in residuals
    }
    heads = {
        (attention.heads, not isinstance(attention.query_norm, nn.Identity), attention.gate is not None)
        for attention in attentions
    }
    if len(activations) > 1 or len(settings) > 1 or len(heads) > 1:
        raise UserError(f"ckpt: format={format} holds layers with equal settings only")
    ((norm_first, norm),), ((count, qk_norm, gate),), (activation,) = settings, heads, activations
    return Stack(
        module=module,
        positions=POSITIONS.get(type(module.positions)),
        norm=norm,
        norm_first=norm_first,
        activation=_name(ACTIVATIONS, activation),
        heads=count,
        qk_norm=qk_norm,
        attention_gate=gate,
    )


def _name(table: dict[str, type[nn.Module]], kind: type) -> str:
    return next(name for name, each in table.items() if each is kind)


def scaled_query(attention: MultiHeadAttention) -> tuple[Tensor, Tensor]:
    """Return the weight and the bias of the queries for an engine that divides scores by the root of the head width."""
    factor = attention.scale * (attention.query.out_features // attention.heads) ** 0.5
    return attention.query.weight.detach() * factor, attention.query.bias.detach() * factor
