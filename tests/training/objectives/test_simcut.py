"""SimCut's closed-form gradients equal autograd's of the plain formula; it cuts pieces of the second pass only."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy, kl_div, log_softmax

from nmt.data.batches import make_batch
from nmt.errors import ParameterError
from nmt.tokens import PAD
from nmt.training.objectives import chunked
from nmt.training.objectives.cross_entropy import CrossEntropy
from nmt.training.objectives.simcut import SimCut

VOCABULARY, WIDTH = 11, 6
MASK = torch.arange(5) < torch.tensor([[5], [2], [3]])  # 10 real tokens


def targets_of(targets):
    """Return what an objective reads of a batch."""
    return SimpleNamespace(target_out=targets, target_mask=MASK)


def plain(hidden, output, targets, *, alpha, smoothing):
    """The formula of the paper on all logits, with torch's own functions and autograd."""
    first, second = (output(half)[MASK] for half in hidden.chunk(2))
    divergence = kl_div(log_softmax(second, -1), log_softmax(first, -1), log_target=True, reduction="sum")
    return cross_entropy(first, targets[MASK], label_smoothing=smoothing, reduction="sum") + alpha * divergence


@pytest.fixture
def case():
    torch.manual_seed(0)
    hidden = torch.randn(6, 5, WIDTH, dtype=torch.double, requires_grad=True)  # two passes of three sentences
    return hidden, torch.randint(VOCABULARY, (3, 5))


@pytest.mark.parametrize("chunk", [1, 70, 2**20], ids=["a row at a time", "three rows", "all rows"])
@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize(("alpha", "smoothing"), [(3.0, 0.1), (1.0, 0.0), (0.0, 0.2)])
def test_value_and_gradients_equal_the_plain_formula(case, monkeypatch, chunk, bias, alpha, smoothing):
    monkeypatch.setattr(chunked, "CPU_CHUNK", chunk)
    hidden, targets = case
    output = nn.Linear(WIDTH, VOCABULARY, bias=bias).double()
    tensors = [hidden, *output.parameters()]

    sums = SimCut(alpha=alpha, label_smoothing=smoothing)(hidden, output, targets_of(targets), None)
    expected = plain(hidden, output, targets, alpha=alpha, smoothing=smoothing)

    assert sums.tokens == 10, "the tokens of one copy"
    torch.testing.assert_close(sums.loss, expected)
    torch.testing.assert_close(sums.nll, cross_entropy(output(hidden[:3])[MASK], targets[MASK], reduction="sum"))
    for ours, autograds in zip(*(torch.autograd.grad(x, tensors) for x in (sums.loss, expected)), strict=True):
        torch.testing.assert_close(ours, autograds)


def test_without_alpha_it_is_the_cross_entropy_of_the_first_pass(case):
    hidden, targets = case
    output = nn.Linear(WIDTH, VOCABULARY).double()
    ours = SimCut(alpha=0.0)(hidden, output, targets_of(targets), None)
    single = CrossEntropy()(hidden[:3], output, targets_of(targets), None)
    torch.testing.assert_close(ours.loss, single.loss)
    both = [torch.autograd.grad(x.loss, [hidden, *output.parameters()]) for x in (ours, single)]
    for mine, others in zip(*both, strict=True):
        torch.testing.assert_close(mine, others)


def test_only_the_second_pass_is_cut():
    torch.manual_seed(0)
    batch = make_batch([[*range(4, 60), 3]] * 50, [[*range(4, 40), 3]] * 50)
    source, mask, target_in = SimCut(cut=0.05).inputs(batch)
    for cut, whole in ((source, batch.source), (target_in, batch.target_in)):
        assert torch.equal(cut[:50], whole)
        changed = cut[50:] != whole
        assert (cut[50:][changed] == PAD).all()
        assert changed.float().mean() == pytest.approx(0.05, abs=0.01)
    assert torch.equal(mask, batch.source_mask.repeat(2, 1))


@pytest.mark.parametrize(("parameter", "value"), [("alpha", -1.0), ("cut", 1.0), ("label_smoothing", 1.0)])
def test_values_out_of_range_are_refused(parameter, value):
    with pytest.raises(ParameterError) as refused:
        SimCut(**{parameter: value})
    assert refused.value.parameter == parameter
