"""Cross entropy, R-Drop and SimCut equal torch's own functions over the real positions, and so do their gradients."""

from types import SimpleNamespace

import pytest
import torch
from torch import nn
from torch.nn.functional import cross_entropy, kl_div, log_softmax

from nmt.data.batches import make_batch
from nmt.tokens import PAD
from nmt.training.objectives.cross_entropy import CrossEntropy
from nmt.training.objectives.rdrop import RDrop
from nmt.training.objectives.simcut import SimCut

VOCABULARY, WIDTH = 11, 6
MASK = torch.arange(5) < torch.tensor([[5], [2], [3]])  # 10 real tokens
OBJECTIVES = {
    "cross entropy": CrossEntropy(),
    "without smoothing": CrossEntropy(label_smoothing=0.0),
    "rdrop": RDrop(),
    "rdrop without divergence": RDrop(alpha=0.0, label_smoothing=0.2),
    "simcut": SimCut(),
    "simcut without divergence": SimCut(alpha=0.0, label_smoothing=0.2),
}


def batch_of(targets, mask=MASK):
    """Return what an objective reads of a batch."""
    return SimpleNamespace(target_out=targets, target_mask=mask)


def plain(objective, hidden, output, targets, mask=MASK):
    """The formulas of the papers on all logits, with torch's own functions."""
    passes = [output(part)[mask] for part in hidden.chunk(objective.passes)]
    counted = passes[:1] if isinstance(objective, SimCut) else passes
    loss = sum(
        cross_entropy(x, targets[mask], label_smoothing=objective.label_smoothing, reduction="sum") for x in counted
    )
    if objective.passes == 2:
        log_p, log_q = (log_softmax(x, -1) for x in passes)
        forward = kl_div(log_q, log_p, log_target=True, reduction="sum")  # KL(p || q)
        backward = kl_div(log_p, log_q, log_target=True, reduction="sum")
        loss += objective.alpha * (forward if isinstance(objective, SimCut) else (forward + backward) / 2)
    return loss


@pytest.mark.parametrize("bias", [True, False], ids=["bias", "no bias"])
@pytest.mark.parametrize("objective", OBJECTIVES.values(), ids=OBJECTIVES)
def test_value_and_gradients_equal_torchs(objective, bias):
    torch.manual_seed(0)
    hidden = torch.randn(3 * objective.passes, 5, WIDTH, dtype=torch.double, requires_grad=True)
    targets, output = torch.randint(VOCABULARY, (3, 5)), nn.Linear(WIDTH, VOCABULARY, bias=bias).double()
    sums, expected = objective(hidden, output, batch_of(targets), None), plain(objective, hidden, output, targets)
    assert sums.tokens == 10, "the tokens of one copy"
    torch.testing.assert_close(sums.loss, expected)
    counted = hidden.chunk(objective.passes)[: 1 if isinstance(objective, SimCut) else None]
    nll = sum(cross_entropy(output(part)[MASK], targets[MASK], reduction="sum") for part in counted) / len(counted)
    torch.testing.assert_close(sums.nll, nll)
    assert not sums.nll.requires_grad
    tensors = [hidden, *output.parameters()]
    for ours, theirs in zip(*(torch.autograd.grad(loss, tensors) for loss in (sums.loss, expected)), strict=True):
        torch.testing.assert_close(ours, theirs)


@pytest.mark.parametrize("objective", [CrossEntropy(), RDrop()], ids=["cross entropy", "rdrop"])
@pytest.mark.parametrize("scale", [0.1, 4.0, 9.0])
def test_half_precision_is_as_near_as_torchs(objective, scale):
    """Also for tokens that the model is sure of, where softmax and target nearly cancel."""
    torch.manual_seed(0)
    output, targets = nn.Linear(32, 50, bias=False), torch.randint(50, (1, 200))
    hidden = (output.weight[targets] * scale**2 * 4).repeat(objective.passes, 1, 1)
    hidden = (hidden + torch.randn_like(hidden) / 4).detach().requires_grad_()
    mask = torch.ones_like(targets, dtype=torch.bool)

    def gradients(loss):
        return torch.autograd.grad(loss, [hidden, output.weight])

    exact = gradients(plain(objective, hidden, output, targets, mask))
    with torch.autocast("cpu", torch.bfloat16):
        theirs = gradients(plain(objective, hidden, output, targets, mask))
        ours = gradients(objective(hidden, output, batch_of(targets, mask), None).loss)
    for mine, other, right in zip(ours, theirs, exact, strict=True):
        assert (mine - right).norm() < 1.5 * (other - right).norm() + 0.01 * right.norm()


def test_large_and_opposed_logits_stay_finite():
    output = nn.Linear(4, 9)
    hidden = torch.stack((torch.full((1, 4), 1e4), torch.full((1, 4), -1e4))).requires_grad_()
    targets, mask = torch.zeros(1, 1, dtype=torch.long), torch.ones(1, 1, dtype=torch.bool)
    loss = RDrop(alpha=5.0)(hidden, output, batch_of(targets, mask), None).loss
    assert loss.isfinite() and torch.autograd.grad(loss, hidden)[0].isfinite().all()


@pytest.mark.parametrize("objective", [RDrop(label_smoothing=0.2), SimCut(label_smoothing=0.2)])
def test_validation_is_the_plain_loss_of_one_pass(objective):
    hidden, targets, output = torch.randn(3, 5, WIDTH), torch.randint(VOCABULARY, (3, 5)), nn.Linear(WIDTH, VOCABULARY)
    ours = objective.validate(hidden, output, batch_of(targets), None)
    theirs = CrossEntropy(label_smoothing=0.2)(hidden, output, batch_of(targets), None)
    assert (ours.loss, ours.nll, ours.tokens) == (theirs.loss, theirs.nll, theirs.tokens)


def test_only_the_second_pass_of_simcut_is_cut():
    torch.manual_seed(0)
    batch = make_batch([[*range(4, 60), 3]] * 50, [[*range(4, 40), 3]] * 50)
    source, mask, target_in = SimCut(cut=0.05).inputs(batch)
    for cut, whole in ((source, batch.source), (target_in, batch.target_in)):
        assert torch.equal(cut[:50], whole)
        changed = cut[50:] != whole
        assert (cut[50:][changed] == PAD).all()
        assert changed.float().mean() == pytest.approx(0.05, abs=0.01)
    assert torch.equal(mask, batch.source_mask.repeat(2, 1))
