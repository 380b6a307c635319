"""Transformer layers against torch's own; the contract itself is held by test_contract.py."""

import pytest
import torch
from torch import nn

from nmt.models.dropout import Dropout
from nmt.models.transformer import (
    DecoderLayer,
    EncoderLayer,
    TransformerConfig,
    TransformerDecoder,
    TransformerEncoder,
)

SIZES = {"layers": 2, "width": 16, "heads": 2, "feed_forward": 24}


def config(**changes):
    values = {
        "width": 16,
        "heads": 2,
        "feed_forward": 24,
        "activation": "relu",
        "norm": "layer",
        "norm_first": True,
        "positions": "none",
        "scale_scores": True,
        "residual_dropout": 0.0,
        "attention_dropout": 0.0,
        "feed_forward_dropout": 0.0,
    }
    return TransformerConfig(**(values | changes))


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
    ours = EncoderLayer(config(norm_first=norm_first, activation=activation))
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
    out, _ = ours(x, mask, need_weights=False)
    torch.testing.assert_close(out[mask], theirs(x, src_key_padding_mask=~mask)[mask], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("norm_first", [True, False])
def test_decoder_layer_equals_torch(norm_first):
    torch.manual_seed(0)
    ours = DecoderLayer(config(norm_first=norm_first), memory_width=16)
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
    out, _, _ = ours(x, memory, mask, need_weights=False)
    expected = theirs(x, memory, tgt_mask=future, tgt_is_causal=True, memory_key_padding_mask=~mask)
    torch.testing.assert_close(out, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("positions", ["sinusoidal", "rotary", "none"])
@pytest.mark.parametrize("norm", ["layer", "rms"])
@pytest.mark.parametrize("norm_first", [True, False])
def test_forward_equals_steps_in_every_variant(positions, norm, norm_first):
    torch.manual_seed(0)
    options = {**SIZES, "positions": positions, "norm": norm, "norm_first": norm_first, "activation": "gelu"}
    encoder = TransformerEncoder(vocab_size=20, **options).eval()
    decoder = TransformerDecoder(vocab_size=20, memory_width=16, scale_scores=False, **options).eval()
    source, mask = torch.randint(4, 20, (3, 6)), torch.arange(6) < torch.tensor([[6], [2], [4]])
    target = torch.randint(4, 20, (3, 5))
    with torch.no_grad():
        encoded = encoder(source, mask)
        hidden, weights = decoder(target, encoded, need_weights=True)
        state = decoder.init_state(encoded)
        for t in range(5):
            out, row, state = decoder.step(target[:, t], state, need_weights=True)
            torch.testing.assert_close(out, hidden[:, t], rtol=1e-4, atol=1e-5)
            torch.testing.assert_close(row.cross[:, :, :, 0], weights.cross[:, :, :, t], rtol=1e-4, atol=1e-5)
            torch.testing.assert_close(
                row.decoder_self[:, :, :, 0], weights.decoder_self[:, :, :, t, : t + 1], rtol=1e-4, atol=1e-5
            )


@pytest.mark.parametrize("positions", ["sinusoidal", "rotary"])
def test_positions_tell_orders_apart(positions):
    torch.manual_seed(0)
    encoder = TransformerEncoder(vocab_size=20, **SIZES, positions=positions).eval()
    bag = TransformerEncoder(vocab_size=20, **SIZES, positions="none").eval()
    source = torch.tensor([[5, 6, 7, 8]])
    mask = torch.ones_like(source, dtype=torch.bool)
    swapped = source.flip(1)
    assert not torch.allclose(encoder(source, mask).memory.flip(1), encoder(swapped, mask).memory, atol=1e-4)
    torch.testing.assert_close(bag(source, mask).memory.flip(1), bag(swapped, mask).memory)


@pytest.mark.parametrize("change", [{"norm": "batch"}, {"activation": "tanh"}, {"positions": "learned"}, {"heads": 3}])
def test_unknown_choices_are_refused(change):
    with pytest.raises(ValueError, match="expected"):
        TransformerEncoder(vocab_size=20, **(SIZES | change))


@pytest.mark.parametrize("p", [0.0, 0.1, 0.5])
def test_dropout_keeps_the_expectation(p):
    torch.manual_seed(0)
    x = torch.ones(1000, 257)
    out = Dropout(p)(x)
    assert abs(out.mean().item() - 1) < 0.01
    assert abs((out == 0).float().mean().item() - p) < 0.005
    assert len(out.unique()) <= 2


def test_dropout_follows_the_generator_and_the_mode():
    drop = Dropout(0.5)
    torch.manual_seed(3)
    first = drop(torch.ones(99))
    assert not torch.equal(first, drop(torch.ones(99)))
    torch.manual_seed(3)
    assert torch.equal(first, drop(torch.ones(99)))
    assert torch.equal(drop.eval()(torch.ones(9)), torch.ones(9))
    with pytest.raises(ValueError, match="less than 1"):
        Dropout(1.0)


DROPOUTS = ["embedding_dropout", "residual_dropout", "attention_dropout", "feed_forward_dropout"]


@pytest.mark.parametrize("name", DROPOUTS)
def test_each_dropout_acts_in_training_alone(name):
    torch.manual_seed(0)
    sizes = {**SIZES, "vocab_size": 11}
    coders = {}
    for kind, dropouts in (("with", {name: 0.5}), ("without", {})):
        encoder, decoder = (
            TransformerEncoder(**sizes, **dropouts),
            TransformerDecoder(**sizes, memory_width=16, **dropouts),
        )
        coders[kind] = nn.ModuleList([encoder, decoder])
    coders["with"].load_state_dict(coders["without"].state_dict())
    tokens = torch.randint(4, 11, (2, 5))
    mask = torch.ones_like(tokens, dtype=torch.bool)

    def hidden(kind):
        encoder, decoder = coders[kind]
        encoded = encoder(tokens, mask)
        return encoded.memory, decoder(tokens, encoded)[0]

    for place in (0, 1):
        assert not torch.allclose(hidden("with")[place], hidden("without")[place])
    coders["with"].eval()
    for place in (0, 1):
        torch.testing.assert_close(hidden("with")[place], hidden("without")[place])


def test_embeddings_are_scaled_by_the_root_of_the_width():
    encoder = TransformerEncoder(**SIZES, vocab_size=11, positions="none")
    tokens = torch.tensor([[4, 7]])
    torch.testing.assert_close(encoder.embed(tokens), encoder.embedding.weight[[4, 7]][None] * 4)


def test_rms_norm_by_hand():
    norm = EncoderLayer(config(norm="rms")).feed_residual.norm
    nn.init.normal_(norm.weight)
    x = torch.randn(3, 16) + 2
    torch.testing.assert_close(norm(x), x / x.pow(2).mean(-1, keepdim=True).sqrt() * norm.weight)
