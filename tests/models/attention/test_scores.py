"""The scores of each family, with numbers computed by hand."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch
from torch import nn

from nmt.errors import ParameterError
from nmt.models.attention.additive import AdditiveAttention, CoverageAttention, additive_scores
from nmt.models.attention.base import Attention
from nmt.models.attention.luong import DotAttention, GeneralAttention, LocationAttention, LuongAttention
from nmt.models.attention.multihead import MultiHead
from nmt.models.attention.similarity import CosineAttention, DistanceAttention
from tests.models.test_attention import close

QUERY, KEYS = [1.0, 2.0], [[3.0, -1.0], [0.5, 4.0]]
CONCAT = {
    "query_projection.weight": [[1.0, 0.0], [0.0, 1.0]],
    "key_projection.weight": [[1.0, 0.0], [0.0, 1.0]],
    "energy.weight": [[2.0, -1.0]],
}
CONCAT_SCORES = [2 * math.tanh(4) - math.tanh(1), 2 * math.tanh(1.5) - math.tanh(6)]
ROOT = math.sqrt(2)
CASES: dict[str, tuple[Attention, dict[str, Any], list[float]]] = {
    "dot": (DotAttention(2, 2), {}, [1.0, 8.5]),  # 1*3 - 2*1, 1*0.5 + 2*4
    "scaled dot": (DotAttention(2, 2, "sqrt"), {}, [1.0 / ROOT, 8.5 / ROOT]),
    "dot, learned": (DotAttention(2, 2, "learned"), {"factor": 3.0}, [3.0, 25.5]),
    # W turns (a, b) into (b, 10a): (1, 2) . (-1, 30), (1, 2) . (4, 5)
    "general": (GeneralAttention(2, 2, "none"), {"key_projection.weight": [[0.0, 1.0], [10.0, 0.0]]}, [59.0, 14.0]),
    # W = [[1 0 | 1 0], [0 1 | 0 1]], v = (2, -1): 2 tanh(1 + a) - tanh(2 + b)
    "concat": (AdditiveAttention(2, 2, width=None), CONCAT, CONCAT_SCORES),
    "additive": (AdditiveAttention(2, 2, width=2), CONCAT, CONCAT_SCORES),
    "luong dot": (LuongAttention(2, 2, "dot", "none"), {}, [1.0, 8.5]),
    "luong concat": (
        LuongAttention(2, 2, "concat"),
        {f"scores.{name}": rows for name, rows in CONCAT.items()},
        CONCAT_SCORES,
    ),
    # rows of W times (1, 2): 1 + 2, 5 - 2; the third row is of a position that the source does not have
    "location": (
        LocationAttention(2, 2, max_length=3),
        {"position_scores.weight": [[1.0, 1.0], [5.0, -1.0], [7.0, 7.0]]},
        [3.0, 3.0],
    ),
    # |q| = sqrt 5, |k| = sqrt 10 and sqrt 16.25
    "cosine": (CosineAttention(2, 2, factor=2.0), {"factor": 2.0}, [2 / math.sqrt(50), 17 / math.sqrt(81.25)]),
    # differences (-2, 3) and (0.5, -2)
    "euclidean": (DistanceAttention(2, 2, "euclidean", "none"), {}, [-math.sqrt(13), -math.sqrt(4.25)]),
    "manhattan": (DistanceAttention(2, 2, "manhattan", "sqrt"), {}, [-5 / ROOT, -2.5 / ROOT]),
}


def set_weights(attention: Attention, weights: dict[str, Any]) -> None:
    attention.load_state_dict({name: torch.tensor(rows).double() for name, rows in weights.items()})


@pytest.mark.parametrize("name", CASES)
def test_scores_by_hand(name: str) -> None:
    attention, weights, expected = CASES[name]
    set_weights(attention.double(), weights)
    memory = attention.prepare(torch.tensor([KEYS], dtype=torch.float64), torch.ones(1, 2, dtype=torch.bool))
    query = torch.tensor([[QUERY]], dtype=torch.float64)
    close(attention.score(query, memory, None)[0, 0], expected)
    context, got, _ = attention(query, memory, None)
    shares = torch.tensor(expected, dtype=torch.float64).softmax(0)
    close(got[0, 0, 0], shares)
    close(context[0, 0], shares @ torch.tensor(KEYS, dtype=torch.float64))


def test_multihead_by_hand() -> None:
    """Two heads of width 1: the first sees only the first numbers of query and memory, the second the second ones."""
    attention = MultiHead(2, 2, heads=2).double()
    with torch.no_grad():
        attention.attention.query.weight.copy_(torch.eye(2))
        attention.attention.key_value.weight.copy_(torch.eye(2).repeat(2, 1))
        attention.attention.output.weight.copy_(torch.tensor([[1.0, 0.0], [100.0, 1.0]]))
    memory = attention.prepare(torch.tensor([KEYS], dtype=torch.float64), torch.ones(1, 2, dtype=torch.bool))
    context, weights, _ = attention(torch.tensor([[QUERY]], dtype=torch.float64), memory, None)
    first, second = 1 / (1 + math.exp(0.5 - 3)), 1 / (1 + math.exp(2 * 4 + 2 * 1))
    close(weights[0, :, 0], [[first, 1 - first], [second, 1 - second]])
    one, two = 3 * first + 0.5 * (1 - first), -second + 4 * (1 - second)
    close(context[0, 0], [one, 100 * one + two])


@pytest.mark.parametrize("scale", ["sqrt", "learned"])
@pytest.mark.parametrize("kind", [DotAttention, GeneralAttention])
def test_a_scale_divides_the_scores_by_the_root_of_the_width(kind: Any, scale: Any) -> None:
    query, memory, mask = torch.randn(3, 2, 16).double(), torch.randn(3, 4, 16).double(), torch.ones(3, 4) > 0
    plain, scaled = kind(16, 16, "none").double(), kind(16, 16, scale).double()
    scaled.load_state_dict(plain.state_dict(), strict=False)
    got = scaled.score(query, scaled.prepare(memory, mask), None)
    close(got, plain.score(query, plain.prepare(memory, mask), None) / 4)
    names = {name for name, _ in scaled.named_parameters()} - {name for name, _ in plain.named_parameters()}
    assert names == ({"factor"} if scale == "learned" else set())


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_additive_scores_keep_small_values_in_every_precision(dtype: torch.dtype) -> None:
    energy = nn.Linear(1, 1, bias=False)
    nn.init.ones_(energy.weight)
    queries, keys = torch.tensor([[[1e-3], [2.0]]]), torch.tensor([[[[2e-3], [-1.0]]]])
    scores = additive_scores(queries.to(dtype), keys.to(dtype), energy.to(dtype))
    expected = torch.tanh(queries + keys[:, 0].transpose(1, 2))
    torch.testing.assert_close(scores.float(), expected, rtol=0.01, atol=1e-5)


def test_a_source_longer_than_the_rows_of_location_gets_no_weight_at_its_end() -> None:
    attention = LocationAttention(2, 2, max_length=2).double()
    memory = attention.prepare(torch.randn(1, 5, 2).double(), torch.ones(1, 5) > 0)
    _, weights, _ = attention(torch.randn(1, 1, 2).double(), memory, None)
    assert (weights[..., :2] > 0).all() and not weights[..., 2:].any()


def test_coverage_by_hand() -> None:
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


def test_a_wrong_value_is_named() -> None:
    with pytest.raises(ParameterError, match=r"scale: got 'sqrt' with the score 'concat'.*expected 'none'"):
        LuongAttention(4, 4, "concat", "sqrt")
    with pytest.raises(ParameterError, match="heads: got 3, expected a number that divides the width 4"):
        MultiHead(4, 4, heads=3)
