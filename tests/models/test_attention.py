"""Recurrent attention: scores by hand, masks, beams as queries, and errors.

Attentions are found by their YAML; what every attention must do is tested with each of them and with the toys.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest
import torch
import yaml
from torch import Tensor, nn

from nmt.build import MODELS
from nmt.config.instantiate import instantiate
from nmt.errors import ParameterError
from nmt.models.attention.bahdanau import BahdanauAttention
from nmt.models.attention.base import Attention, AttentionFactory, AttentionMemory, additive_scores
from nmt.models.attention.luong import LuongAttention
from nmt.models.interface import State
from tests.models.toy_attentions import TOYS

CONFIGS = Path(__file__).parents[2] / "configs" / "model" / "attention"

MASK = torch.tensor([[True, True, True, False], [True, False, False, False], [True, True, True, True]])


def families(query_width: int = 5, memory_width: int = 5) -> list[Attention]:
    torch.manual_seed(1)
    scores = ("dot", "general", "concat") if query_width == memory_width else ("general", "concat")
    luong = [LuongAttention(query_width, memory_width, score) for score in scores]  # type: ignore[arg-type]
    return [module.double() for module in (BahdanauAttention(query_width, memory_width, width=7), *luong)]


@pytest.fixture(params=range(4), ids=["additive", "dot", "general", "concat"])
def attention(request: pytest.FixtureRequest) -> Attention:
    return families()[request.param]


def makers() -> dict[str, AttentionFactory]:
    """Return the attentions that are found in configs/model/attention, and the toys, by name."""
    found: dict[str, AttentionFactory] = {}
    for path in sorted(CONFIGS.glob("*.yaml")):
        node = yaml.safe_load(path.read_text("utf-8"))
        if "_target_" in node:
            found[path.stem] = instantiate(node, "model.attention", within=MODELS)
    return found | dict(TOYS)


@pytest.fixture(params=makers())
def any_attention(request: pytest.FixtureRequest) -> Attention:
    torch.manual_seed(1)
    return makers()[request.param](query_width=5, memory_width=5).double()


@pytest.fixture
def query() -> Tensor:
    return torch.randn(3, 2, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(2))


@pytest.fixture
def memory() -> Tensor:
    return torch.randn(3, 4, 5, dtype=torch.float64, generator=torch.Generator().manual_seed(3))


def close(got: Tensor, expected: Any) -> None:
    expected = torch.as_tensor(expected, dtype=got.dtype)
    torch.testing.assert_close(got, expected.expand_as(got), rtol=1e-10, atol=1e-10)


def set_weights(**weights: tuple[nn.Module, list[list[float]]]) -> None:
    with torch.no_grad():
        for module, rows in weights.values():
            module.weight.copy_(torch.tensor(rows))


def test_additive_by_hand() -> None:
    """Query 2, values 1 and -1: tanh(2 + 1) + 3 tanh(0 + 1), and tanh(2 - 1) + 3 tanh(0 - 1)."""
    attention = BahdanauAttention(1, 1, width=2).double()
    set_weights(
        w=(attention.query_projection, [[1.0], [0.0]]),
        u=(attention.key_projection, [[1.0], [1.0]]),
        v=(attention.energy, [[1.0, 3.0]]),
    )
    values = torch.tensor([[[1.0], [-1.0]]], dtype=torch.float64)
    context, weights, _ = attention(
        torch.tensor([[[2.0]]], dtype=torch.float64),
        attention.prepare(values, torch.ones(1, 2, dtype=torch.bool)),
        None,
    )
    first, second = math.tanh(3) + 3 * math.tanh(1), math.tanh(1) + 3 * math.tanh(-1)
    share = 1 / (1 + math.exp(second - first))
    close(weights[0, 0], [share, 1 - share])
    close(context[0, 0], [share - (1 - share)])


QUERY, KEYS = [1.0, 2.0], [[3.0, -1.0], [0.5, 4.0]]


@pytest.mark.parametrize(
    ("score", "weights", "expected"),
    [
        ("dot", {}, [1.0, 8.5]),  # 1*3 - 2*1, 1*0.5 + 2*4
        # W turns (a, b) into (b, 10a): (1, 2) . (-1, 30), (1, 2) . (4, 5)
        ("general", {"key_projection": [[0.0, 1.0], [10.0, 0.0]]}, [59.0, 14.0]),
        # W = [[1 0 | 1 0], [0 1 | 0 1]], v = (2, -1): 2 tanh(1 + a) - tanh(2 + b)
        (
            "concat",
            {
                "query_projection": [[1.0, 0.0], [0.0, 1.0]],
                "key_projection": [[1.0, 0.0], [0.0, 1.0]],
                "energy": [[2.0, -1.0]],
            },
            [2 * math.tanh(4) - math.tanh(1), 2 * math.tanh(1.5) - math.tanh(6)],
        ),
    ],
)
def test_multiplicative_by_hand(score: Any, weights: dict[str, Any], expected: list[float]) -> None:
    attention = LuongAttention(2, 2, score).double()
    assert {name.removesuffix(".weight") for name, _ in attention.named_parameters()} == set(weights)
    set_weights(**{name: (getattr(attention, name), rows) for name, rows in weights.items()})
    memory = attention.prepare(torch.tensor([KEYS], dtype=torch.float64), torch.ones(1, 2, dtype=torch.bool))
    query = torch.tensor([[QUERY]], dtype=torch.float64)
    close(attention.score(query, memory, None)[0, 0], expected)
    _, got, _ = attention(query, memory, None)
    close(got[0, 0], torch.tensor(expected, dtype=torch.float64).softmax(0))


@pytest.mark.parametrize("kind", ["dot", "general"])
@pytest.mark.parametrize("scale", ["sqrt", "learned"])
def test_a_scale_divides_the_scores_by_the_root_of_the_width(kind: Any, scale: Any) -> None:
    query, memory = torch.randn(3, 2, 16).double(), torch.randn(3, 4, 16).double()
    plain, scaled = LuongAttention(16, 16, kind).double(), LuongAttention(16, 16, kind, scale).double()
    scaled.load_state_dict(plain.state_dict(), strict=False)
    got = scaled.score(query, scaled.prepare(memory, MASK), None)
    close(got, plain.score(query, plain.prepare(memory, MASK), None) / 4)
    names = {name for name, _ in scaled.named_parameters()} - {name for name, _ in plain.named_parameters()}
    assert names == ({"factor"} if scale == "learned" else set())


def test_concat_is_one_matrix_over_the_concatenation(query: Tensor, memory: Tensor) -> None:
    attention = families()[3]
    whole = torch.cat((attention.query_projection.weight, attention.key_projection.weight), dim=1)
    pairs = torch.cat((query.unsqueeze(2).expand(-1, -1, 4, -1), memory.unsqueeze(1).expand(-1, 2, -1, -1)), dim=-1)
    expected = attention.energy(torch.tanh(pairs @ whole.t())).squeeze(-1)
    close(attention.score(query, attention.prepare(memory, MASK), None), expected)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_additive_scores_keep_small_values_in_every_precision(dtype: torch.dtype) -> None:
    energy = nn.Linear(1, 1, bias=False)
    nn.init.ones_(energy.weight)
    queries, keys = torch.tensor([[[1e-3], [2.0]]]), torch.tensor([[[2e-3], [-1.0]]])
    scores = additive_scores(queries.to(dtype), keys.to(dtype), energy.to(dtype))
    expected = torch.tanh(queries + keys.transpose(1, 2))
    torch.testing.assert_close(scores.float(), expected, rtol=0.01, atol=1e-5)


def test_large_negative_fill_and_minus_infinity_agree(attention: Attention, query: Tensor, memory: Tensor) -> None:
    prepared = attention.prepare(memory, MASK)
    _, weights, _ = attention(query, prepared, None)
    filled = attention.score(query, prepared, None).masked_fill(~MASK.unsqueeze(1), -1e9)
    close(weights, filled.softmax(-1))


def start(attention: Attention, memory: AttentionMemory, queries: int) -> State | None:
    """Return the state before the first step, for so many queries of each sentence."""
    state = attention.init_state(memory)
    return None if state is None else state.select(torch.arange(len(memory.mask)).repeat_interleave(queries))


def test_padding_has_weight_zero_and_no_gradient(any_attention: Attention, query: Tensor, memory: Tensor) -> None:
    memory.requires_grad_()
    prepared = any_attention.prepare(memory, MASK)
    context, weights, _ = any_attention(query, prepared, start(any_attention, prepared, 2))
    assert not weights.masked_select(~MASK.unsqueeze(1)).any()
    context.pow(2).sum().backward()
    assert memory.grad is not None and memory.grad.isfinite().all()
    assert not memory.grad[~MASK].any()


def test_weights_of_a_softmax_sum_to_one(attention: Attention, query: Tensor, memory: Tensor) -> None:
    _, weights, _ = attention(query, attention.prepare(memory, MASK), None)
    close(weights.sum(-1), 1.0)
    close(weights[1, :, 0], 1.0)


def test_queries_do_not_see_each_other(any_attention: Attention, query: Tensor, memory: Tensor) -> None:
    prepared = any_attention.prepare(memory, MASK)
    context, weights, _ = any_attention(query, prepared, start(any_attention, prepared, 2))
    for place in range(query.shape[1]):
        state = start(any_attention, prepared, 1)
        alone, own_weights, _ = any_attention(query[:, place : place + 1], prepared, state)
        close(alone, context[:, place : place + 1])
        close(own_weights, weights[:, place : place + 1])


def test_an_attention_runs_on_any_device(any_attention: Attention) -> None:
    """The meta device refuses a tensor that was made for the CPU."""
    attention, memory = any_attention.to("meta"), torch.empty(3, 4, 5, dtype=torch.float64, device="meta")
    prepared = attention.prepare(memory, MASK.to("meta"))
    context, weights, state = attention(memory[:, :1], prepared, attention.init_state(prepared))
    assert context.device == weights.device == torch.device("meta")
    attention(memory[:, :1], prepared, state)


def test_an_attention_is_recurrent_if_it_advances() -> None:
    expected = {"bahdanau": False, "luong": False, "toy coverage": True, "toy local": False, "toy monotonic": True}
    assert {name: makers()[name](query_width=5, memory_width=5).recurrent for name in expected} == expected


def test_order_of_the_memory_only_reorders_the_weights(attention: Attention, query: Tensor, memory: Tensor) -> None:
    order = torch.tensor([2, 0, 3, 1])
    context, weights, _ = attention(query, attention.prepare(memory, MASK), None)
    same, turned, _ = attention(query, attention.prepare(memory[:, order], MASK[:, order]), None)
    close(same, context)
    close(turned, weights[..., order])


def test_unequal_widths(query: Tensor) -> None:
    memory = torch.randn(3, 4, 6, dtype=torch.float64)
    for attention in families(memory_width=6):
        context, weights, _ = attention(query, attention.prepare(memory, MASK), None)
        assert context.shape == (3, 2, 6) and weights.shape == (3, 2, 4)


def test_memory_is_selected_by_sentence_only(memory: Tensor) -> None:
    prepared = families()[0].prepare(memory, MASK)
    assert prepared.select(torch.tensor([0, 0, 1])).keys is prepared.keys
    kept = prepared.select(torch.tensor([0, 0]), sentences=torch.tensor([2]))
    close(kept.values, memory[2:])
    assert kept.mask.all()


def test_dot_needs_equal_widths() -> None:
    with pytest.raises(ParameterError, match=r"score: got 'dot' with a decoder of width 4.*width 6.*use 'general'"):
        LuongAttention(4, 6, "dot")


def test_concat_takes_no_scale() -> None:
    with pytest.raises(ParameterError, match=r"scale: got 'sqrt' with the score 'concat'.*expected 'none'"):
        LuongAttention(4, 4, "concat", "sqrt")


def test_an_unknown_score_is_named() -> None:
    with pytest.raises(ParameterError, match=r"score: got 'generel'.*dot, general, concat.*did you mean 'general'"):
        LuongAttention(4, 4, "generel")  # type: ignore[arg-type]


def test_a_width_below_one_is_refused() -> None:
    with pytest.raises(ParameterError, match="width: got 0, expected an integer of at least 1"):
        BahdanauAttention(4, 4, width=0)
