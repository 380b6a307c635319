"""The rules on the next token, in beam search and in sampling, against brute force."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from nmt.search.beam import BeamSearch
from nmt.search.constraints import penalize_repetition
from nmt.search.sampling import Sampling
from nmt.tokens import EOS
from tests.search.plain import agree, brute_force, model_row, ruled_row
from tests.search.toy import Toy, total

RULES: dict[str, dict[str, Any]] = {
    "min_length": {"min_length": 3},
    "no_repeat_1": {"no_repeat_ngram_size": 1},
    "no_repeat_2": {"no_repeat_ngram_size": 2},
    "repetition": {"repetition_penalty": 1.7},
    "all": {"min_length": 3, "no_repeat_ngram_size": 2, "repetition_penalty": 1.3},
    "contradiction": {"min_length": 5, "no_repeat_ngram_size": 1},
}
rules = pytest.mark.parametrize("rules", RULES.values(), ids=RULES)


@rules
@pytest.mark.parametrize("seed", range(3))
def test_a_beam_that_holds_everything_finds_the_best_that_the_rules_allow(rules: dict[str, Any], seed: int) -> None:
    toy = Toy(6, seed)
    topics, limits = toy.topics(3), [4, 1, 3]
    search = BeamSearch(beam_size=3**4 * 2, n_best=3, **rules)
    expected = [brute_force(search, toy, topic, limit) for topic, limit in zip(topics, limits, strict=True)]
    agree(toy.find(search, topics, limits), expected)


@rules
@pytest.mark.parametrize("kind", ["beam", "sampling"])
def test_the_rules_hold_in_every_strategy(rules: dict[str, Any], kind: str) -> None:
    toy = Toy(7, seed=4, sharpness=0.4)
    topics, limits = toy.topics(8), [6, 2, 9, 4, 1, 7, 5, 3]
    search = BeamSearch(n_best=5, **rules) if kind == "beam" else Sampling(samples=20, temperature=1.5, **rules)
    for topic, limit, found in zip(topics, limits, toy.find(search, topics, limits), strict=True):
        scores = [hypothesis.score for hypothesis in found]
        assert scores == sorted(scores, reverse=True)
        for hypothesis in found:
            tokens = hypothesis.tokens
            assert len(tokens) == limit or tokens[-1] == EOS
            for place, token in enumerate(tokens):
                row = model_row(toy, topic, tokens[:place])
                assert token in ruled_row(search, tokens[:place], row)
            assert sum(hypothesis.token_log_probs) == pytest.approx(total(toy, topic, tokens), abs=1e-4)
            assert kind == "beam" or hypothesis.score == sum(hypothesis.token_log_probs)


def test_a_rule_gives_way_where_nothing_else_is_left() -> None:
    """Two words, none of them twice, at least nine tokens: both words, then the end."""
    toy = Toy(5, seed=1)  # unk, eos and one word
    topics, limits = toy.topics(6), [12] * 6
    rules = {"min_length": 9, "no_repeat_ngram_size": 1}
    for search in (BeamSearch(beam_size=3, **rules), Sampling(samples=3, **rules)):
        for found in toy.find(search, topics, limits):
            assert {tuple(h.tokens) for h in found} <= {(1, 4, EOS), (4, 1, EOS)}


def test_the_penalty_is_that_of_ctrl() -> None:
    """p_i = exp(x_i / I) / sum_j exp(x_j / I), here for logits whose mean is 0; negative ones are multiplied."""
    logits = torch.tensor([[3.0, 1.0, -1.0, -3.0, 0.5, -0.5]])
    changed = penalize_repetition(torch.tensor([[3, 1, 3]]), logits.log_softmax(1) - 0.7, 1.25)
    expected = torch.tensor([3.0, 1.0 / 1.25, -1.0, -3.0 * 1.25, 0.5, -0.5]).log_softmax(0)
    assert torch.allclose(changed[0], expected - 0.7, atol=1e-5), "and the row keeps its sum"
