"""R-Drop's closed-form gradients equal autograd's of the plain formula; without alpha it is cross entropy twice."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy, kl_div, log_softmax

from nmt.errors import ParameterError
from nmt.training.objectives import chunked
from nmt.training.objectives.cross_entropy import CrossEntropy
from nmt.training.objectives.rdrop import RDrop

VOCABULARY, WIDTH = 11, 6
MASK = torch.arange(5) < torch.tensor([[5], [2], [3]])  # 10 real tokens


def targets_of(targets, mask=MASK):
    """Return what an objective reads of a batch."""
    return SimpleNamespace(target_out=targets, target_mask=mask)


def plain(hidden, output, targets, *, alpha, smoothing):
    """The formula of the paper on all logits, with torch's own functions and autograd."""
    first, second = (output(half)[MASK] for half in hidden.chunk(2))
    log_p, log_q = log_softmax(first, -1), log_softmax(second, -1)
    divergence = kl_div(log_q, log_p, log_target=True, reduction="sum")  # KL(p || q)
    divergence = divergence + kl_div(log_p, log_q, log_target=True, reduction="sum")
    losses = [cross_entropy(x, targets[MASK], label_smoothing=smoothing, reduction="sum") for x in (first, second)]
    return losses[0] + losses[1] + alpha * divergence / 2


def gradients(loss, tensors):
    return torch.autograd.grad(loss, tensors)


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

    sums = RDrop(alpha=alpha, label_smoothing=smoothing)(hidden, output, targets_of(targets), None)
    expected = plain(hidden, output, targets, alpha=alpha, smoothing=smoothing)

    assert sums.tokens == 10, "the tokens of one copy"
    torch.testing.assert_close(sums.loss, expected)
    both = [cross_entropy(output(half)[MASK], targets[MASK], reduction="sum") for half in hidden.chunk(2)]
    torch.testing.assert_close(sums.nll, (both[0] + both[1]) / 2)
    for ours, autograds in zip(gradients(sums.loss, tensors), gradients(expected, tensors), strict=True):
        torch.testing.assert_close(ours, autograds)


def test_finite_differences_agree(case):
    hidden, targets = case
    output = nn.Linear(WIDTH, VOCABULARY).double()
    objective = RDrop(alpha=2.0, label_smoothing=0.1)

    def loss(hidden, weight, bias):
        return objective(hidden, SimpleNamespace(weight=weight, bias=bias), targets_of(targets), None).loss

    assert torch.autograd.gradcheck(loss, (hidden, output.weight, output.bias))


def test_a_table_tied_to_the_output_gets_both_gradients(case):
    table = nn.Embedding(VOCABULARY, WIDTH).double()
    output = nn.Linear(WIDTH, VOCABULARY, bias=False).double()
    output.weight = table.weight
    _, targets = case
    noise = torch.randn(2, 3, 5, WIDTH, dtype=torch.double)  # in place of dropout
    hidden = (table(targets) * noise).flatten(0, 1).tanh()
    ours = RDrop(alpha=3.0)(hidden, output, targets_of(targets), None).loss
    expected = plain(hidden, output, targets, alpha=3.0, smoothing=0.1)
    (autograds,) = torch.autograd.grad(expected, [table.weight], retain_graph=True)
    torch.testing.assert_close(gradients(ours, [table.weight])[0], autograds)


def test_without_alpha_it_is_twice_the_cross_entropy_of_equal_passes(case):
    once, targets = case[0][:3], case[1]
    output = nn.Linear(WIDTH, VOCABULARY).double()
    twice = RDrop(alpha=0.0)(torch.cat((once, once)), output, targets_of(targets), None)
    single = CrossEntropy()(once, output, targets_of(targets), None)
    tensors = [case[0], *output.parameters()]
    torch.testing.assert_close(twice.loss, 2 * single.loss)
    torch.testing.assert_close(twice.nll, single.nll)
    assert twice.tokens == single.tokens
    for double, gradient in zip(gradients(twice.loss, tensors), gradients(single.loss, tensors), strict=True):
        torch.testing.assert_close(double, 2 * gradient)


def test_validation_is_the_plain_loss_of_one_pass(case):
    hidden, targets = case[0][:3], case[1]
    output = nn.Linear(WIDTH, VOCABULARY).double()
    ours = RDrop(label_smoothing=0.2).validate(hidden, output, targets_of(targets), None)
    plain = CrossEntropy(label_smoothing=0.2)(hidden, output, targets_of(targets), None)
    assert (ours.loss, ours.nll, ours.tokens) == (plain.loss, plain.nll, plain.tokens)


def test_half_precision_is_as_near_as_the_plain_formulas(case):
    torch.manual_seed(0)
    output, targets = nn.Linear(32, 50), torch.randint(50, (3, 5))
    hidden = output.weight[targets].repeat(2, 1, 1) * 20 + torch.randn(6, 5, 32) / 4
    hidden = hidden.detach().requires_grad_()
    tensors = [hidden, *output.parameters()]

    def ours():
        return gradients(RDrop(alpha=3.0)(hidden, output, targets_of(targets), None).loss, tensors)

    def theirs():
        return gradients(plain(hidden, output, targets, alpha=3.0, smoothing=0.1), tensors)

    exact = theirs()
    with torch.autocast("cpu", torch.bfloat16):
        halves = ours(), theirs()
    for mine, other, right in zip(*halves, exact, strict=True):
        assert mine.dtype == right.dtype
        assert (mine - right).norm() < 1.5 * (other - right).norm() + 0.01 * right.norm()


def test_sure_and_opposed_passes_stay_finite():
    output = nn.Linear(4, 9)
    hidden = torch.stack((torch.full((1, 4), 1e4), torch.full((1, 4), -1e4))).requires_grad_()
    targets, mask = torch.zeros(1, 1, dtype=torch.long), torch.ones(1, 1, dtype=torch.bool)
    loss = RDrop(alpha=5.0)(hidden, output, targets_of(targets, mask), None).loss
    assert loss.isfinite() and gradients(loss, [hidden])[0].isfinite().all()


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (lambda: RDrop(alpha=-1.0), "alpha"),
        (lambda: RDrop(alpha=float("inf")), "alpha"),
        (lambda: RDrop(label_smoothing=1.0), "label_smoothing"),
        (lambda: CrossEntropy(label_smoothing=float("nan")), "label_smoothing"),
    ],
)
def test_values_out_of_range_are_refused(make, parameter):
    with pytest.raises(ParameterError) as refused:
        make()
    assert refused.value.parameter == parameter
