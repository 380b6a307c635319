"""The views beside attention: what must hold for any model, and for models so simple that the answer is known."""

from __future__ import annotations

import functools
from dataclasses import replace

import pytest
import torch
from torch import Tensor, nn

from nmt.errors import UserError
from nmt.lab.attribution.alti import (
    ALTI,
    contributions,
    decoder_shares,
    encoder_shares,
    linear_norm,
    row_shares,
    transformed,
)
from nmt.lab.attribution.base import AttributionView
from nmt.lab.attribution.gradient import InputXGradient
from nmt.lab.attribution.integrated_gradients import IntegratedGradients
from nmt.lab.attribution.logit_lens import LogitLens
from nmt.lab.attribution.occlusion import Occlusion
from nmt.lab.attribution.prediction import Call, Prediction, record
from nmt.lab.attribution.value_zeroing import EncoderValueZeroing, ValueZeroing, zeroed_values
from nmt.models.multihead import MultiHeadAttention
from nmt.models.transformer import EncoderLayer, Residual, TransformerBlock
from nmt.tokens import EOS, PAD, Piece
from tests.models.cases import build

SOURCE, TARGET = [5, 9, 4, 7, 11, EOS], [15, 7, 6, 8, EOS]
PIECES = list(map(Piece, ["▁a", "▁dog", ",", "▁runs", ".", "</s>"]))
S, T = len(SOURCE), len(TARGET)
TRANSFORMERS = [
    "transformer",
    "transformer model.encoder.block.norm_first=false",
    "transformer model.encoder.block.norm_first=false model.encoder.block.norm=rms",
    "transformer model/positions=rotary model.encoder.block.qk_norm=true",
    "transformer model/positions=relative",
    "transformer model.encoder.block.attention_gate=true model.encoder.block.activation=swiglu",
]
RECURRENT = ["rnn model/attention=bahdanau", "rnn model/attention=luong", "rnn model/attention=none"]


