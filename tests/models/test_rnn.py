"""Recurrent layers against torch's own, the encoder's padding, the bridge, and the decoder's kinds."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
import torch
from torch import Tensor, nn

from nmt.data.batches import pad
from nmt.errors import ParameterError
from nmt.models.attention.additive import AdditiveAttention
from nmt.models.attention.base import Attention
from nmt.models.attention.luong import GeneralAttention, LuongAttention
from nmt.models.interface import EncoderOutput
from nmt.models.rnn import CELLS, RecurrentEncoder, RecurrentLayer, RecurrentStack
from nmt.models.rnn_decoder import Bridge, RecurrentDecoder
from nmt.tokens import EOS

SOURCE, MASK = pad([[5, 9, 4, 7, EOS], [6, EOS], [8, 4, EOS]])
Attentions = Callable[..., Attention] | None
BAHDANAU: Attentions = functools.partial(AdditiveAttention, width=3)
LUONG: Attentions = functools.partial(LuongAttention, score="general", scale="none")
BETWEEN: Attentions = functools.partial(GeneralAttention, scale="none", query_state="between")


def close(got: Tensor, expected: Tensor) -> None:
    torch.testing.assert_close(got, expected, rtol=1e-10, atol=1e-10)


@pytest.fixture(autouse=True)
def double() -> Any:
    torch.manual_seed(0)
    torch.set_default_dtype(torch.float64)
    yield
    torch.set_default_dtype(torch.float32)


@pytest.fixture(params=["lstm", "gru"])
def cell(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def shake(module: nn.Module) -> Any:
    """Move every parameter away from its initial value, biases from zero."""
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.add_(0.3 * torch.randn_like(parameter))
    return module.eval()


def make_encoder(cell: Any = "gru", **changes: Any) -> RecurrentEncoder:
    keys: dict[str, Any] = {"vocab_size": 12, "cell": cell, "layers": 2, "embedding_width": 4, "hidden_width": 3}
    return shake(RecurrentEncoder(**(keys | changes)))  # type: ignore[no-any-return]


def make_decoder(attention: Attentions, cell: Any = "gru", **changes: Any) -> RecurrentDecoder:
    keys: dict[str, Any] = {
        "vocab_size": 12,
        "memory_width": 6,
        "attention": attention,
        "cell": cell,
        "embedding_width": 4,
        "width": 5,
        "readout_width": 4,
    }
    return shake(RecurrentDecoder(**(keys | changes)))  # type: ignore[no-any-return]


def cell_of(layer: RecurrentLayer) -> nn.LSTMCell | nn.GRUCell:
    """Return torch's cell of one step with the weights of a layer."""
    own = (nn.LSTMCell if layer.is_lstm else nn.GRUCell)(layer.rnn.input_size, layer.rnn.hidden_size)
    nn.utils.vector_to_parameters(nn.utils.parameters_to_vector(layer.rnn.parameters()), own.parameters())
    return own


def encoded(layers: int = 1) -> EncoderOutput:
    return EncoderOutput(torch.randn(3, 5, 6), MASK, torch.randn(3, layers, 6))


# Layers


def test_an_lstm_begins_by_remembering() -> None:
    _, _, bias, hidden_bias = RecurrentLayer("lstm", 4, 3).rnn.all_weights[0]
    close(bias + hidden_bias, torch.tensor([0.0] * 3 + [1.0] * 3 + [0.0] * 6))  # torch's order: i, f, g, o


def test_steps_of_a_fed_layer_equal_torch_cells(cell: str) -> None:
    """What is fed is one more part of the input."""
    layer = shake(RecurrentLayer(cell, 4, 3, feed_width=2))
    own = cell_of(layer)
    state = tuple(torch.randn(2, 3) for _ in range(2 if cell == "lstm" else 1))
    theirs, step = state if cell == "lstm" else state[0], layer.stepper()
    for _ in range(3):
        known, feed = torch.randn(2, 4), torch.randn(2, 2)
        state = step(layer.project(known), feed, state)
        theirs = own(torch.cat((known, feed), dim=1), theirs)
        for got, expected in zip(state, theirs if cell == "lstm" else (theirs,), strict=True):
            close(got, expected)


# Encoder


def test_encoder_equals_torch_over_packed_sequences(cell: str) -> None:
    encoder = make_encoder(cell)
    own = CELLS[cell](4, 3, num_layers=2, bidirectional=True, batch_first=True)
    with torch.no_grad():
        for index in range(2):
            for suffix, layer in (("", encoder.forwards[index]), ("_reverse", encoder.backwards[index])):
                for name, value in layer.rnn.named_parameters():
                    getattr(own, name.replace("l0", f"l{index}{suffix}")).copy_(value)
    packed = nn.utils.rnn.pack_padded_sequence(
        encoder.embedding(SOURCE), MASK.sum(1), batch_first=True, enforce_sorted=False
    )
    outputs, last = own(packed)
    expected, _ = nn.utils.rnn.pad_packed_sequence(outputs, batch_first=True)
    got = encoder(SOURCE, MASK)
    close(got.memory[MASK], expected[MASK])
    hidden = last[0] if cell == "lstm" else last
    for layer in range(2):
        close(got.final_state[:, layer], torch.cat((hidden[2 * layer], hidden[2 * layer + 1]), dim=1))


