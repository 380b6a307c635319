"""Minimum risk training: its loss and gradients equal the formula, computed one candidate at a time."""

import math

import pytest
import torch
from torch.nn.functional import cross_entropy

from nmt.data.batches import make_batch
from nmt.models.rnn import RecurrentEncoder
from nmt.models.rnn_decoder import RecurrentDecoder
from nmt.models.seq2seq import Seq2Seq
from nmt.tokens import EOS
from nmt.training.objectives.cross_entropy import CrossEntropy
from nmt.training.objectives.minimum_risk import MinimumRisk

VOCABULARY, WIDTH = 12, 8


@pytest.fixture
def model():
    torch.manual_seed(0)
    encoder = RecurrentEncoder(vocab_size=VOCABULARY, embedding_width=WIDTH, hidden_width=WIDTH)
    decoder = RecurrentDecoder(
        vocab_size=VOCABULARY, memory_width=encoder.width, embedding_width=WIDTH, width=WIDTH, readout_width=WIDTH
    )
    return Seq2Seq(encoder, decoder)


@pytest.fixture
def batch():
    return make_batch([[5, 6, EOS], [7, EOS]], [[8, 9, 10, 11, 8, EOS], [9, EOS]])


def score_of(model, source, target, *, length_penalty):
    """Return log P over the length divisor, from a batch of one sentence."""
    one = make_batch([source], [target])
    hidden, _ = model(one.source, one.source_mask, one.target_in)
    log_prob = -cross_entropy(model.decoder.output(hidden)[0], one.target_out[0], reduction="sum")
    return log_prob / ((5 + len(target)) / 6) ** length_penalty


def test_the_loss_is_the_expected_risk_and_the_cross_entropy(model, batch):
    objective = MinimumRisk(candidates=3, alpha=2.0, length_penalty=0.7, likelihood=0.3, label_smoothing=0.0)
    sums = objective.training_sums(model, batch)
    expected = []
    for source, reference, found in zip(
        [[5, 6, EOS], [7, EOS]], [[8, 9, 10, 11, 8, EOS], [9, EOS]], objective.find(model, batch), strict=True
    ):
        assert 1 <= len(found) <= 3
        scores = torch.stack([score_of(model, source, each.tokens, length_penalty=0.7) for each in found])
        risks = torch.tensor([objective.risk(each.tokens, reference) for each in found])
        expected.append(((2.0 * scores).softmax(0) * risks).sum())
    likely = CrossEntropy(label_smoothing=0.0).training_sums(model, batch)
    plain = torch.stack(expected).mean() * 8 + 0.3 * likely.loss
    torch.testing.assert_close(sums.loss, plain)
    assert (sums.tokens, sums.nll) == (8, likely.nll)
    assert float(sums.figures["risk"].total) / 2 == pytest.approx(torch.stack(expected).mean().item())
    ours, autograds = (torch.autograd.grad(loss, list(model.parameters())) for loss in (sums.loss, plain))
    for mine, other in zip(ours, autograds, strict=True):
        torch.testing.assert_close(mine, other, atol=1e-5, rtol=1e-3)


def test_the_risk_is_one_minus_the_smoothed_bleu_of_the_pieces():
    objective, reference = MinimumRisk(), [4, 5, 6, 7, EOS]
    assert objective.risk(reference, reference) == pytest.approx(0.0)
    assert objective.risk([8, 9, 10, 11, 8], reference) > 0.9
    # 1-grams to 4-grams; the last has no match: 1 / 2 of one match
    bleu = math.prod((4 / 5, 2 / 4, 1 / 3, 1 / (2 * 2))) ** (1 / 4)
    assert objective.risk([4, 5, 6, 9, EOS], reference) == pytest.approx(1 - bleu)


def test_candidates_are_found_without_dropout_and_training_goes_on(model, batch):
    model.train()
    before = torch.get_rng_state()
    MinimumRisk().find(model, batch)
    assert model.training and torch.equal(torch.get_rng_state(), before)
