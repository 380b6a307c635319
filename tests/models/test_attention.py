"""What every recurrent attention must do beside the contract of models: devices, orders, widths and errors.

Attentions are found by their YAML.
"""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import Tensor

from nmt.build import MODELS
from nmt.config.nodes import instantiate
from nmt.errors import UserError
from nmt.models.attention.base import Attention, AttentionFactory, AttentionMemory
from nmt.models.interface import State
from tests.models.cases import CONFIGS, attention_node

MASK = torch.tensor([[True, True, True, False], [True, False, False, False], [True, True, True, True]])


def shipped() -> dict[str, AttentionFactory]:
    """Return the attentions that are found in configs/model/attention, by name."""
    nodes = {path.stem: attention_node(path.stem) for path in sorted((CONFIGS / "model" / "attention").glob("*.yaml"))}
    return {
        name: instantiate(node, "model.attention", within=MODELS) for name, node in nodes.items() if "_target_" in node
    }


FAMILIES = shipped()
UNEQUAL = [name for name in FAMILIES if name not in ("dot", "scaled_dot", "cosine", "euclidean", "manhattan")]
PLACED = {"location", "local_m", "local_p"}  # their weights depend on the place of a token


def make(name: str, query_width: int = 8, memory_width: int = 8) -> Attention:
    torch.manual_seed(1)
    return FAMILIES[name](query_width=query_width, memory_width=memory_width).double()


@pytest.fixture(params=FAMILIES)
def any_attention(request: pytest.FixtureRequest) -> Attention:
    return make(request.param)


@pytest.fixture
def query() -> Tensor:
    return torch.randn(3, 2, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(2))


@pytest.fixture
def memory() -> Tensor:
    return torch.randn(3, 4, 8, dtype=torch.float64, generator=torch.Generator().manual_seed(3))


def close(got: Tensor, expected: Any) -> None:
    expected = torch.as_tensor(expected, dtype=got.dtype)
    torch.testing.assert_close(got, expected.expand_as(got), rtol=1e-10, atol=1e-10)


def start(attention: Attention, memory: AttentionMemory, queries: int) -> State | None:
    """Return the state before the first step, for so many queries of each sentence."""
    state = attention.init_state(memory)
    return None if state is None else state.select(torch.arange(len(memory.mask)).repeat_interleave(queries))


def test_an_attention_runs_on_any_device(any_attention: Attention) -> None:
    """The meta device refuses a tensor that was made for the CPU."""
    attention, memory = any_attention.to("meta"), torch.empty(3, 4, 8, dtype=torch.float64, device="meta")
    prepared = attention.prepare(memory, MASK.to("meta"))
    context, weights, state = attention(memory[:, :1], prepared, attention.init_state(prepared))
    assert context.device == weights.device == torch.device("meta")
    attention(memory[:, :1], prepared, state)


@pytest.mark.parametrize("name", [name for name in FAMILIES if name not in PLACED])
def test_order_of_the_memory_only_reorders_the_weights(name: str, query: Tensor, memory: Tensor) -> None:
    attention, order = make(name), torch.tensor([2, 0, 3, 1])
    prepared, turned = attention.prepare(memory, MASK), attention.prepare(memory[:, order], MASK[:, order])
    context, weights, _ = attention(query, prepared, start(attention, prepared, 2))
    same, turned_weights, _ = attention(query, turned, start(attention, turned, 2))
    close(same, context)
    close(turned_weights, weights[..., order])


@pytest.mark.parametrize("name", UNEQUAL)
def test_unequal_widths(name: str, query: Tensor) -> None:
    attention, memory = make(name, memory_width=6), torch.randn(3, 4, 6, dtype=torch.float64)
    prepared = attention.prepare(memory, MASK)
    context, weights, _ = attention(query, prepared, start(attention, prepared, 2))
    assert context.shape == (3, 2, attention.context_width) and weights.shape == (3, attention.heads, 2, 4)


@pytest.mark.parametrize("name", sorted({*FAMILIES} - {*UNEQUAL}))
def test_a_comparison_without_a_matrix_needs_equal_widths(name: str) -> None:
    with pytest.raises(UserError, match=r"model.attention: got a decoder of width 8 and a memory of width 6.*general"):
        make(name, memory_width=6)