@functools.cache
def prediction(words: str) -> Prediction:
    """Return a prediction of an untrained model in double precision, with peaked distributions."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        model = build(words).double().eval()
        for weights in model.parameters():
            nn.init.normal_(weights, std=0.3)
    return Prediction(model, torch.tensor(SOURCE), torch.tensor(TARGET), PIECES)


def log_probs(given: Prediction, source: Tensor, read: Tensor) -> Tensor:
    """Return log P (T,) of the target tokens after these ids, from the model alone."""
    mask = torch.ones(1, len(source), dtype=torch.bool)
    with torch.no_grad():
        hidden, _ = given.model(source[None], mask, read[None])
        return given.model.decoder.output(hidden[0]).log_softmax(-1)[range(T), TARGET]


# --- of every view


@pytest.mark.parametrize("view", [ALTI(), ValueZeroing(), Occlusion(), InputXGradient(), IntegratedGradients()])
def test_what_is_not_read_yet_contributes_nothing(view: AttributionView) -> None:
    scores = view.scores(prediction(TRANSFORMERS[0])).values
    assert scores.shape[2:] == (T, S + T) and scores.isfinite().all()
    assert not scores[..., S:].triu(1).any() and scores.any(-1).all()


def test_a_view_of_one_side_can_look_into_a_mix() -> None:
    model = prediction("hybrid").model
    EncoderValueZeroing().check(model)
    for view in (ALTI(), ValueZeroing(), LogitLens()):
        with pytest.raises(UserError, match="of a TransformerDecoder, but"):
            view.check(model)


# --- ALTI+


@pytest.mark.parametrize("words", TRANSFORMERS)
def test_shares_of_alti_sum_to_one(words: str) -> None:
    found = ALTI().scores(prediction(words)).values
    layers = len(prediction(words).model.decoder.layers)  # type: ignore[arg-type]
    assert found.shape == (layers, 1, T, S + T) and (found >= 0).all()
    torch.testing.assert_close(found.sum(-1), torch.ones_like(found[..., 0]))


@pytest.mark.parametrize("words", TRANSFORMERS)
def test_the_vectors_of_tokens_sum_to_the_output_of_an_attention(words: str) -> None:
    given = prediction(words)
    layers = list(given.model.decoder.layers)  # type: ignore[arg-type]
    calls = record(given, layers)
    for attention in (layers[0].cross_attention, layers[-1].self_attention):
        vectors = transformed(attention, calls[attention])
        torch.testing.assert_close(vectors.sum(1) + attention.output.bias, calls[attention].output[0][0])


@pytest.mark.parametrize("norm", [nn.LayerNorm(6), nn.RMSNorm(6)])
def test_a_norm_with_a_fixed_scale_is_linear(norm: nn.Module) -> None:
    total = torch.randn(4, 6)
    nn.init.normal_(norm.weight)  # type: ignore[arg-type]
    bias = getattr(norm, "bias", torch.zeros(6))
    torch.testing.assert_close(linear_norm(norm, total, total) + bias, norm(total))
    parts = torch.randn(4, 3, 6)
    scaled = linear_norm(norm, parts, total[:, None])
    torch.testing.assert_close(scaled.sum(1), linear_norm(norm, parts.sum(1), total))


def test_without_residual_and_with_values_that_do_not_overlap_alti_is_the_attention() -> None:
    attention = MultiHeadAttention(8, 1)
    with torch.no_grad():
        attention.key_value.weight[8:] = attention.output.weight[:] = torch.eye(8)
    memory, query = torch.eye(8)[None], torch.randn(1, 5, 8)
    out, weights = attention(query, memory, need_weights=True)
    vectors = transformed(attention, Call((query, memory), {}, (out, weights)))
    residual = Residual(TransformerBlock(width=8, heads=1, feed_forward=8))
    found = row_shares(contributions(vectors, out[0], residual), torch.zeros(5, dtype=torch.long))
    torch.testing.assert_close(found, weights[0, 0])


def test_alti_multiplies_the_shares_of_all_layers(monkeypatch: pytest.MonkeyPatch) -> None:
    given = prediction(TRANSFORMERS[1])
    encoder, decoder = (list(side.layers) for side in (given.model.encoder, given.model.decoder))  # type: ignore[arg-type]
    calls = record(given, [*encoder, *decoder])
    both = torch.eye(S + T, dtype=torch.float64)
    for layer in encoder:
        step = torch.eye(S + T, dtype=torch.float64)
        step[:S, :S] = encoder_shares(layer, calls)
        both = step @ both
    for layer in decoder:
        step = torch.eye(S + T, dtype=torch.float64)
        step[S:] = decoder_shares(layer, calls)
        both = step @ both
    torch.testing.assert_close(ALTI().scores(given).values[-1, 0], both[S:])
    monkeypatch.setattr(encoder[0], "__class__", type("Macaron", (EncoderLayer,), {}))  # with other residuals
    with pytest.raises(UserError, match="does not know the residual connections of a Macaron; use"):
        ALTI().scores(given)


# --- value zeroing


@pytest.mark.parametrize("gate", [False, True])
def test_zeroing_values_is_a_sum_without_one_token(gate: bool) -> None:
    attention = MultiHeadAttention(8, 2, gate=gate).double()
    memory, query = torch.randn(1, 4, 8).double(), torch.randn(1, 3, 8).double()
    mask = torch.tensor([[True, True, False, True]])
    usual, weights = attention(query, memory, mask, need_weights=True)
    with zeroed_values(attention, torch.arange(4)):
        found, _ = attention(*(x.expand(4, -1, -1) for x in (query, memory)), mask.expand(4, -1), need_weights=True)
    _, values = attention.project(memory)
    for token in range(4):
        others = [place for place in range(4) if place != token]
        contexts = weights[..., others] @ values[:, :, others]
        torch.testing.assert_close(found[token], attention.join(contexts, query)[0])
    torch.testing.assert_close(found[2], usual[0])  # a token of weight 0 changes nothing
    torch.testing.assert_close(attention(query, memory, mask)[0], usual)


@pytest.mark.parametrize("words", [TRANSFORMERS[1], TRANSFORMERS[-1]])
@pytest.mark.parametrize(
    ("view", "side", "places"),
    [
        (ValueZeroing(), "decoder", [("cross_attention", 2, 2), ("self_attention", 1, S + 1)]),
        (EncoderValueZeroing(), "encoder", [("self_attention", 2, 2), ("self_attention", 4, 4)]),
    ],
)
def test_value_zeroing_is_the_angle_between_outputs_of_a_layer(
    words: str, view: AttributionView, side: str, places: list[tuple[str, int, int]]
) -> None:
    given = prediction(words)
    layers = list(getattr(given.model, side).layers)
    found = view.scores(given).values
    call = (calls := record(given, layers))[layers[1]]
    usual = calls[layers[1]].output[0][0]
    assert found.shape == (len(layers), 1, *((T, S + T) if side == "decoder" else (S, S)))
    for name, token, column in places:
        attention = getattr(layers[1], name)

        def zero(module: nn.Module, inputs: object, output: Tensor, token: int = token) -> Tensor:
            changed = output.clone()
            changed[:, token, output.shape[2] // 2 :] = 0
            return changed

        hook = attention.key_value.register_forward_hook(zero)
        changed = layers[1](*call.args, **call.kwargs)[0][0]
        hook.remove()
        cosine = (changed * usual).sum(-1) / (changed.norm(dim=-1) * usual.norm(dim=-1))
        torch.testing.assert_close(found[1, 0, :, column], 1 - cosine, atol=1e-10, rtol=0)


# --- gradients


@pytest.mark.parametrize("words", [TRANSFORMERS[0], *RECURRENT])
def test_input_times_gradient_is_the_change_when_one_embedding_grows(words: str) -> None:
    given, step = prediction(words), 1e-5
    found = InputXGradient().scores(given).values[0, 0]
    for column in range(S + T):
        ends = []
        for factor in (1 + step, 1 - step):
            source, read = (vectors.clone() for vectors in given.vectors)
            (source if column < S else read)[column if column < S else column - S] *= factor
            with torch.no_grad():
                ends.append(given.log_probs(given.hidden(source[None], read[None])[0], given.target))
        torch.testing.assert_close(found[:, column], (ends[0] - ends[1]) / (2 * step), atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("words", [TRANSFORMERS[0], *RECURRENT])
def test_integrated_gradients_add_up(words: str) -> None:
    given = prediction(words)
    found = IntegratedGradients(tolerance=0.01).scores(given).values[0, 0].sum(-1)
    hidden = torch.tensor([PAD])  # its embedding is zero
    expected = log_probs(given, given.source, given.read) - log_probs(given, hidden.expand(S), hidden.expand(T))
    torch.testing.assert_close(found, expected, atol=0.05, rtol=0)


# --- occlusion


@pytest.mark.parametrize("words", [*TRANSFORMERS[:2], *RECURRENT])
def test_occlusion_hides_one_token_at_a_time(words: str, monkeypatch: pytest.MonkeyPatch) -> None:
    given = prediction(words)
    monkeypatch.setattr("nmt.lab.attribution.prediction.TOKENS", 40)  # several passes
    found = Occlusion().scores(given).values[0, 0]
    usual = log_probs(given, given.source, given.read)
    for column in range(S + T):
        source, read = given.source.clone(), given.read.clone()
        (source if column < S else read)[column if column < S else column - S] = PAD
        torch.testing.assert_close(found[:, column], usual - log_probs(given, source, read), atol=1e-6, rtol=0)


# --- logit lens, attention to content


def test_the_last_layer_of_the_lens_is_the_prediction() -> None:
    given = prediction(TRANSFORMERS[0])
    found = LogitLens().scores(given)
    expected = log_probs(given, given.source, given.read).exp()
    torch.testing.assert_close(found.values[0, 0, :, -1], expected, atol=1e-6, rtol=1e-5)
    assert found.tokens is not None and found.tokens.shape == found.values.shape[2:]
    cut = replace(given, model=build(TRANSFORMERS[0]).double().eval())
    cut.model.load_state_dict(given.model.state_dict())
    cut.model.decoder.layers = cut.model.decoder.layers[:1]  # type: ignore[index]
    torch.testing.assert_close(found.values[..., :2], LogitLens().scores(cut).values)
