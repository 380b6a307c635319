"""Transformer layers against torch's own; the contract itself is held by test_contract.py."""

import pytest
import torch
from torch import nn

from nmt.models.interface import CrossLayer
from nmt.models.layers import Dropout
from nmt.models.positions.base import NoPositions, Positions
from nmt.models.seq2seq import Seq2Seq
from nmt.models.transformer import (
    DecoderLayer,
    EncoderLayer,
    FeedForward,
    TransformerBlock,
    TransformerDecoder,
    TransformerEncoder,
)

NO_POSITIONS = Positions(16, 2)


def block(**changes):
    return TransformerBlock(**({"width": 16, "heads": 2, "feed_forward": 24} | changes))


def make_encoder(**options):
    return TransformerEncoder(**({"vocab_size": 20, "layers": 2, "block": block()} | options))


def make_decoder(**options):
    return TransformerDecoder(**({"vocab_size": 20, "memory_width": 16, "layers": 2, "block": block()} | options))


def copy_attention(theirs, ours):
    theirs.in_proj_weight.data = torch.cat((ours.query.weight, ours.key_value.weight)).detach()
    theirs.in_proj_bias.data = torch.cat((ours.query.bias, ours.key_value.bias)).detach()
    theirs.out_proj.load_state_dict(ours.output.state_dict())


def randomize(module):
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.3)


@pytest.mark.parametrize("norm_first", [True, False])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_encoder_layer_equals_torch(norm_first, activation):
    torch.manual_seed(0)
    ours = EncoderLayer(block(norm_first=norm_first, activation=activation))
    randomize(ours)
    theirs = nn.TransformerEncoderLayer(
        16, 2, 24, dropout=0.0, activation=activation, batch_first=True, norm_first=norm_first
    )
    copy_attention(theirs.self_attn, ours.self_attention)
    theirs.linear1.load_state_dict(ours.feed_forward[0].state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward[3].state_dict())
    theirs.norm1.load_state_dict(ours.self_residual.norm.state_dict())
    theirs.norm2.load_state_dict(ours.feed_residual.norm.state_dict())
    x, mask = torch.randn(3, 5, 16), torch.arange(5) < torch.tensor([[5], [2], [4]])
    out, _ = ours(x, mask, NO_POSITIONS, need_weights=False)
    torch.testing.assert_close(out[mask], theirs(x, src_key_padding_mask=~mask)[mask], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("norm_first", [True, False])
def test_decoder_layer_equals_torch(norm_first):
    torch.manual_seed(0)
    ours = DecoderLayer(block(norm_first=norm_first), memory_width=16)
    randomize(ours)
    theirs = nn.TransformerDecoderLayer(16, 2, 24, dropout=0.0, batch_first=True, norm_first=norm_first)
    copy_attention(theirs.self_attn, ours.self_attention)
    copy_attention(theirs.multihead_attn, ours.cross_attention)
    theirs.linear1.load_state_dict(ours.feed_forward[0].state_dict())
    theirs.linear2.load_state_dict(ours.feed_forward[3].state_dict())
    for norm, residual in (("norm1", "self"), ("norm2", "cross"), ("norm3", "feed")):
        getattr(theirs, norm).load_state_dict(getattr(ours, f"{residual}_residual").norm.state_dict())
    x, memory = torch.randn(3, 4, 16), torch.randn(3, 5, 16)
    mask = torch.arange(5) < torch.tensor([[5], [2], [4]])
    future = nn.Transformer.generate_square_subsequent_mask(4)
    out, _, _ = ours(x, memory, mask, NO_POSITIONS)
    expected = theirs(x, memory, tgt_mask=future, tgt_is_causal=True, memory_key_padding_mask=~mask)
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("activation", "function"),
    [
        ("swiglu", lambda x: x / (1 + (-x).exp())),
        ("geglu", lambda x: x * (1 + torch.erf(x / 2**0.5)) / 2),
    ],
)
def test_a_gated_feed_forward_network_by_hand(activation, function):
    """(f(x W + b) * (x V + c)) W2 + b2, of Shazeer 2020."""
    network = FeedForward(block(activation=activation))
    randomize(network)
    weights, biases = network[0].weight, network[0].bias
    x = torch.randn(3, 5, 16)
    hidden = function(x @ weights[:24].T + biases[:24]) * (x @ weights[24:].T + biases[24:])
    torch.testing.assert_close(network(x), hidden @ network[3].weight.T + network[3].bias)


