"""Forced prefixes: every strategy begins with them, and a whole beam equals brute force under all rules."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor

from nmt.search.base import Hypothesis, Search
from nmt.search.beam import BeamSearch
from nmt.search.constraints import force_prefixes
from nmt.search.sampling import Sampling
from tests.search.plain import brute_force
from tests.search.toy import AttendingToy, Toy, total

ALL: dict[str, Any] = {
    **{"min_length": 3, "no_repeat_ngram_size": 2, "repetition_penalty": 1.3},
    **{"normalization": "power", "length_penalty": 0.8, "coverage_penalty": 0.4},
}


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
    toy: Toy, search: Search, topics: Tensor, limits: Sequence[int], prefixes: Sequence[Sequence[int]]
) -> list[list[Hypothesis]]:
    step, state = force_prefixes(toy.step, toy.start(topics), prefixes, topics.device)
    keys = topics.view(torch.long).abs().tolist()
    return search(step, state, max_length=torch.tensor(limits), keys=keys)


@pytest.mark.parametrize("settings", [{}, ALL], ids=["plain", "all rules"])
@pytest.mark.parametrize("seed", range(3))
def test_a_beam_that_holds_everything_equals_brute_force(settings: dict[str, Any], seed: int) -> None:
    toy, search = Bound(6, seed), BeamSearch(beam_size=3**4, n_best=3, **settings)
    topics, limits, prefixes = toy.topics(4), [4, 2, 5, 3], [[4], [5], [5, 5, 5], []]
    found = find(AttendingToy(6, seed), search, topics, limits, prefixes)
    for topic, limit, prefix, hypotheses in zip(topics, limits, prefixes, found, strict=True):
        toy.prefix = prefix
        expected = brute_force(search, toy, topic, limit)
        assert [tuple(h.tokens) for h in hypotheses] == [each.tokens for _, each in expected]
        assert [h.score for h in hypotheses] == pytest.approx([value for value, _ in expected], abs=1e-4)
        for hypothesis, (_, each) in zip(hypotheses, expected, strict=True):
            assert hypothesis.token_log_probs == pytest.approx(each.own, abs=1e-5)


@pytest.mark.parametrize(
    "search",
    [
        BeamSearch(beam_size=1),
        BeamSearch(n_best=5),
        BeamSearch(beam_size=4, groups=2, n_best=4),
        Sampling(samples=4, top_p=0.9),
        Sampling(samples=4, no_repeat_ngram_size=1, min_length=4),
    ],
    ids=lambda search: search.label,
)
def test_every_strategy_begins_with_the_prefix_in_any_batch(search: Search) -> None:
    toy = Toy(30, seed=3)
    topics, limits = toy.topics(5), [9, 4, 12, 7, 6]
    prefixes: list[list[int]] = [[7, 8], [], [9, 9, 9, 1], [20], [11, 12]]
    together = find(toy, search, topics, limits, prefixes)
    for topic, prefix, hypotheses in zip(topics, prefixes, together, strict=True):
        for hypothesis in hypotheses:
            assert hypothesis.tokens[: len(prefix)] == prefix
            assert sum(hypothesis.token_log_probs) == pytest.approx(total(toy, topic, hypothesis.tokens), abs=1e-4)
    free = toy.find(search, topics, limits)
    assert [h.tokens for h in free[1]] == [h.tokens for h in together[1]]
    for i in range(5):
        (alone,) = find(toy, search, topics[i : i + 1], limits[i : i + 1], prefixes[i : i + 1])
        assert [h.tokens for h in alone] == [h.tokens for h in together[i]]