def test_one_direction_ends_at_the_last_real_token(cell: str) -> None:
    encoder = make_encoder(cell, bidirectional=False)
    got = encoder(SOURCE, MASK)
    assert encoder.width == 3 and got.memory.shape == (3, 5, 3)
    close(got.final_state[1, -1], got.memory[1, 1])


def test_memory_norm_by_hand() -> None:
    """Each vector gets mean 0 and variance 1, then a gain and a bias; the final states are not normalized."""
    encoder, plain = make_encoder(memory_norm=True), make_encoder()
    missing = plain.load_state_dict(encoder.state_dict(), strict=False)
    assert missing.unexpected_keys == ["memory_norm.weight", "memory_norm.bias"] and not missing.missing_keys
    got, before = encoder(SOURCE, MASK), plain(SOURCE, MASK)
    mean, variance = before.memory.mean(-1, keepdim=True), before.memory.var(-1, correction=0, keepdim=True)
    norm = encoder.memory_norm
    close(got.memory, (before.memory - mean) / (variance + 1e-5).sqrt() * norm.weight + norm.bias)
    close(got.final_state, before.final_state)


def test_dropout_is_for_training_only() -> None:
    for name in ("embedding_dropout", "layer_dropout", "memory_dropout"):
        encoder = make_encoder(**{name: 0.5})
        close(encoder(SOURCE, MASK).memory, encoder(SOURCE, MASK).memory)
        encoder.train()
        assert not torch.equal(encoder(SOURCE, MASK).memory, encoder(SOURCE, MASK).memory), name


# Bridge


@pytest.mark.parametrize(("have", "want", "read"), [(1, 1, [0]), (1, 3, [0, 0, 0]), (3, 2, [1, 2]), (2, 3, [0, 0, 1])])
def test_bridge_aligns_layers_at_the_top(have: int, want: int, read: list[int]) -> None:
    bridge = shake(Bridge(6, 5, layers=want, tensors=2))
    output = encoded(have)
    assert output.final_state is not None
    projections = iter(bridge.projections)
    for state, index in zip(bridge(output), read, strict=True):
        for tensor in state:
            close(tensor, torch.tanh(next(projections)(output.final_state[:, index])))


def test_bridge_takes_the_masked_mean_where_there_is_no_final_state() -> None:
    bridge, output = shake(Bridge(6, 5, layers=1, tensors=1)), encoded()
    mean = torch.stack([row[mask].mean(0) for row, mask in zip(output.memory, MASK, strict=True)])
    close(bridge(replace(output, final_state=None))[0][0], bridge(replace(output, final_state=mean[:, None]))[0][0])


# Decoder

TARGET = torch.tensor([[1, 5, 7], [1, 9, 4], [1, 4, 4]])


def test_bahdanau_equations_by_hand() -> None:
    """The context of s_(t-1) enters the cell with y_t; the readout sees s_t, c_t and y_t."""
    decoder, output = make_decoder(BAHDANAU), encoded()
    hidden, weights = decoder(TARGET, output, need_weights=True)
    cell = cell_of(decoder.cells.lowest)
    attention, state = decoder.attention, decoder.bridge(output)[0][0]
    for t in range(3):
        word = decoder.embedding(TARGET[:, t])
        scores = attention.energy(
            torch.tanh(attention.query_projection(state)[:, None] + attention.key_projection(output.memory))
        ).squeeze(-1)
        share = scores.masked_fill(~MASK, -torch.inf).softmax(-1)
        context = torch.einsum("bs,bsd->bd", share, output.memory)
        state = cell(torch.cat((word, context), dim=1), state)
        close(weights.cross[:, 0, 0, t], share)
        close(hidden[:, t], torch.tanh(decoder.readout(torch.cat((state, context, word), dim=1))))