@pytest.mark.parametrize("activation", ["relu", "swiglu"])
def test_each_matrix_has_the_initial_values_of_a_layer_of_its_own(activation):
    """Uniform up to sqrt(6 / (inputs + outputs)), where gate and values are two matrices (Glorot and Bengio 2010)."""
    network = FeedForward(block(activation=activation))
    for matrix in (*network[0].weight.split(24), network[3].weight):
        bound = (6 / (16 + 24)) ** 0.5
        assert 0.95 * bound < matrix.abs().max() <= bound
    assert not network[0].bias.any() and not network[3].bias.any()


@pytest.mark.parametrize("p", [0.0, 0.1, 0.5])
def test_dropout_keeps_the_expectation(p):
    torch.manual_seed(0)
    x = torch.ones(1000, 257)
    out = Dropout(p)(x)
    assert abs(out.mean().item() - 1) < 0.01
    assert abs((out == 0).float().mean().item() - p) < 0.005
    assert len(out.unique()) <= 2


@pytest.mark.parametrize(
    "name",
    ["embedding_dropout", "residual_dropout", "attention_dropout", "feed_forward_dropout"],
)
def test_each_dropout_acts_in_training_alone(name):
    torch.manual_seed(0)
    share = {name: 0.5}
    options = share if name == "embedding_dropout" else {"block": block(**share)}
    with_dropout = nn.ModuleList([make_encoder(**options), make_decoder(**options)])
    without = nn.ModuleList([make_encoder(), make_decoder()])
    with_dropout.load_state_dict(without.state_dict())
    tokens = torch.randint(4, 11, (2, 5))
    mask = torch.ones_like(tokens, dtype=torch.bool)

    def outputs(coders):
        encoded = coders[0](tokens, mask)
        return encoded.memory, coders[1](tokens, encoded)[0]

    for got, plain in zip(outputs(with_dropout), outputs(without), strict=True):
        assert not torch.allclose(got, plain)
    with_dropout.eval()
    for got, plain in zip(outputs(with_dropout), outputs(without), strict=True):
        torch.testing.assert_close(got, plain)


def test_embeddings_are_scaled_by_the_root_of_the_width():
    encoder = make_encoder(positions=NoPositions)
    tokens = torch.tensor([[4, 7]])
    expected = encoder.embedding.weight[[4, 7]][None] * 4
    torch.testing.assert_close(encoder.embed(tokens, encoder.positions), expected)


def test_rms_norm_by_hand():
    norm = EncoderLayer(block(norm="rms")).feed_residual.norm
    nn.init.normal_(norm.weight)
    x = torch.randn(3, 16) + 2
    torch.testing.assert_close(norm(x), x / x.pow(2).mean(-1, keepdim=True).sqrt() * norm.weight)


def test_only_the_layer_that_is_asked_for_leaves_the_fused_kernel(monkeypatch):
    calls, fused = [], nn.functional.scaled_dot_product_attention
    monkeypatch.setattr(
        nn.functional,
        "scaled_dot_product_attention",
        lambda *given, **named: calls.append(1) or fused(*given, **named),
    )
    model = Seq2Seq(make_encoder(layers=3), make_decoder(layers=3))
    ids = torch.randint(4, 20, (2, 12))
    for asked, count in ((False, 9), (CrossLayer(), 8), (True, 0)):
        calls.clear()
        model(ids, ids > 0, ids, need_weights=asked)
        assert len(calls) == count
