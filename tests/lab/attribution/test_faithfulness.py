"""Curves of deletion against one pass for each source, and rank correlation against counted pairs."""

from __future__ import annotations

import itertools

import pytest
import torch
from torch import nn

from nmt.lab.attribution.faithfulness import deletion, kendall
from nmt.lab.attribution.prediction import Prediction
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
