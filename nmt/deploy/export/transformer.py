"""What formats of a Transformer share: its two stacks, and what they cannot hold."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from nmt.errors import UserError, raise_if_any
from nmt.models.multihead import MultiHeadAttention
from nmt.models.seq2seq import Seq2Seq
from nmt.models.transformer import TransformerDecoder, TransformerEncoder

Stack = TransformerEncoder | TransformerDecoder


def stacks(model: Seq2Seq, format: str) -> tuple[TransformerEncoder, TransformerDecoder]:
    """Return the encoder and the decoder of a Transformer. Raises UserError, which names the format, for others."""
    encoder, decoder = model.encoder, model.decoder
    if type(encoder) is not TransformerEncoder or type(decoder) is not TransformerDecoder:
        raise UserError(
            f"ckpt: format={format} holds a Transformer encoder and decoder only; train one with model=transformer"
        )
    return encoder, decoder


def require_settings(model: Seq2Seq, format: str, **held: list[Any]) -> None:
    """Raise UserError for a Transformer with a setting that a format cannot hold.

    `held` has the values that it can hold of the settings of a block, and the classes of `positions`.
    """
    encoder, decoder = stacks(model, format)
    raise_if_any(
        f"ckpt: format={format} cannot hold this model: its {side} has {name}={_word(value)}, expected "
        f"{' or '.join(map(_word, values))}; docs/deploying.md says what each format holds"
        for side, stack in (("encoder", encoder), ("decoder", decoder))
        for name, values in held.items()
        if (value := type(stack.positions) if name == "positions" else getattr(stack.block, name)) not in values
    )


def _word(value: object) -> str:
    return str(value.__name__ if isinstance(value, type) else value).lower()


def table(stack: Stack, count: int) -> Tensor:
    """Return what is added to the embeddings at the first `count` positions, (count, D)."""
    with torch.no_grad():
        return stack.positions.embed(torch.zeros(1, count, stack.block.width))[0]


def scaled_query(attention: MultiHeadAttention) -> tuple[Tensor, Tensor]:
    """Return the weight and the bias of the queries for an engine that divides scores by the root of the head width."""
    factor = attention.scale * (attention.query.out_features // attention.heads) ** 0.5
    return attention.query.weight.detach() * factor, attention.query.bias.detach() * factor
