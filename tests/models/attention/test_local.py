"""Local attention: windows and bells by hand, with any scores inside, and combinations that are refused."""

from __future__ import annotations

import functools
import math
from typing import Any

import pytest
import torch

from nmt.build import build_objects
from nmt.config.compose import compose
from nmt.config.settings import validate
from nmt.errors import UserError
from nmt.models.attention.base import Attention
from nmt.models.attention.local import MonotonicLocalAttention, PredictiveLocalAttention
from nmt.models.attention.luong import DotAttention, LocationAttention
from tests.models.test_attention import FAMILIES, close, make, start

GLOBAL = [name for name in FAMILIES if name not in ("local_m", "local_p")]
MASK = torch.arange(6) < torch.tensor([[6], [3]])
MEMORY = torch.randn(2, 6, 8, generator=torch.Generator().manual_seed(0)).double()
EQUAL = torch.zeros(2, 1, 8).double()  # a query with the same dot product, 0, at every position


def test_the_monotonic_window_by_hand() -> None:
    """One token on each side of t; in the sentence of three tokens the window stays at the last one."""
    attention = MonotonicLocalAttention(8, 8, DotAttention, window=1)
    memory = attention.prepare(MEMORY, MASK)
    state, seen = start(attention, memory, 1), []
    for _ in range(7):
        _, weights, state = attention(EQUAL, memory, state)
        seen.append(weights[:, 0, 0])
    third, half = 1 / 3, 1 / 2
    close(seen[0], [[half, half, 0, 0, 0, 0]] * 2)
    close(seen[1], [[third, third, third, 0, 0, 0]] * 2)
    close(seen[2], [[0, third, third, third, 0, 0], [0, half, half, 0, 0, 0]])
    close(seen[6], [[0, 0, 0, 0, half, half], [0, half, half, 0, 0, 0]])


def test_mixed_precision_counts_the_tokens_of_a_long_source() -> None:
    """v = 0 puts the centre at 300.5, between the two tokens with the highest weights."""
    attention = PredictiveLocalAttention(8, 8, DotAttention, window=2)
    torch.nn.init.zeros_(attention.centre_output.weight)
    memory = attention.prepare(torch.zeros(1, 601, 8), torch.ones(1, 601, dtype=torch.bool))
    with torch.autocast("cpu", torch.bfloat16):
        _, weights, _ = attention(torch.zeros(1, 1, 8), memory, None)
    row = weights[0, 0, 0]
    assert sorted(row.topk(2).indices.tolist()) == [300, 301] and row[300] == row[301]


def test_the_predicted_window_by_hand() -> None:
    """v = 0 puts the centre in the middle of each sentence, 3 and 1.5; D = 2, so sigma = 1."""
    attention = PredictiveLocalAttention(8, 8, DotAttention, window=2).double()
    torch.nn.init.zeros_(attention.centre_output.weight)
    memory = attention.prepare(MEMORY, MASK)
    context, weights, _ = attention(EQUAL, memory, None)
    near, far = math.exp(-0.5), math.exp(-2)
    half, more = math.exp(-0.125), math.exp(-1.125)
    expected = [[0, far / 5, near / 5, 1 / 5, near / 5, far / 5], [more / 3, half / 3, half / 3, 0, 0, 0]]
    close(weights[:, 0, 0], expected)
    close(context[:, 0], torch.einsum("bs,bsd->bd", torch.tensor(expected, dtype=torch.float64), MEMORY))


def test_the_centre_by_hand() -> None:
    """p = S sigmoid(v tanh(w h)): 6 sigmoid(2 tanh(0.3)) = 3.849 and 3 sigmoid(2 tanh(0.3)) = 1.924."""
    attention = PredictiveLocalAttention(1, 1, DotAttention, window=4).double()
    torch.nn.init.ones_(attention.centre_hidden.weight)
    torch.nn.init.constant_(attention.centre_output.weight, 2.0)
    memory = attention.prepare(torch.zeros(2, 6, 1).double(), MASK)
    _, weights, _ = attention(torch.full((2, 1, 1), 0.3, dtype=torch.float64), memory, None)
    share = 1 / (1 + math.exp(-2 * math.tanh(0.3)))
    for row, (length, inside) in enumerate([(6, [0, 1, 2, 3, 4, 5]), (3, [0, 1, 2])]):
        bells = [math.exp(-((s - length * share) ** 2) / 8) for s in inside]
        close(weights[row, 0, 0, : len(inside)], [bell / len(inside) for bell in bells])


@pytest.mark.parametrize("name", GLOBAL)
@pytest.mark.parametrize("kind", [MonotonicLocalAttention, PredictiveLocalAttention])
def test_any_attention_has_its_own_weights_in_a_window_that_holds_the_source(name: str, kind: Any) -> None:
    """With a predicted centre they are multiplied by a bell, here one that is 1 everywhere."""
    inner = make(name)
    local = kind(8, 8, lambda **widths: inner, window=10**6).double()
    query = torch.randn(2, 1, 8, generator=torch.Generator().manual_seed(1)).double()
    plain, around = inner.prepare(MEMORY, MASK), local.prepare(MEMORY, MASK)
    got, expected = local(query, around, start(local, around, 1)), inner(query, plain, start(inner, plain, 1))
    assert local.query_state == inner.query_state and local.context_width == inner.context_width
    close(got[0], expected[0])
    close(got[1], expected[1])


@pytest.mark.parametrize("name", GLOBAL)
def test_a_window_takes_the_softmax_of_its_own_scores(name: str) -> None:
    """What stands outside of the window changes nothing."""
    local = MonotonicLocalAttention(8, 8, functools.partial(FAMILIES[name]), window=1).double()
    query = torch.randn(2, 1, 8, generator=torch.Generator().manual_seed(1)).double()
    memory, cut = local.prepare(MEMORY, MASK), local.prepare(MEMORY[:, :2], MASK[:, :2])
    whole, part = (local(query, each, start(local, each, 1)) for each in (memory, cut))
    close(whole[0], part[0])
    close(whole[1][..., :2], part[1])


def test_a_window_behind_the_rows_of_location_has_weights() -> None:
    def two_rows(*, query_width: int, memory_width: int) -> Attention:
        return LocationAttention(query_width, memory_width, max_length=2)

    local = PredictiveLocalAttention(8, 8, two_rows, window=1).double()
    torch.nn.init.zeros_(local.centre_output.weight)  # the centre is 3, and the rows end at 2
    _, weights, _ = local(EQUAL, local.prepare(MEMORY, MASK), None)
    assert weights.isfinite().all() and weights[0, 0, 0, 2:5].all()


@pytest.mark.parametrize(
    ("scores", "message"),
    [
        ("local_m", "model.decoder.attention.scores: got an attention with a window of its own"),
        ("none", "model.decoder.attention.scores: got {'attention': None}, expected a mapping with _target_"),
    ],
)
def test_a_wrong_combination_is_one_line(scores: str, message: str) -> None:
    overrides = ["model=rnn", "model/attention=local_p", f"model/attention@model.attention.scores={scores}"]
    with pytest.raises(UserError) as error:
        build_objects(validate(compose("train", overrides)))
    assert str(error.value).startswith(message) and "\n" not in str(error.value)
