"""Muon with AdamW: which weights each gets, and a step against torch's own two."""

from __future__ import annotations

import copy
from collections.abc import Callable

import pytest
import torch
from torch import Tensor, nn

from nmt.build import build_model
from nmt.config.compose import compose
from nmt.models.seq2seq import Seq2Seq
from nmt.training.optimizers import MuonWithAdamW, orthogonal

SETTINGS = {"lr": 0.02, "momentum": 0.8, "betas": (0.7, 0.95), "eps": 1e-6, "weight_decay": 0.3}


@pytest.fixture
def model() -> Seq2Seq:
    words = ("model=hybrid", "model.encoder.layers=1", "model.encoder.block.width=16", "model.decoder.width=8")
    config = compose("train", words)["model"]
    torch.manual_seed(5)
    return build_model(config, source_vocab_size=9, target_vocab_size=9)


def muon(model: Seq2Seq) -> MuonWithAdamW:
    return MuonWithAdamW(model.parameters(), model.hidden_matrices(), **SETTINGS)


def give_gradients(model: nn.Module, seed: int) -> None:
    draw = torch.Generator().manual_seed(seed)
    for weight in model.parameters():
        weight.grad = torch.randn(weight.shape, generator=draw)


def train(model: Seq2Seq, step: Callable[[], object], updates: range) -> list[Tensor]:
    """Return the weights after updates whose gradients depend on the number of the update only."""
    for update in updates:
        give_gradients(model, update)
        step()
    return [weight.detach().clone() for weight in model.parameters()]


def test_its_steps_are_those_of_muon_and_adamw(model: Seq2Seq) -> None:
    other = copy.deepcopy(model)
    matrices = other.hidden_matrices()
    rest = [each for each in other.parameters() if not any(each is matrix for matrix in matrices)]
    by_hand = (
        torch.optim.Muon(matrices, lr=0.02, momentum=0.8, weight_decay=0.3, adjust_lr_fn="match_rms_adamw"),
        torch.optim.AdamW(rest, lr=0.02, betas=(0.7, 0.95), eps=1e-6, weight_decay=0.3, fused=True),
    )
    expected = train(other, lambda: [each.step() for each in by_hand], range(3))
    for weight, same in zip(train(model, muon(model).step, range(3)), expected, strict=True):
        torch.testing.assert_close(weight, same, rtol=0.0, atol=1e-3)  # torch's Muon computes with bfloat16


@pytest.mark.parametrize("shape", [(8, 8), (5, 16), (16, 5)])
def test_an_orthogonal_matrix_has_the_singular_vectors_of_its_argument(shape: tuple[int, int]) -> None:
    matrix = torch.randn(shape, generator=torch.Generator().manual_seed(3))
    left, values, right = torch.linalg.svd(matrix, full_matrices=False)
    values = values / values.norm()
    for _ in range(5):
        values = 3.4445 * values - 4.7750 * values**3 + 2.0315 * values**5
    torch.testing.assert_close(orthogonal(matrix, 5), left @ values.diag() @ right, rtol=0.0, atol=1e-5)
    assert values.min() > 0.6 and values.max() < 1.3


def test_a_new_rate_of_the_groups_moves_both_parts(model: Seq2Seq) -> None:
    before, optimizer = train(model, lambda: None, range(0)), muon(model)
    optimizer.load_state_dict(optimizer.state_dict())  # which replaces the groups
    for group in optimizer.param_groups:
        group["lr"] = 0.0
    assert all(map(torch.equal, train(model, optimizer.step, range(1)), before))
    for group in optimizer.param_groups:
        group["lr"] = 0.1
    assert not any(map(torch.equal, train(model, optimizer.step, range(1)), before))
