"""A model is tried on toy sentences before data are read; a mistake in its shapes names the class and the line."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from nmt.models.attention.base import Attention, AttentionMemory
from nmt.models.interface import EncoderOutput
from nmt.models.positions.base import Positions
from nmt.models.rnn import RecurrentEncoder
from nmt.models.rnn_decoder import RecurrentDecoder
from nmt.models.seq2seq import Seq2Seq
from nmt.models.transformer import TransformerBlock, TransformerDecoder, TransformerEncoder
from nmt.models.trial import TrialError, try_model


class Dot(Attention):
    def project_keys(self, memory: Tensor) -> Tensor:
        return memory

    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        return query @ memory.keys.transpose(1, 2)


class OneQuery(Dot):
    """Forgets that a sentence has several queries."""

    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        return super().score(query[:, :1], memory, state)


class Overwriting(Dot):
    """Overwrites a result that the backward pass needs."""

    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        scores = super().score(query, memory, state).exp()
        scores += 1
        return scores


class Lost(Dot):
    """Fails with an error whose text does not say what it is."""

    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        return {}["scores"]  # type: ignore[no-any-return]


class DataDependent(Dot):
    """Reads a value of a tensor, which the meta device does not have."""

    def score(self, query: Tensor, memory: AttentionMemory, state: Any) -> Tensor:
        return super().score(query, memory, state) / int(memory.mask.any().item())


class Unmasked(Dot):
    """Gives weight to padding."""

    def normalize(self, scores: Tensor) -> Tensor:
        return scores.masked_fill(scores.isinf(), 0.0).softmax(-1)


class Naming(RecurrentDecoder):
    """Names the arguments of its attention."""

    def step(self, tokens: Tensor, state: Any, *, need_weights: bool = False) -> Any:
        memory = state.memory
        query = state.layers[-1][0].view(len(memory.mask), -1, 8)
        self.attention(query, memory, state=None)
        self.attention(state=None, memory=memory, query=query)
        return super().step(tokens, state, need_weights=need_weights)


class Narrow(Positions):
    def embed(self, x: Tensor, start: int = 0) -> Tensor:
        return x[..., :-1]


def recurrent(
    attention: type[Attention], width: int = 8, decoder: type[RecurrentDecoder] = RecurrentDecoder
) -> Seq2Seq:
    with torch.device("meta"):
        encoder = RecurrentEncoder(vocab_size=8, embedding_width=8, hidden_width=4)
        sizes = {"vocab_size": 8, "memory_width": 8, "embedding_width": 8, "readout_width": 8}
        return Seq2Seq(encoder, decoder(**sizes, width=width, attention=attention))


@pytest.mark.parametrize("attention", [Dot, DataDependent])
def test_a_model_that_runs_passes_and_stays_as_it_was(attention: type[Attention]) -> None:
    model, threads, random = recurrent(attention), torch.get_num_threads(), torch.get_rng_state()
    try_model(model)
    assert model.training and all(parameter.is_meta for parameter in model.parameters())
    assert torch.get_num_threads() == threads and torch.equal(torch.get_rng_state(), random)


def test_a_decoder_may_name_the_arguments_of_its_attention() -> None:
    try_model(recurrent(Dot, decoder=Naming))
    with pytest.raises(TrialError, match="got weights"):
        try_model(recurrent(OneQuery, decoder=Naming))


@pytest.mark.parametrize(
    ("attention", "width", "words"),
    [
        (Dot, 6, r"Expected size .*test_trial.py, line \d+\)"),
        (Unmasked, 8, "got weights of padding that are not 0; let the scores be -inf where the mask is False"),
        (OneQuery, 8, r"got weights \(B, H, Q, S\) of the shape \(5, 1, 1, 3\), expected \(5, 1, 2, 3\)"),
    ],
)
def test_a_mistake_in_an_attention_is_found(attention: type[Attention], width: int, words: str) -> None:
    with pytest.raises(TrialError, match=words) as error:
        try_model(recurrent(attention, width))
    assert error.value.module == "decoder.attention"


def test_a_backward_pass_that_cannot_run_is_found() -> None:
    with pytest.raises(TrialError, match="modified by an inplace operation"):
        try_model(recurrent(Overwriting))


def test_an_error_without_words_is_named() -> None:
    with pytest.raises(TrialError, match=r"KeyError: 'scores' \(test_trial.py, line \d+\)"):
        try_model(recurrent(Lost))


def test_a_mistake_in_positions_is_found() -> None:
    block = TransformerBlock(width=8, heads=2, feed_forward=8)
    with torch.device("meta"):
        encoder = TransformerEncoder(vocab_size=8, layers=1, block=block)
        decoder = TransformerDecoder(vocab_size=8, memory_width=8, layers=1, block=block, positions=Narrow)
    with pytest.raises(TrialError) as error:
        try_model(Seq2Seq(encoder, decoder))
    assert error.value.module.startswith("decoder.")


class Pyramid(RecurrentEncoder):
    """Leaves out every second vector of the memory."""

    def forward(self, source: Tensor, source_mask: Tensor, *, need_weights: bool = False) -> EncoderOutput:
        encoded = super().forward(source, source_mask, need_weights=need_weights)
        return EncoderOutput(encoded.memory[:, ::2], encoded.memory_mask[:, ::2], encoded.final_state)


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


class Attending(RecurrentEncoder):
    """Says that it attends, and returns no weights."""

    attends = True


class LastPosition(RecurrentEncoder):
    """Takes its final state from the last position, which may be padding."""

    def forward(self, source: Tensor, source_mask: Tensor, *, need_weights: bool = False) -> EncoderOutput:
        encoded = super().forward(source, source_mask, need_weights=need_weights)
        return EncoderOutput(encoded.memory, source_mask, encoded.memory[:, -1:])


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


class Unmasking(RecurrentDecoder):
    """Attends to padding as well."""

    def init_state(self, encoded: EncoderOutput) -> Any:
        everywhere = torch.ones_like(encoded.memory_mask)
        return super().init_state(EncoderOutput(encoded.memory, everywhere, encoded.final_state))


def test_a_decoder_that_attends_to_padding_is_named() -> None:
    with pytest.raises(TrialError, match="hidden states of a sentence change with its padding") as caught:
        try_model(recurrent(Dot, decoder=Unmasking))
    assert caught.value.module == "decoder"


@pytest.mark.parametrize(
    ("encoder", "words"),
    [
        (LastPosition, "memory or the final state of a sentence change with its padding"),
        (Unmasked, "memory or the final state of a sentence change with its padding"),
        (Mixing, "or with the other sentences of the batch"),
        (Pyramid, r"memory \(B, S, width\) of the shape \(5, 2, 8\), expected \(5, 3, 8\)"),
        (LayersFirst, r"final_state \(B, L, width\) of the shape \(1, 5, 8\)"),
        (Pair, "tuple, expected EncoderOutput"),
        (Attending, "attends is True"),
    ],
)
def test_encoder_with_wrong_output_is_named(encoder: type[RecurrentEncoder], words: str) -> None:
    model = recurrent(Dot)
    with torch.device("meta"):
        model.encoder = encoder(vocab_size=8, embedding_width=8, hidden_width=4)
    with pytest.raises(TrialError, match=words) as caught:
        try_model(model)
    assert caught.value.module == "encoder"
