"""Curves of deletion: against one pass for each source, and on a model that reads one token only."""

from __future__ import annotations

import itertools

import pytest
import torch
from torch import nn

from nmt.lab.attribution.faithfulness import deletion, kendall, source_scores
from nmt.lab.attribution.prediction import Prediction
from nmt.lab.claims.faithful import VIEWS
from nmt.models.transformer import TransformerDecoder, TransformerEncoder
from nmt.tokens import BOS, EOS, Piece
from tests.models.cases import build

SOURCE, TARGET = [5, 9, 4, 7, EOS], [15, 7, 6]
PIECES = list(map(Piece, ["▁a", "▁dog", "▁or", "▁cat", "</s>"]))
MODELS = ["transformer", "rnn model/attention=bahdanau", "rnn model/attention=none"]


def prediction(words: str) -> Prediction:
    """Return a prediction of an untrained model with peaked distributions."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(3)
        model = build(words)
        for weights in model.parameters():
            nn.init.normal_(weights, std=0.3)
    return Prediction(model, torch.tensor(SOURCE), torch.tensor(TARGET), PIECES)


@pytest.mark.parametrize("words", MODELS)
def test_the_curve_is_that_of_shorter_sources(words: str) -> None:
    given, orders = prediction(words), torch.tensor([[2, 0, 1, 3], [3, 1, 2, 0]])
    found = deletion(given, orders)
    assert given.model.training, "the mode of the model is restored"
    given.model.eval()
    for order, curve in zip(orders.tolist(), found, strict=True):
        for step in range(5):
            source = torch.tensor([[id for place, id in enumerate(SOURCE) if place not in order[:step]]])
            with torch.no_grad():
                hidden, _ = given.model(source, torch.ones_like(source, dtype=torch.bool), torch.tensor([[BOS, 15, 7]]))
                expected = given.model.decoder.output(hidden[0, 2]).log_softmax(-1)[6]
            assert curve[step].item() == pytest.approx(expected.item(), abs=1e-4)


@pytest.mark.parametrize("seed", range(5))
def test_kendall_counts_the_pairs_in_the_same_order(seed: int) -> None:
    one, other = torch.randint(0, 5, (2, 7), generator=torch.Generator().manual_seed(seed)).float()
    signs = [
        (float(torch.sign(one[i] - one[j])), float(torch.sign(other[i] - other[j])))
        for i, j in itertools.combinations(range(7), 2)
    ]
    untied = [sum(bool(pair[side]) for pair in signs) for side in (0, 1)]
    expected = sum(a * b for a, b in signs) / (untied[0] * untied[1]) ** 0.5
    assert kendall(one, other) == pytest.approx(expected, abs=1e-6)
    assert kendall(one, one) == pytest.approx(1) and kendall(one, -one) == pytest.approx(-1)
    assert kendall(one, torch.ones(7)) == 0


def reads_one(token: int) -> Prediction:
    """Return a prediction of a Transformer in which all other tokens are zero, and no position is known.

    Each query asks for the token, so all attention is on it. The first target token is the one that it makes
    more probable than any other does.
    """
    given = prediction("transformer model/positions=none model.tie_embeddings=none")
    model = given.model.eval()
    encoder, decoder = model.encoder, model.decoder
    assert isinstance(encoder, TransformerEncoder) and isinstance(decoder, TransformerDecoder)
    for module in list(model.modules()):
        for name, child in module.named_children():
            if isinstance(child, nn.LayerNorm):
                setattr(module, name, nn.Identity())  # they would make the scale of an embedding meaningless
    with torch.no_grad():
        for table in (encoder.embedding, decoder.embedding):
            for weights in table.parameters():
                weights[[id for id in range(len(weights)) if table is decoder.embedding or id != token]] = 0
        for layer in (*encoder.layers, *decoder.layers):
            for weights in (*layer.self_attention.parameters(), *layer.feed_forward.parameters()):
                weights.zero_()
        memory = encoder.embedding(torch.tensor([token]))[0]
        for layer in decoder.layers:
            attention = layer.cross_attention
            for bias in (attention.key_value.bias, attention.output.bias):
                bias.zero_()
            keys = (attention.key_value.weight.chunk(2)[0] @ memory).view(attention.heads, -1)
            attention.query.weight.zero_()
            attention.query.bias.copy_((100 * keys / keys.square().sum(1, keepdim=True)).flatten())
        gained = []
        for source in (SOURCE, [id for id in SOURCE if id != token]):
            ids = torch.tensor([source])
            hidden, _ = model(ids, torch.ones_like(ids, dtype=torch.bool), torch.tensor([[BOS]]))
            gained.append(decoder.output(hidden[0, 0]).log_softmax(-1))
    best = int((gained[0] - gained[1]).argmax())
    return Prediction(model, given.source, torch.tensor([best]), PIECES)


@pytest.mark.parametrize("place", [0, 2, 3])
def test_every_view_finds_the_only_token_that_is_read(place: int) -> None:
    given = reads_one(SOURCE[place])
    other = torch.tensor([(place + 1) % 4, (place + 2) % 4, place, (place + 3) % 4])
    for view in VIEWS:
        scores = source_scores(view, given)
        assert scores.argmax() == place, view.title
        faithful, late = deletion(given, torch.stack((scores.argsort(descending=True), other))).tolist()
        whole, *_, alone = faithful
        assert whole > alone + 0.1
        assert faithful == pytest.approx([whole] + [alone] * 4, abs=1e-4), "it falls at once"
        assert late == pytest.approx([whole] * 3 + [alone] * 2, abs=1e-4), "it falls with the token"
