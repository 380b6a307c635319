"""Normalizers: by hand, zeros at padding, every family with each, and the package that is missing."""

from __future__ import annotations

import importlib.util
import typing
from typing import Any

import pytest
import torch
from torch import Tensor

from nmt.build import MODELS
from nmt.config.nodes import instantiate
from nmt.errors import ParameterError
from nmt.models.attention.base import Attention, Normalizer, normalizer_function
from nmt.models.attention.luong import DotAttention
from tests.models.cases import attention_node
from tests.models.test_attention import FAMILIES, start

SPARSE = ["sparsemax", "entmax"]
MASK = torch.tensor([[True, True, True, False], [True, False, False, False], [True, True, True, True]])


@pytest.fixture(autouse=True)
def entmax() -> None:
    pytest.importorskip("entmax", reason="the extra entmax is not installed")


@pytest.mark.parametrize(
    ("normalizer", "expected"),
    [
        ("softmax", [0.6652, 0.2447, 0.0900]),  # e^2, e^1, e^0 over their sum
        ("sparsemax", [1.0, 0.0, 0.0]),  # max(0, z - 1)
        ("entmax", [0.8307, 0.1693, 0.0]),  # max(0, z / 2 - t)^2 with (1 - t)^2 + (0.5 - t)^2 = 1, t = 0.0886
    ],
)
def test_weights_by_hand(normalizer: str, expected: list[float]) -> None:
    weights = normalizer_function(normalizer)(torch.tensor([2.0, 1.0, 0.0]))
    torch.testing.assert_close(weights, torch.tensor(expected), rtol=0, atol=1e-4)


@pytest.mark.parametrize("normalizer", typing.get_args(Normalizer))
def test_near_scores_share_the_weight(normalizer: str) -> None:
    weights = normalizer_function(normalizer)(torch.tensor([1.0, 0.9, 0.9, -torch.inf]))
    assert (weights[:3] > 0).all() and weights[3] == 0 and weights.sum() == pytest.approx(1)


def make(name: str, normalizer: str) -> Attention:
    torch.manual_seed(1)
    node: dict[str, Any] = attention_node(name)
    node.get("scores", node)["normalizer"] = normalizer
    attention = instantiate(node, "model.attention", within=MODELS)(query_width=8, memory_width=8)
    assert isinstance(attention, Attention)
    return attention.double()


@pytest.mark.parametrize("normalizer", typing.get_args(Normalizer))
@pytest.mark.parametrize("name", FAMILIES)
def test_every_family_takes_every_normalizer(name: str, normalizer: str) -> None:
    """Padding gets exactly 0 and no gradient, whatever stands there; gradients are numbers."""
    attention, memory, query = make(name, normalizer), torch.randn(3, 4, 8).double(), torch.randn(3, 2, 8).double()
    memory.requires_grad_()
    prepared = attention.prepare(memory, MASK)
    context, weights, _ = attention(query, prepared, start(attention, prepared, 2))
    assert not weights.masked_select(~MASK[:, None, None]).any()
    assert (weights >= 0).all() and (weights.sum(-1) <= 1 + 1e-9).all()
    context.pow(2).sum().backward()
    assert memory.grad is not None and memory.grad.isfinite().all() and not memory.grad[~MASK].any()
    changed = attention.prepare(memory.detach().masked_fill(~MASK.unsqueeze(-1), 9.0), MASK)
    torch.testing.assert_close(attention(query, changed, start(attention, changed, 2))[1], weights)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
@pytest.mark.parametrize("normalizer", SPARSE)
def test_half_precision_is_summed_in_single(normalizer: str, dtype: torch.dtype) -> None:
    scores: Tensor = torch.randn(4, 300, generator=torch.Generator().manual_seed(0)).to(dtype)
    weights = normalizer_function(normalizer)(scores)
    assert weights.dtype == dtype
    torch.testing.assert_close(weights.float().sum(-1), torch.ones(4), rtol=0, atol=0.01)


def test_a_missing_package_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(
        ParameterError, match=r"normalizer: 'entmax' needs entmax, not installed; pip.*lab\[entmax\]' installs it"
    ):
        DotAttention(4, 4, normalizer="entmax")
    DotAttention(4, 4)
