"""The chunked cross entropy equals torch's over the real positions."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from nmt.training.objectives import chunked
from nmt.training.objectives.base import Sums
from nmt.training.objectives.chunked import chunked_cross_entropy
from nmt.training.objectives.cross_entropy import CrossEntropy
from nmt.training.objectives.rdrop import RDrop


def targets_of(targets, mask):
    """Return what an objective reads of a batch."""
    return SimpleNamespace(target_out=targets, target_mask=mask)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("chunk", [1, 40, 2**20])
def test_value_and_gradients_equal_torch(monkeypatch, smoothing, bias, chunk):
    monkeypatch.setattr(chunked, "CPU_CHUNK", chunk)
    torch.manual_seed(0)
    output = nn.Linear(6, 11, bias=bias).double()
    hidden = torch.randn(3, 5, 6, dtype=torch.double, requires_grad=True)
    targets = torch.randint(11, (3, 5))
    mask = torch.arange(5) < torch.tensor([[5], [2], [3]])

    sums = Sums(*chunked_cross_entropy(hidden, output, targets, mask, label_smoothing=smoothing))
    (sums.loss / sums.tokens).backward()
    ours = [hidden.grad.clone(), *(p.grad.clone() for p in output.parameters())]
    hidden.grad = None
    output.zero_grad()

    logits = output(hidden)[mask]
    expected = nn.functional.cross_entropy(logits, targets[mask], label_smoothing=smoothing, reduction="sum")
    (expected / sums.tokens).backward()
    theirs = [hidden.grad, *(p.grad for p in output.parameters())]

    assert sums.tokens == 10
    torch.testing.assert_close(sums.loss, expected)
    torch.testing.assert_close(sums.nll, nn.functional.cross_entropy(logits, targets[mask], reduction="sum"))
    for a, b in zip(ours, theirs, strict=True):
        torch.testing.assert_close(a, b)


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
@pytest.mark.parametrize("scale", [0.1, 4.0, 9.0])
def test_half_precision_is_as_near_as_torchs(smoothing, scale):
    """Also for tokens that the model is sure of, where softmax and target nearly cancel."""
    torch.manual_seed(0)
    output, targets = nn.Linear(32, 50, bias=False), torch.randint(50, (1, 200))
    hidden = (output.weight[targets] * scale**2 * 4).detach().requires_grad_()
    mask = torch.ones_like(targets, dtype=torch.bool)

    def gradients(loss):
        hidden.grad = None
        output.zero_grad()
        loss.backward()
        return hidden.grad.clone(), output.weight.grad.clone()

    def torchs():
        return nn.functional.cross_entropy(output(hidden)[0], targets[0], label_smoothing=smoothing, reduction="sum")

    exact = gradients(torchs())
    with torch.autocast("cpu", torch.bfloat16):
        theirs = gradients(torchs())
        ours = gradients(chunked_cross_entropy(hidden, output, targets, mask, label_smoothing=smoothing)[0])
    for mine, other, right in zip(ours, theirs, exact, strict=True):
        assert (mine - right).norm() < 1.5 * (other - right).norm() + 0.01 * right.norm()


@pytest.mark.parametrize("objective", [CrossEntropy(label_smoothing=0.5), RDrop(alpha=3.0, label_smoothing=0.5)])
def test_half_precision_loses_nothing_after_exact_logits(objective):
    """Logits of 0, 1, ..., 10, and twice these in a second pass, are the same in both precisions."""
    output = nn.Linear(32, 11, bias=False)
    with torch.no_grad():
        output.weight.copy_(torch.arange(11.0)[:, None].expand(11, 32) / 32)
    hidden = torch.ones(1, 205, 32) * torch.arange(1.0, objective.passes + 1)[:, None, None]
    targets = torch.arange(205)[None] % 11
    exact = objective(hidden, output, targets_of(targets, targets >= 0), None)
    with torch.autocast("cpu", torch.bfloat16):
        half = objective(hidden, output, targets_of(targets, targets >= 0), None)
    torch.testing.assert_close((half.loss, half.nll), (exact.loss, exact.nll))


def test_padding_gets_no_gradient():
    output = nn.Linear(4, 9)
    hidden = torch.randn(2, 3, 4, requires_grad=True)
    mask = torch.tensor([[True, True, False], [True, False, False]])
    chunked_cross_entropy(hidden, output, torch.zeros(2, 3, dtype=torch.long), mask)[0].backward()
    assert (hidden.grad[~mask] == 0).all() and (hidden.grad[mask] != 0).any()


def test_large_logits_stay_finite():
    output = nn.Linear(4, 9)
    hidden = torch.full((1, 1, 4), 1e4, requires_grad=True)
    targets, mask = torch.zeros(1, 1, dtype=torch.long), torch.ones(1, 1, dtype=torch.bool)
    loss = chunked_cross_entropy(hidden, output, targets, mask)[0]
    loss.backward()
    assert loss.isfinite() and hidden.grad.isfinite().all()


def test_without_gradient_nothing_is_kept():
    output = nn.Linear(4, 9)
    targets = torch.ones(1, 2, dtype=torch.long)
    with torch.no_grad():
        loss, *_ = chunked_cross_entropy(torch.randn(1, 2, 4), output, targets, targets.bool())
    assert not loss.requires_grad


def test_without_gradients_there_is_no_work_for_them():
    output = nn.Linear(6, 11)
    hidden, targets, mask = torch.randn(2, 3, 6), torch.randint(11, (2, 3)), torch.ones(2, 3, dtype=torch.bool)
    expected = chunked_cross_entropy(hidden, output, targets, mask)
    with torch.inference_mode(), FlopCounterMode(display=False) as count:
        assert chunked_cross_entropy(hidden, output, targets, mask) == expected
    assert count.get_total_flops() == 2 * (2 * 3) * 6 * 11, "the projection alone"
