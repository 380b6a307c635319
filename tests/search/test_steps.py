"""The step functions of an ensemble and of forced prefixes, under every strategy and against brute force."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor

from nmt.search.base import Hypothesis, Search
from nmt.search.beam import BeamSearch
from nmt.search.constraints import force_prefixes
from nmt.search.ensemble import States, average, mean_log_probs
from nmt.search.sampling import Sampling
from tests.search.plain import agree, brute_force
from tests.search.toy import AttendingToy, total

ALL: dict[str, Any] = {
    **{"min_length": 3, "no_repeat_ngram_size": 2},
    **{"normalization": "power", "length_penalty": 0.8, "coverage_penalty": 0.4},
}
SEARCHES = [
    BeamSearch(beam_size=1),
    BeamSearch(n_best=5),
    BeamSearch(beam_size=4, n_best=4, coverage_penalty=0.3),
    BeamSearch(beam_size=4, n_best=4),
    Sampling(samples=4, top_p=0.9),
    Sampling(samples=4, no_repeat_ngram_size=1, min_length=4),
]


class Mean(AttendingToy):
    """One toy whose probabilities and attention are the means of those of `toys`."""

    def __init__(self, toys: Sequence[AttendingToy]) -> None:
        super().__init__(toys[0].vocabulary, seed=0)
        self.toys = toys

    def log_probs(self, prefixes: Tensor, topics: Tensor) -> Tensor:
        return (sum(toy.log_probs(prefixes, topics).double().exp() for toy in self.toys) / len(self.toys)).log()

    def attention(self, prefixes: Tensor, topics: Tensor) -> Tensor:
        return torch.stack([toy.attention(prefixes, topics) for toy in self.toys]).mean(0)


class Bound(AttendingToy):
    """A toy that can say only `prefix` at first."""

    prefix: Sequence[int] = ()

    def log_probs(self, prefixes: Tensor, topics: Tensor) -> Tensor:
        rows, place = super().log_probs(prefixes, topics), prefixes.shape[1] - 1
        if place >= len(self.prefix):
            return rows
        bound = torch.full_like(rows, -torch.inf)
        bound[:, self.prefix[place]] = rows[:, self.prefix[place]]
        return bound


def find(
    toys: Sequence[AttendingToy],
    search: Search,
    topics: Tensor,
    limits: Sequence[int],
    prefixes: Sequence[Sequence[int]] = (),
) -> list[list[Hypothesis]]:
    step: Any = average([toy.step for toy in toys])
    state: Any = States(tuple(toy.start(topics) for toy in toys))
    if prefixes:
        step, state = force_prefixes(step, state, prefixes, topics.device)
    keys = topics.view(torch.long).abs().tolist()
    return search(step, state, max_length=torch.tensor(limits), keys=keys)


@pytest.mark.parametrize("settings", [{}, ALL], ids=["plain", "all rules"])
@pytest.mark.parametrize("count", [2, 3])
def test_a_beam_that_holds_everything_equals_brute_force_over_the_means(settings: dict[str, Any], count: int) -> None:
    toys = [AttendingToy(6, seed, sharpness=2.5) for seed in range(count)]
    topics, limits = toys[0].topics(3), [4, 1, 3]
    search = BeamSearch(beam_size=3**4 * 2, n_best=3, **settings)
    found = find(toys, search, topics, limits)
    agree(found, [brute_force(search, Mean(toys), topic, limit) for topic, limit in zip(topics, limits, strict=True)])
    alone = toys[0].find(search, topics, limits)
    assert [h.tokens for h in alone[0]] != [h.tokens for h in found[0]], "the members must disagree for this to test"


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.label)
def test_the_log_probs_are_the_means_in_any_batch(search: Search) -> None:
    """So the states of all members were reordered, expanded and dropped along with the hypotheses."""
    toys = [AttendingToy(20, seed) for seed in (5, 6)]
    topics, limits = toys[0].topics(6), [9, 3, 9, 1, 7, 5]
    together = find(toys, search, topics, limits)
    for i, (topic, hypotheses) in enumerate(zip(topics, together, strict=True)):
        for hypothesis in hypotheses:
            assert sum(hypothesis.token_log_probs) == pytest.approx(
                total(Mean(toys), topic, hypothesis.tokens), abs=1e-4
            )
        (alone,) = find(toys, search, topics[i : i + 1], limits[i : i + 1])
        assert [h.tokens for h in alone] == [h.tokens for h in hypotheses]


def test_a_mean_with_probabilities_of_zero() -> None:
    one, other = torch.tensor([[0.0, -torch.inf, -torch.inf]]), torch.tensor([[0.5, 0.5, 0.0]]).log()
    assert mean_log_probs([one, other]).exp().tolist() == [[0.75, 0.25, 0.0]]
    assert mean_log_probs([one, torch.full_like(one, torch.nan)]).isnan().all()


@pytest.mark.parametrize("settings", [{}, ALL], ids=["plain", "all rules"])
@pytest.mark.parametrize("seed", range(2))
def test_a_beam_that_holds_everything_equals_brute_force_behind_a_prefix(settings: dict[str, Any], seed: int) -> None:
    toy, search = Bound(6, seed), BeamSearch(beam_size=3**4, n_best=3, **settings)
    topics, limits, prefixes = toy.topics(4), [4, 2, 5, 3], [[4], [5], [5, 5, 5], []]
    expected = []
    for topic, limit, prefix in zip(topics, limits, prefixes, strict=True):
        toy.prefix = prefix
        expected.append(brute_force(search, toy, topic, limit))
    agree(find([AttendingToy(6, seed)], search, topics, limits, prefixes), expected)


@pytest.mark.parametrize("search", SEARCHES, ids=lambda search: search.label)
def test_every_strategy_begins_with_the_prefix_in_any_batch(search: Search) -> None:
    toy = AttendingToy(30, seed=3)
    topics, limits = toy.topics(5), [9, 4, 12, 7, 6]
    prefixes: list[list[int]] = [[7, 8], [], [9, 9, 9, 1], [20], [11, 12]]
    together = find([toy], search, topics, limits, prefixes)
    for topic, prefix, hypotheses in zip(topics, prefixes, together, strict=True):
        for hypothesis in hypotheses:
            assert hypothesis.tokens[: len(prefix)] == prefix
            assert sum(hypothesis.token_log_probs) == pytest.approx(total(toy, topic, hypothesis.tokens), abs=1e-4)
    free = toy.find(search, topics, limits)
    assert [h.tokens for h in free[1]] == [h.tokens for h in together[1]]
    for i in range(5):
        (alone,) = find([toy], search, topics[i : i + 1], limits[i : i + 1], prefixes[i : i + 1])
        assert [h.tokens for h in alone] == [h.tokens for h in together[i]]
