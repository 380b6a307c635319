"""Sampling: exact frequencies on a toy model, its limits, and draws that do not depend on the batch."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor

from nmt.errors import UserError
from nmt.search.beam import BeamSearch
from nmt.search.sampling import Sampling
from nmt.tokens import BOS, EOS, PAD
from tests.search.toy import History, Toy

DRAWS = 4000


def draw(toy: Toy, topic: Tensor, search: Sampling, limit: int = 1) -> Counter[tuple[int, ...]]:
    """Count the outcomes of DRAWS sentences about the same topic under different keys."""
    state = toy.start(topic.expand(DRAWS, -1))
    keys = [[number] for number in range(DRAWS)]
    found = search(toy.step, state, max_length=torch.full((DRAWS,), limit), keys=keys)
    return Counter(tuple(hypothesis.tokens) for hypotheses in found for hypothesis in hypotheses)


def chi_square_fits(counts: Counter[Any], probabilities: dict[Any, float]) -> bool:
    """Tell whether counts come from `probabilities`: at most mean + 5 standard deviations of the statistic."""
    draws, freedom = sum(counts.values()), len(probabilities) - 1
    expected = {outcome: draws * probability for outcome, probability in probabilities.items()}
    assert set(counts) <= set(expected) and min(expected.values()) > 4, "too rare for a chi-square test"
    statistic = sum((counts[outcome] - value) ** 2 / value for outcome, value in expected.items())
    return statistic < freedom + 5 * math.sqrt(2 * freedom)


def allowed(toy: Toy, prefix: Sequence[int], topic: Tensor, temperature: float = 1.0) -> dict[int, float]:
    """Return the tempered distribution of the next token without pad and bos."""
    row = toy.log_probs(torch.tensor([[BOS, *prefix]]), topic.unsqueeze(0))[0].double() / temperature
    row[[PAD, BOS]] = -math.inf
    return {token: p for token, p in enumerate(row.softmax(0).tolist()) if p > 0}


@pytest.mark.parametrize("temperature", [0.6, 1.0, 1.7])
def test_frequencies_are_those_of_the_tempered_distribution(temperature: float) -> None:
    toy = Toy(8, seed=1, sharpness=0.3)
    (topic,) = toy.topics(1)
    expected = {(token,): p for token, p in allowed(toy, [], topic, temperature).items()}
    counts = draw(toy, topic, Sampling(temperature=temperature))
    assert chi_square_fits(counts, expected)
    other = {(token,): p for token, p in allowed(toy, [], topic, temperature * 1.5).items()}
    assert not chi_square_fits(counts, other), "the test must be able to tell distributions apart"


def test_frequencies_of_whole_sequences() -> None:
    """So the steps draw independently of each other, and each from the distribution after its own prefix."""
    toy = Toy(6, seed=2, sharpness=0.4)
    (topic,) = toy.topics(1)
    expected = {}
    for first, p in allowed(toy, [], topic).items():
        if first == EOS:
            expected[(EOS,)] = p
        else:
            expected |= {(first, second): p * q for second, q in allowed(toy, [first], topic).items()}
    assert chi_square_fits(draw(toy, topic, Sampling(), limit=2), expected)


def test_cut_offs_draw_from_the_renormalized_rest() -> None:
    toy = Toy(9, seed=5, sharpness=0.5)
    (topic,) = toy.topics(1)
    single = sorted(allowed(toy, [], topic).items(), key=lambda entry: -entry[1])
    for search, count in ((Sampling(top_k=3), 3), (Sampling(top_p=sum(p for _, p in single[:4]) - 0.01), 4)):
        mass = sum(p for _, p in single[:count])
        expected = {(token,): p / mass for token, p in single[:count]}
        assert chi_square_fits(draw(toy, topic, search), expected)


@pytest.mark.parametrize(
    "search",
    [Sampling(temperature=1e-4), Sampling(temperature=1e-40), Sampling(top_k=1), Sampling(top_p=1e-6), Sampling(
        top_k=1, temperature=2.0, samples=3
    )],
    ids=lambda search: search.label,
)  # fmt: skip
def test_no_randomness_left_is_greedy_search(search: Sampling) -> None:
    toy = Toy(40, seed=6)
    topics, limits = toy.topics(10), [12] * 10
    greedy = toy.find(BeamSearch(beam_size=1), topics, limits)
    for hypotheses, (best,) in zip(toy.find(search, topics, limits), greedy, strict=True):
        assert [h.tokens for h in hypotheses] == [best.tokens] * search.samples


def test_reproducible_and_different_for_other_seeds_keys_and_sample_numbers() -> None:
    toy = Toy(30, seed=9)
    topics, limits = toy.topics(4), [10] * 4
    tokens = [
        [[h.tokens for h in found] for found in toy.find(search, topics, limits)]
        for search in (Sampling(), Sampling(), Sampling(seed=2), Sampling(samples=3))
    ]
    assert tokens[0] == tokens[1] != tokens[2]
    for (one,), three in zip(tokens[0], tokens[3], strict=True):
        assert one in three and len({tuple(each) for each in three}) > 1, "more samples come beside the first one"
    state, keys = toy.start(topics[:1].expand(20, -1)), [[number] for number in range(20)]
    found = Sampling()(toy.step, state, max_length=torch.full((20,), 10), keys=keys)
    assert len({tuple(hypotheses[0].tokens) for hypotheses in found}) > 10


def test_broken_models_are_an_error_at_once() -> None:
    def constant(value: float) -> Any:
        return lambda tokens, state: (torch.full((len(tokens), 9), value), state)

    options: dict[str, Any] = {"max_length": torch.tensor([4]), "keys": [[1]]}
    state = History(torch.zeros(1, 0, dtype=torch.long), torch.zeros(1, 1))
    for search in (Sampling(), BeamSearch(beam_size=2)):
        with pytest.raises(UserError, match="NaN"):
            search(constant(math.nan), state, **options)
