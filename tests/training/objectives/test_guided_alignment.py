"""Guided alignment and its gradient by hand."""

import numpy as np
import pytest
import torch
from torch import nn

from nmt.data.batches import make_batch
from nmt.models.interface import AttentionWeights
from nmt.tokens import EOS
from nmt.training.objectives.cross_entropy import CrossEntropy
from nmt.training.objectives.guided_alignment import GuidedAlignment

WIDTH = 6
# Two target pieces of the first sentence have links, one of them two; the second sentence has one link.
LINKS = [np.array([[0, 1], [1, 0], [1, 2]]), np.array([[1, 0]])]
BATCH = make_batch([[7, 8, 5, EOS], [9, EOS]], [[4, 6, EOS], [5, 6, 7, EOS]], LINKS)
SHAPE = (2, 1, 3, 4, 4)  # (B, 1, H, T, S)


@pytest.fixture
def case():
    torch.manual_seed(0)
    hidden = torch.randn(2, 4, WIDTH, dtype=torch.double, requires_grad=True)
    scores = torch.randn(SHAPE, dtype=torch.double, requires_grad=True)
    return hidden, nn.Linear(WIDTH, 11).double(), scores


def by_hand(weights):
    """The sum over the linked target pieces, from the weights (B, T, S) of one head."""
    logs = weights.log()
    return -(logs[0, 0, 1] + logs[0, 1, 0] / 2 + logs[0, 1, 2] / 2 + logs[1, 1, 0])


@pytest.mark.parametrize("head", [1, 3, None])
def test_guided_alignment_loss_by_hand(case, head):
    hidden, output, scores = case
    weights = scores.softmax(-1)
    given = AttentionWeights(weights)
    objective = GuidedAlignment(weight=0.3, head=head, label_smoothing=0.2)
    sums, plain = (each(hidden, output, BATCH, given) for each in (objective, CrossEntropy(label_smoothing=0.2)))
    taken = weights[:, 0].mean(1) if head is None else weights[:, 0, head - 1]
    expected, added = by_hand(taken), sums.loss - plain.loss
    torch.testing.assert_close(added, 0.3 * expected, rtol=1e-6, atol=0)
    ours, theirs = (torch.autograd.grad(loss, scores, retain_graph=True)[0] for loss in (added, 0.3 * expected))
    torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-7)
    assert (sums.nll, sums.tokens) == (plain.nll, plain.tokens)
    mean = sums.figures["alignment_loss"]
    assert float(mean.total) == pytest.approx(expected.item(), rel=1e-6) and mean.count == 3


def test_validation_is_the_cross_entropy_and_the_figure(case):
    hidden, output, scores = case
    given = AttentionWeights(scores.softmax(-1))
    objective = GuidedAlignment(weight=0.3)
    sums, plain = (each.validate(hidden, output, BATCH, given) for each in (objective, CrossEntropy()))
    assert (sums.loss, sums.nll, sums.tokens) == (plain.loss, plain.nll, plain.tokens)
    assert sums.figures == objective(hidden, output, BATCH, given).figures
