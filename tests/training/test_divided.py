"""A batch that is divided among threads has the sums and the gradient of the whole batch."""

import numpy as np
import pytest
import torch
from torch import nn

from nmt.build import build_model
from nmt.data.batches import make_batch
from nmt.models.layers import Dropout
from nmt.tokens import EOS
from nmt.training.divided import Divided
from nmt.training.objectives.guided_alignment import GuidedAlignment
from nmt.training.objectives.rdrop import RDrop
from tests.models.cases import model_config

ROWS = np.random.default_rng(1)


def pieces(length):
    return [*ROWS.integers(5, 30, length).tolist(), EOS]


LENGTHS = [3, 4, 4, 5, 7]  # an odd number of pairs
LINKS = [np.array([[0, length - 1], [length - 2, 0]]) for length in LENGTHS]
BATCH = make_batch([pieces(n) for n in LENGTHS], [pieces(n) for n in LENGTHS], LINKS)


def small_model():
    torch.manual_seed(2)
    return build_model(model_config("transformer"), source_vocab_size=30, target_vocab_size=30)


def computed(model, objective):
    """The loss, the tokens and the gradients of two batches of equal seeds, one after the other."""
    torch.manual_seed(5)
    divided = Divided(model.train(), objective)
    for _ in range(2):
        model.zero_grad()
        loss, parts = divided(BATCH)
        loss.backward()
    return len(parts), loss.item(), sum(each.tokens for each in parts), [p.grad for p in model.parameters()]


@pytest.mark.parametrize("objective", [GuidedAlignment(), RDrop()], ids=["guided", "rdrop"])
def test_parts_make_the_whole(request, objective):
    model = small_model()
    for each in model.modules():
        if isinstance(each, Dropout):
            each.p = 0.0
    whole = computed(model, objective)
    request.getfixturevalue("two_threads")
    parts = computed(model, objective)
    assert (whole[0], parts[0]) == (1, 2) and whole[2] == parts[2]
    torch.testing.assert_close((parts[1], parts[3]), (whole[1], whole[3]), rtol=1e-4, atol=1e-5)


@pytest.mark.usefixtures("two_threads")
@pytest.mark.parametrize(("kind", "parts"), [(Dropout, 2), (nn.Dropout, 1)], ids=["ours", "torch"])
def test_dropout_is_the_same_for_the_same_seed(kind, parts):
    model = small_model()
    model.encoder.norm = nn.Sequential(model.encoder.norm, kind(0.5))
    first, second = (computed(model, GuidedAlignment(label_smoothing=0.0)) for _ in range(2))
    assert first[0] == parts
    torch.testing.assert_close(first[1:], second[1:], rtol=0, atol=0)
