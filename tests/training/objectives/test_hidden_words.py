"""Word dropout hides pieces of the input: their vectors are zero, whatever a tied output layer has learned."""

import pytest
import torch

from nmt.data.batches import make_batch
from nmt.models.layers import TokenEmbedding
from nmt.tokens import BOS, EOS, PAD
from nmt.training.objectives.cross_entropy import CrossEntropy
from nmt.training.objectives.rdrop import RDrop


@pytest.fixture
def batch():
    torch.manual_seed(0)
    lengths = torch.randint(1, 40, (100,)).tolist()
    return make_batch([[*range(4, 4 + n), EOS] for n in lengths], [[*range(4, 9 + n), EOS] for n in lengths])


def test_the_given_share_of_the_pieces_is_hidden(batch):
    source, mask, target_in = CrossEntropy(word_dropout=0.2).inputs(batch)
    for hidden, whole in ((source, batch.source), (target_in, batch.target_in)):
        pieces = whole > EOS
        assert torch.equal(hidden[~pieces], whole[~pieces]), "never padding, nor the beginning or the end"
        gone = hidden[pieces] == PAD
        assert gone.float().mean() == pytest.approx(0.2, abs=0.03)
        assert torch.equal(hidden[pieces][~gone], whole[pieces][~gone])
    assert torch.equal(mask, batch.source_mask), "a hidden piece keeps its position"
    assert (target_in[:, 0] == BOS).all()


def test_each_pass_hides_other_pieces(batch):
    source, _, target_in = RDrop(word_dropout=0.2).inputs(batch)
    assert all(not torch.equal(*x.chunk(2)) for x in (source, target_in))


def test_without_word_dropout_the_passes_are_the_batch(batch):
    torch.manual_seed(1)
    before = torch.get_rng_state()
    source, mask, target_in = RDrop().inputs(batch)
    for copies, whole in ((source, batch.source), (mask, batch.source_mask), (target_in, batch.target_in)):
        assert torch.equal(copies, torch.cat((whole, whole)))
    assert torch.equal(torch.get_rng_state(), before), "no random numbers are used up"


def test_the_vector_of_padding_is_zero_and_its_row_gets_no_gradient():
    table = TokenEmbedding(7, 4)
    vectors = table(torch.tensor([[5, PAD, 6]]))
    vectors.sum().backward()
    assert torch.equal(vectors[0, 1], torch.zeros(4))
    assert torch.equal(vectors[0, [0, 2]], table.weight[[5, 6]])
    assert table.weight.grad[PAD].abs().sum() == 0 and table.weight.grad[5].abs().sum() > 0