@pytest.mark.parametrize("layers", [1, 2])
def test_conditional_cells_by_hand(cell: str, layers: int) -> None:
    """y_t enters the first cell, whose state asks; c_t enters the second; a layer above reads the state after both."""
    decoder, output = make_decoder(BETWEEN, cell, layers=layers), encoded(layers)
    hidden, weights = decoder(TARGET, output, need_weights=True)
    first, second, *upper = map(cell_of, [decoder.first_cell, decoder.cells.lowest, *decoder.cells.upper])
    states = [state if cell == "lstm" else state[0] for state in decoder.bridge(output)]

    def visible(state: Any) -> Tensor:
        return state[0] if cell == "lstm" else state  # type: ignore[no-any-return]

    for t in range(3):
        word = decoder.embedding(TARGET[:, t])
        between = first(word, states[0])
        scores = torch.einsum("bd,bsd->bs", visible(between), decoder.attention.key_projection(output.memory))
        share = scores.masked_fill(~MASK, -torch.inf).softmax(-1)
        context = torch.einsum("bs,bsd->bd", share, output.memory)
        states[0] = second(context, between)
        for index, above in enumerate(upper, start=1):
            states[index] = above(visible(states[index - 1]), states[index])
        close(weights.cross[:, 0, 0, t], share)
        close(hidden[:, t], torch.tanh(decoder.readout(torch.cat((visible(states[-1]), context, word), dim=1))))


@pytest.mark.parametrize("feeding", [True, False])
def test_luong_equations_by_hand(feeding: bool) -> None:
    """The state of this step is the query; h~ = tanh(W [s; c]) enters the next cell only where it is fed."""
    decoder, output = make_decoder(LUONG, input_feeding=feeding), encoded()
    hidden, weights = decoder(TARGET, output, need_weights=True)
    cell = cell_of(decoder.cells.lowest)
    state, attentional = decoder.bridge(output)[0][0], torch.zeros(3, 4)
    for t in range(3):
        word = decoder.embedding(TARGET[:, t])
        state = cell(torch.cat((word, attentional), dim=1) if feeding else word, state)
        scores = torch.einsum("bd,bsd->bs", state, decoder.attention.scores.key_projection(output.memory))
        share = scores.masked_fill(~MASK, -torch.inf).softmax(-1)
        context = torch.einsum("bs,bsd->bd", share, output.memory)
        attentional = torch.tanh(decoder.readout(torch.cat((state, context), dim=1)))
        close(weights.cross[:, 0, 0, t], share)
        close(hidden[:, t], attentional)


def test_without_attention_only_the_final_state_is_read(cell: str) -> None:
    decoder, output = make_decoder(None, cell), encoded()
    other = replace(output, memory=torch.randn_like(output.memory), memory_mask=torch.ones_like(MASK))
    assert torch.equal(decoder(TARGET, output)[0], decoder(TARGET, other)[0])
    assert decoder.init_state(output).memory is None
    changed = replace(output, final_state=torch.randn(3, 1, 6))
    assert not torch.allclose(decoder(TARGET, output)[0], decoder(TARGET, changed)[0])


@pytest.mark.parametrize("attention", [BAHDANAU, BETWEEN, None])
def test_input_feeding_is_refused_where_it_has_no_meaning(attention: Attentions) -> None:
    assert not make_decoder(attention).input_feeding and not make_decoder(attention, input_feeding=False).input_feeding
    with pytest.raises(ParameterError, match="input_feeding: got true"):
        make_decoder(attention, input_feeding=True)
    assert make_decoder(LUONG).input_feeding and not make_decoder(LUONG, input_feeding=False).input_feeding


@pytest.mark.parametrize("attention", [BAHDANAU, BETWEEN, LUONG, None], ids=["bahdanau", "between", "luong", "none"])
def test_decoder_dropout_is_for_training_only(attention: Attentions) -> None:
    for name in ("embedding_dropout", "layer_dropout", "readout_dropout"):
        decoder, output = make_decoder(attention, layers=2, **{name: 0.5}), encoded()
        close(decoder(TARGET, output)[0], decoder(TARGET, output)[0])
        decoder.train()
        assert not torch.equal(decoder(TARGET, output)[0], decoder(TARGET, output)[0]), name


def test_what_is_fed_back_is_not_dropped_out() -> None:
    decoder, output = make_decoder(LUONG, readout_dropout=0.5), encoded()
    expected = decoder.step(TARGET[:, 0], decoder.init_state(output))[2].feed
    decoder.train()
    hidden, _, state = decoder.step(TARGET[:, 0], decoder.init_state(output))
    close(state.feed, expected)
    assert not torch.equal(hidden, expected)


@pytest.mark.parametrize("cell", ["lstm", "gru"])
def test_a_stack_keeps_its_precision_where_others_lose_theirs(cell: str) -> None:
    """Half precision is for the large products around it: steps are what forward is, in float32."""
    torch.manual_seed(0)
    stack = RecurrentStack(cell, 4, 6, layers=2).eval()
    inputs, zero = torch.randn(2, 5, 4), torch.zeros(2, 6)
    states = tuple((zero, zero) if cell == "lstm" else (zero,) for _ in range(2))
    expected = stack(inputs, states)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        step, tops = stack.stepper(), []
        for gates in stack.lowest.project(inputs).unbind(1):
            states = step(gates, None, states)
            tops.append(states[-1][0])
    torch.testing.assert_close(torch.stack(tops, 1), expected)
