"""A model of one's own is tried on toy sentences before data are read; a mistake names the module."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from nmt.errors import ParameterError
from nmt.models.attention.base import Attention, AttentionMemory
from nmt.models.interface import EncoderOutput
from nmt.models.positions.alibi import Alibi
from nmt.models.positions.base import Positions
from nmt.models.rnn import RecurrentEncoder
from nmt.models.rnn_decoder import RecurrentDecoder
from nmt.models.seq2seq import Seq2Seq
from nmt.models.transformer import TransformerBlock, TransformerDecoder, TransformerEncoder
from nmt.models.trial import try_model


class Dot(Attention):
    def project_keys(self, memory: Tensor) -> Tensor:
        return memory

    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        return query @ memory.keys.transpose(1, 2)


class Padded(Dot):
    """Gives weight to padding."""

    def normalize(self, scores: Tensor) -> Tensor:
        return scores.masked_fill(scores.isinf(), 0.0).softmax(-1)


class Narrow(Dot):
    """Forgets the dimension of the source."""

    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        return super().score(query, memory, state).sum(-1, keepdim=True)


class FirstRows(Positions):
    """Lowers the score of keys that are more than 8 tokens away, in a later step as in the first."""

    def bias(self, queries: Tensor, length: int, *, start: int = 0, scale: float = 1.0) -> Tensor:
        return (8.0 - (torch.arange(queries.shape[2])[:, None] - torch.arange(length)).abs()).clamp(max=0)[None, None]


class LayersFirst(RecurrentEncoder):
    """Returns its final state as torch's recurrent layers do."""

    def forward(self, source: Tensor, source_mask: Tensor, *, need_weights: bool = False) -> EncoderOutput:
        encoded = super().forward(source, source_mask, need_weights=need_weights)
        assert encoded.final_state is not None
        return EncoderOutput(encoded.memory, encoded.memory_mask, encoded.final_state.transpose(0, 1))


class Pair(RecurrentEncoder):
    """Returns a tuple."""

    def forward(self, source: Tensor, source_mask: Tensor, *, need_weights: bool = False) -> Any:
        return tuple(vars(super().forward(source, source_mask, need_weights=need_weights)).values())


class Unmasked(RecurrentEncoder):
    """Reads the whole row in both directions."""

    def forward(self, source: Tensor, source_mask: Tensor, *, need_weights: bool = False) -> EncoderOutput:
        encoded = super().forward(source, torch.ones_like(source_mask), need_weights=need_weights)
        return EncoderOutput(encoded.memory, source_mask, encoded.final_state)


class Mixing(RecurrentEncoder):
    """Joins the vectors of different sentences."""

    def forward(self, source: Tensor, source_mask: Tensor, *, need_weights: bool = False) -> EncoderOutput:
        encoded = super().forward(source, source_mask, need_weights=need_weights)
        mixed = encoded.memory.transpose(0, 1).reshape(encoded.memory.shape)
        return EncoderOutput(mixed, source_mask, encoded.final_state)


class Averaging(RecurrentDecoder):
    """Begins with the mean of the memory, and counts padding."""

    def init_state(self, encoded: EncoderOutput) -> Any:
        return super().init_state(replace(encoded, final_state=encoded.memory.mean(1, keepdim=True)))


class Forgetting(RecurrentDecoder):
    """Begins each step with the state of the first beam of the sentence."""

    def step(self, tokens: Tensor, state: Any, *, need_weights: bool = False) -> Any:
        first = torch.arange(len(tokens)) // 2 * 2
        return super().step(tokens[first], state.select(first), need_weights=need_weights)


class Unused(RecurrentDecoder):
    """Has weights that no prediction depends on."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.spare = nn.Linear(2, 2)


def recurrent(
    attention: type[Attention] | None = Dot,
    encoder: type[RecurrentEncoder] = RecurrentEncoder,
    decoder: type[RecurrentDecoder] = RecurrentDecoder,
) -> Seq2Seq:
    torch.manual_seed(0)
    sizes = {"vocab_size": 8, "memory_width": 8, "embedding_width": 8, "readout_width": 8}
    return Seq2Seq(
        encoder(vocab_size=8, embedding_width=8, hidden_width=4), decoder(**sizes, width=8, attention=attention)
    )


@pytest.mark.parametrize(
    ("parts", "module", "words"),
    [
        ({"attention": Padded}, "decoder.attention", "got weights of padding, expected 0: mask scores with -inf"),
        ({"attention": Narrow}, "decoder.attention", r"got scores of the shape \(5, \d+, 1\), expected \(5, \d+, 3\)"),
        ({"attention": partial(Dot, normalizer="sofmax")}, "normalizer", "got 'sofmax', expected one of softmax"),
        ({"encoder": Unmasked}, "encoder", "memory or the final state of a sentence change with its padding"),
        ({"encoder": Mixing}, "encoder", "or with the other sentences of the batch"),
        ({"encoder": LayersFirst}, "encoder", r"final_state \(B, L, width\) of the shape \(1, 5, 8\)"),
        ({"encoder": Pair}, "encoder", "tuple, expected EncoderOutput"),
        ({"decoder": Averaging}, "decoder", "hidden states of a sentence change with its padding"),
        ({"decoder": Forgetting}, "decoder", "step 2 does not return the hidden states of forward"),
        ({"decoder": Unused}, "decoder.spare", "no prediction depends on the weights decoder.spare.weight; leave"),
    ],
)
def test_a_mistake_is_found_and_its_module_named(parts: dict[str, Any], module: str, words: str) -> None:
    with pytest.raises(ParameterError, match=words) as caught:
        try_model(recurrent(**parts))
    assert caught.value.parameter == module


@pytest.mark.parametrize("seed", range(3))
def test_steps_whose_positions_begin_anew_are_found(seed: int) -> None:
    torch.manual_seed(seed)
    parts = {"vocab_size": 8, "layers": 4, "block": TransformerBlock(width=16, heads=2, feed_forward=16)}
    try_model(Seq2Seq(TransformerEncoder(**parts), TransformerDecoder(**parts, memory_width=16, positions=Alibi)))
    decoder = TransformerDecoder(**parts, memory_width=16, positions=FirstRows)
    with pytest.raises(ParameterError, match=r"step \d+ does not return the hidden states of forward"):
        try_model(Seq2Seq(TransformerEncoder(**parts), decoder))


@pytest.mark.parametrize(("attention", "words"), [(None, "memory or the final state"), (Dot, "that are no numbers")])
def test_a_model_that_computes_nan_is_refused(attention: type[Attention] | None, words: str) -> None:
    model = recurrent(attention)
    model.encoder.embedding.weight.data.fill_(torch.nan)
    with pytest.raises(ParameterError, match=words):
        try_model(model)
