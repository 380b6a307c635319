"""Linguistic coverage: scores and state by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import Tensor

from nmt.errors import ParameterError
from nmt.models.attention.additive import AdditiveAttention, CoverageAttention


def close(got: Tensor, expected: Any) -> None:
    torch.testing.assert_close(got, torch.as_tensor(expected, dtype=got.dtype), rtol=1e-10, atol=1e-10)


def test_two_steps_by_hand() -> None:
    """Query 2, values 1 and -1, one hidden unit, all weights 1 but V = -3 and U_f = 0.5."""
    attention = CoverageAttention(1, 1, width=1, max_fertility=2).double()
    weights = {"query_projection": 1.0, "key_projection": 1.0, "energy": 1.0, "coverage_projection": -3.0}
    attention.load_state_dict(
        {f"{name}.weight": torch.tensor([[value]]) for name, value in (weights | {"fertility": 0.5}).items()}
    )
    query, values = torch.tensor([[[2.0]]]).double(), torch.tensor([[[1.0], [-1.0]]]).double()
    memory = attention.prepare(values, torch.ones(1, 2) > 0)
    state = attention.init_state(memory)
    fertility = [2 / (1 + math.exp(-0.5)), 2 / (1 + math.exp(0.5))]
    close(state.fertility[0], fertility)
    coverage = [0.0, 0.0]
    for _ in range(3):
        scores = [math.tanh(2 + key - 3 * covered) for key, covered in zip([1, -1], coverage, strict=True)]
        total = sum(map(math.exp, scores))
        expected = [math.exp(score) / total for score in scores]
        _, got, state = attention(query, memory, state)
        close(got[0, 0, 0], expected)
        coverage = [old + a / f for old, a, f in zip(coverage, expected, fertility, strict=True)]
        close(state.coverage[0], coverage)


def test_the_first_step_is_that_of_bahdanau() -> None:
    plain, covering = AdditiveAttention(4, 6, width=3).double(), CoverageAttention(4, 6, width=3).double()
    covering.load_state_dict(plain.state_dict(), strict=False)
    query, values, mask = torch.randn(2, 1, 4).double(), torch.randn(2, 5, 6).double(), torch.ones(2, 5) > 0
    memory = covering.prepare(values, mask)
    close(covering(query, memory, covering.init_state(memory))[1], plain(query, plain.prepare(values, mask), None)[1])


def test_a_wrong_fertility_is_named() -> None:
    with pytest.raises(ParameterError, match=r"max_fertility: got 0, expected a number of more than 0"):
        CoverageAttention(4, 4, max_fertility=0)
