"""The memory of a step is that of its tensors, and the differences are ratios."""

from __future__ import annotations

import pytest
import torch

from nmt.build import build_model
from nmt.config.compose import compose
from nmt.lab.claims import cost
from nmt.lab.claims.models import recurrent
from nmt.lab.claims.parts import SCORES, score_setting
from nmt.models.attention.base import Attention

NUMBER = 4  # bytes of a float


def attention_of(score: str) -> Attention[None]:
    model = compose("train", [*recurrent(0), *score_setting(score)])["model"]
    built = build_model(model, source_vocab_size=10, target_vocab_size=10).decoder.attention
    assert isinstance(built, Attention) and built.memory_width == built.query_width == cost.WIDTH
    return built


@pytest.mark.parametrize("score", SCORES)
def test_memory_grows_by_the_same_for_each_word(score: str) -> None:
    attention = attention_of(score)
    short, middle, long = (
        cost.saved_bytes(attention, torch.randn(2, words, cost.WIDTH, requires_grad=True)) for words in (50, 80, 110)
    )
    assert 0 < long - middle == middle - short


def test_an_additive_score_keeps_a_vector_for_each_word_and_step() -> None:
    def a_word(score: str) -> float:
        attention = attention_of(score)
        one, two = (cost.saved_bytes(attention, torch.randn(1, n, cost.WIDTH, requires_grad=True)) for n in (60, 61))
        return two - one

    # In each step, a vector: the tanh of the sum. Also the memory and its projection, with some of their copies.
    assert 0 < a_word("additive") / (cost.WIDTH * NUMBER) - cost.STEPS < 5
    # The memory as keys and as values, its mask, and a few numbers for each step, such as the weight.
    assert 0 < a_word("dot") - 2 * cost.WIDTH * NUMBER < 4 * cost.STEPS * NUMBER
