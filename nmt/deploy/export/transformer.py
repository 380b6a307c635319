"""What formats of a Transformer share: its two stacks, what they cannot hold, and the head that aligns words best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from nmt.data.aligner import Aligner
from nmt.errors import UserError, raise_if_any
from nmt.models.multihead import MultiHeadAttention
from nmt.models.seq2seq import Seq2Seq
from nmt.models.transformer import TransformerDecoder, TransformerEncoder
from nmt.translation.translator import ModelTranslator

Stack = TransformerEncoder | TransformerDecoder
MAPS_AT_ONCE = 64  # in memory


def stacks(model: Seq2Seq, format: str) -> tuple[TransformerEncoder, TransformerDecoder]:
    """Return the encoder and the decoder of a Transformer. Raises UserError, which names the format, for others."""
    encoder, decoder = model.encoder, model.decoder
    if type(encoder) is not TransformerEncoder or type(decoder) is not TransformerDecoder:
        raise UserError(
            f"ckpt: format={format} holds a Transformer encoder and decoder only; train one with model=transformer"
        )
    return encoder, decoder


def raise_if_unsupported(side: str, problems: Iterator[str], format: str) -> None:
    """Raise UserError if a stack has anything that a format cannot hold."""
    raise_if_any([f"ckpt: format={format} cannot hold this model, whose {side} has {each}" for each in problems])


def table(stack: Stack, count: int) -> Tensor:
    """Return what is added to the embeddings at the first `count` positions, (count, D)."""
    with torch.no_grad():
        return stack.positions.embed(torch.zeros(1, count, stack.block.width))[0]


def scaled_query(attention: MultiHeadAttention) -> tuple[Tensor, Tensor]:
    """Return the weight and the bias of the queries for an engine that divides scores by the root of the head width."""
    factor = attention.scale * (attention.query.out_features // attention.heads) ** 0.5
    return attention.query.weight.detach() * factor, attention.query.bias.detach() * factor


@dataclass(frozen=True)
class AlignmentHead:
    """A head of the cross attention; `layer` and `head` count from 0.

    `agreement` is the share of target pieces whose highest weight is on the piece that a statistical aligner chooses.
    """

    layer: int
    head: int
    agreement: float


def best_head(translator: ModelTranslator, sources: Sequence[str], targets: Sequence[str]) -> AlignmentHead:
    """Return the head that agrees most with an aligner, which learns from these pairs. Ends of sentences do not count.

    Engines that return the attention of one head only (for word alignments) then return that of this one.
    """
    scored = translator.score(sources, targets)
    pairs = [(each.encoded.ids[0][:-1], each.tokens[:-1]) for each in scored]
    aligner = Aligner(pairs)
    agreed: Tensor | int = 0  # of each layer and head, (L, H)
    for start in range(0, len(scored), MAPS_AT_ONCE):
        part = slice(start, start + MAPS_AT_ONCE)
        for attention, pair in zip(translator.attention_maps(scored[part]), pairs[part], strict=True):
            assert attention.cross is not None
            links = torch.tensor(aligner.links(*pair)[0], dtype=torch.long)
            agreed = agreed + (attention.cross[:, :, : len(links)].argmax(-1) == links).sum(-1)
    assert isinstance(agreed, Tensor)
    layer, head = divmod(int(agreed.argmax()), agreed.shape[1])
    return AlignmentHead(layer, head, float(agreed.max()) / max(1, sum(len(target) for _, target in pairs)))
