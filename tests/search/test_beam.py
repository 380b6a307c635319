"""When beam search stops, ties, and its errors; test_beam_scores.py has brute force."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from nmt.errors import ParameterError
from nmt.models.interface import State
from nmt.search.base import Hypothesis, Search
from nmt.search.beam import BeamSearch
from nmt.search.sampling import Sampling
from nmt.tokens import EOS
from tests.search.toy import History, Toy


def test_finished_sentences_leave_the_computation() -> None:
    for search in (BeamSearch(beam_size=4), Sampling(samples=4)):
        toy = Toy(30, seed=13)
        topics = toy.topics(6)
        toy.find(search, topics, [1, 1, 1, 1, 1, 30])
        together, toy.rows_read = toy.rows_read, 0
        toy.find(search, topics[5:], [30])
        assert together == toy.rows_read + 5


def test_stops_as_soon_as_nothing_better_can_come_and_no_sooner() -> None:
    """After one step: eos at -1, the best live hypothesis at -1.5; by length 7 a score of -1.5/2 is still possible."""
    table = torch.full((2, 6), -math.inf)
    table[0, EOS], table[0, 4], table[0, 5] = -1.0, -1.5, -9.0
    table[1, 4], table[1, EOS] = -0.001, -20.0  # after the first token: nearly certain to go on

    @dataclass(frozen=True)
    class Clock(State):
        time: Tensor

    def steps(max_length: int, penalty: float) -> tuple[int, Hypothesis]:
        count = 0

        def step(tokens: Tensor, state: Clock) -> tuple[Tensor, Clock]:
            nonlocal count
            count += 1
            return table[state.time.clamp(max=1)], Clock(state.time + 1)

        limit = torch.tensor([max_length])
        search = BeamSearch(beam_size=2, length_penalty=penalty)
        found = search(step, Clock(torch.zeros(1, dtype=torch.long)), max_length=limit, keys=[[0]])
        return count, found[0][0]

    assert steps(7, 0.0)[0] == 1
    assert steps(3, 1.0)[0] == 1  # -1.5 / (8/6) = -1.125 < -1
    count, best = steps(7, 1.0)
    assert count == 7 and len(best.tokens) == 7 and best.score == pytest.approx(-1.506 / 2, abs=1e-4)


def test_ties_go_to_the_lower_token_and_the_better_parent() -> None:
    def uniform(tokens: Tensor, state: History) -> tuple[Tensor, History]:
        return torch.full((len(tokens), 1000), -math.log(1000)), state

    state = History(torch.zeros(2, 0, dtype=torch.long), torch.zeros(2, 1))
    search = BeamSearch(beam_size=3, n_best=3, length_penalty=0.0)
    found = search(uniform, state, max_length=torch.tensor([2, 3]), keys=[[0], [1]])
    assert [h.tokens for h in found[0]] == [[EOS], [1, 1], [1, EOS]]
    assert found[1][0].tokens == [EOS]


@pytest.mark.parametrize(
    ("search", "name", "value", "expected"),
    [
        (BeamSearch(), "beam_size", 0, "got 0, expected an integer of at least 1 and at most 256"),
        (BeamSearch(), "n_best", 6, "got 6, expected at most beam_size=5"),
        (BeamSearch(), "utility", "chrf", "it chooses among several translations, but n_best is 1; raise n_best"),
        (Sampling(), "utility", "bleu", "it chooses among several translations, but samples is 1; raise samples"),
        (Sampling(samples=4), "utility", "comet", "got 'comet', expected one of chrf, bleu, bleu_char"),
    ],
)
def test_settings_are_checked(search: Search, name: str, value: Any, expected: str) -> None:
    with pytest.raises(ParameterError) as caught:
        search.replace(**{name: value})
    assert caught.value.parameter == name and caught.value.problem.startswith(expected)


def test_limits_of_length() -> None:
    search = BeamSearch(max_length_factor=1.5, max_length_extra=2)
    assert [search.target_limit(length) for length in (1, 2, 7)] == [3, 5, 12]
    assert BeamSearch(max_length_factor=0.1, max_length_extra=0).target_limit(1) == 1
