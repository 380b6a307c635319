"""Guided alignment by hand, its gradient, and what it teaches small models."""

import itertools
import math
import random

import numpy as np
import pytest
import torch
from torch import nn

from nmt.data.batches import BatchLoader, make_batch
from nmt.data.encoded import Encoded
from nmt.errors import ParameterError
from nmt.models.interface import AttentionWeights
from nmt.models.seq2seq import Seq2Seq
from nmt.models.transformer import TransformerBlock, TransformerDecoder, TransformerEncoder
from nmt.tokens import EOS
from nmt.training.objectives.cross_entropy import CrossEntropy
from nmt.training.objectives.guided_alignment import GuidedAlignment
from tests.models.cases import VOCABULARY, build

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
    return -(
        math.log(weights[0, 0, 1])
        + math.log(weights[0, 1, 0]) / 2
        + math.log(weights[0, 1, 2]) / 2
        + math.log(weights[1, 1, 0])
    )


@pytest.mark.parametrize("head", [1, 3, None])
def test_guided_alignment_loss_by_hand(case, head):
    hidden, output, scores = case
    weights = scores.softmax(-1)
    given = AttentionWeights(weights)
    objective = GuidedAlignment(weight=0.3, head=head, label_smoothing=0.2)
    sums, plain = (each(hidden, output, BATCH, given) for each in (objective, CrossEntropy(label_smoothing=0.2)))
    taken = weights[:, 0].mean(1) if head is None else weights[:, 0, head - 1]
    expected = by_hand(taken.detach())
    assert float((sums.loss - plain.loss).detach()) == pytest.approx(0.3 * expected, rel=1e-6)
    assert (sums.nll, sums.tokens) == (plain.nll, plain.tokens)
    mean = sums.figures["alignment_loss"]
    assert float(mean.total) == pytest.approx(expected, rel=1e-6) and mean.count == 3


def test_validation_is_the_cross_entropy_and_the_figure(case):
    hidden, output, scores = case
    given = AttentionWeights(scores.softmax(-1))
    objective = GuidedAlignment(weight=0.3)
    sums, plain = (each.validate(hidden, output, BATCH, given) for each in (objective, CrossEntropy()))
    assert (sums.loss, sums.nll, sums.tokens) == (plain.loss, plain.nll, plain.tokens)
    assert sums.figures == objective(hidden, output, BATCH, given).figures


def test_a_head_that_the_model_does_not_have_is_refused():
    model = build("transformer")  # with four heads
    for head in (None, 1, 4):
        GuidedAlignment(head=head).check(model)
    with pytest.raises(ParameterError, match="head: got 9, but the decoder has 4; expected 1 to 4, or null"):
        GuidedAlignment(head=9).check(model)


# Small models that learn to copy a sentence, or to write it backwards


def pairs(count, *, seed, backwards):
    draw, found = random.Random(seed), []
    for _ in range(count):
        ids = [draw.randrange(4, VOCABULARY) for _ in range(draw.randint(3, 8))]
        order = range(len(ids))[::-1] if backwards else range(len(ids))
        links = np.array(list(enumerate(order)))
        found.append(Encoded([*ids, EOS], [*(ids[place] for place in order), EOS], links))
    return found


def small_transformer():
    block = TransformerBlock(width=32, heads=2, feed_forward=64)
    encoder = TransformerEncoder(vocab_size=VOCABULARY, layers=1, block=block)
    return Seq2Seq(encoder, TransformerDecoder(vocab_size=VOCABULARY, layers=2, block=block, memory_width=32))


def error_rate(make, objective, *, backwards):
    """Train for 60 updates; return the share of target pieces whose highest weight is not on their source piece."""
    torch.manual_seed(1)
    model = make().train()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    layer = GuidedAlignment().needs_weights
    train, test = (pairs(size, seed=seed, backwards=backwards) for size, seed in ((2000, 1), (100, 2)))
    loader = BatchLoader(lambda _: train, 200, seed=1)
    for batch in itertools.islice(loader, 60):
        hidden, weights = model(batch.source, batch.source_mask, batch.target_in, need_weights=layer)
        sums = objective(hidden, model.decoder.output, batch, weights)
        optimizer.zero_grad()
        (sums.loss / sums.tokens).backward()
        optimizer.step()
    (batch,) = BatchLoader(lambda _: test, 10_000, shuffled=False)
    with torch.inference_mode():
        _, weights = model.eval()(batch.source, batch.source_mask, batch.target_in, need_weights=layer)
    sentences, steps, places = batch.links.unbind(1)
    return float((weights.cross[sentences, 0, 0, steps].argmax(-1) != places).float().mean())


@pytest.mark.parametrize(
    ("make", "backwards"),
    [
        (small_transformer, False),
        pytest.param(lambda: build("rnn model/attention=bahdanau"), True, marks=pytest.mark.slow),
        pytest.param(lambda: build("rnn model/attention=luong"), True, marks=pytest.mark.slow),
    ],
    ids=["transformer", "bahdanau", "luong"],
)
def test_links_teach_the_attention(make, backwards):
    free, guided = (
        error_rate(make, objective, backwards=backwards) for objective in (CrossEntropy(), GuidedAlignment(weight=1.0))
    )
    assert guided < free / 2
