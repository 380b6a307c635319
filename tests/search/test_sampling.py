"""Sampling: exact frequencies on a toy model, its limits, and draws that do not depend on the batch."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from torch import Tensor

from nmt.errors import ParameterError, UserError
from nmt.search.beam import BeamSearch
from nmt.search.sampling import Sampling
from nmt.tokens import BOS, EOS, PAD
from tests.search.toy import History, Toy, total

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


def test_samples_of_one_sentence_are_independent() -> None:
    toy = Toy(5, seed=4, sharpness=0.3)
    (topic,) = toy.topics(1)
    state = toy.start(topic.expand(DRAWS, -1))
    limits, keys = torch.ones(DRAWS, dtype=torch.long), [[number] for number in range(DRAWS)]
    found = Sampling(samples=2)(toy.step, state, max_length=limits, keys=keys)
    pairs = Counter(tuple(sorted(h.tokens[0] for h in hypotheses)) for hypotheses in found)
    single = allowed(toy, [], topic)
    expected = Counter[tuple[int, ...]]()
    for one, two in itertools.product(single, repeat=2):
        expected[tuple(sorted((one, two)))] += single[one] * single[two]  # type: ignore[assignment]
    assert chi_square_fits(pairs, dict(expected))


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


def test_scores_are_the_models_own_log_probabilities_best_first() -> None:
    toy = Toy(20, seed=7)
    topics = toy.topics(5)
    found = toy.find(Sampling(temperature=2.0, top_k=10, samples=6), topics, [8] * 5)
    for topic, hypotheses in zip(topics, found, strict=True):
        assert len(hypotheses) == 6
        scores = [hypothesis.score for hypothesis in hypotheses]
        assert scores == sorted(scores, reverse=True) and len(set(scores)) > 1
        for hypothesis in hypotheses:
            forced = [
                toy.log_probs(torch.tensor([[BOS, *hypothesis.tokens[:n]]]), topic.unsqueeze(0))[0, token].item()
                for n, token in enumerate(hypothesis.tokens)
            ]
            assert hypothesis.token_log_probs == pytest.approx(forced, abs=1e-5)
            assert hypothesis.score == pytest.approx(total(toy, topic, hypothesis.tokens), abs=1e-4)


@pytest.mark.parametrize("samples", [1, 3])
def test_alone_or_in_any_batch(samples: int) -> None:
    toy = Toy(30, seed=8)
    topics, limits = toy.topics(12), [int(n) for n in torch.randint(1, 15, (12,), generator=toy.generator)]
    search = Sampling(samples=samples)
    together = toy.find(search, topics, limits)
    for order in (list(range(11, -1, -1)), [5], [3, 3, 0]):
        again = toy.find(search, topics[order], [limits[i] for i in order])
        assert [[h.tokens for h in found] for found in again] == [[h.tokens for h in together[i]] for i in order]


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
    before = torch.get_rng_state()
    toy.find(Sampling(), topics, limits)
    assert torch.equal(torch.get_rng_state(), before), "torch's own generator is left alone"


def test_limits_and_forbidden_tokens() -> None:
    toy = Toy(6, seed=10, sharpness=0.1)
    found = toy.find(Sampling(samples=50), toy.topics(3), [1, 4, 6])
    lengths = [{len(h.tokens) for h in hypotheses} for hypotheses in found]
    assert [max(each) for each in lengths] == [1, 4, 6] and len(lengths[2]) > 1
    for hypotheses in found:
        for hypothesis in hypotheses:
            assert not {PAD, BOS} & set(hypothesis.tokens) and EOS not in hypothesis.tokens[:-1]


def test_finished_sentences_leave_the_computation() -> None:
    toy = Toy(30, seed=13)
    topics = toy.topics(6)
    toy.find(Sampling(samples=4), topics, [1, 1, 1, 1, 1, 30])
    together, toy.rows_read = toy.rows_read, 0
    toy.find(Sampling(samples=4), topics[5:], [30])
    assert together == toy.rows_read + 5


def test_broken_models_are_an_error_at_once() -> None:
    def constant(value: float) -> Any:
        return lambda tokens, state: (torch.full((len(tokens), 9), value), state)

    options: dict[str, Any] = {"max_length": torch.tensor([4]), "keys": [[1]]}
    state = History(torch.zeros(1, 0, dtype=torch.long), torch.zeros(1, 1))
    for search in (Sampling(), BeamSearch(beam_size=2)):
        with pytest.raises(UserError, match="NaN"):
            search(constant(math.nan), state, **options)
        with pytest.raises(ValueError, match="probability of zero"):
            search(constant(-math.inf), state, **options)


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("temperature", 0, "got 0, expected a number of more than 0"),
        ("top_k", -1, "got -1, expected an integer of at least 0"),
        ("top_p", 1.2, "got 1.2, expected a number of more than 0 and at most 1"),
        ("samples", 0, "got 0, expected an integer of at least 1"),
        ("seed", -1, "got -1, expected an integer of at least 0"),
        ("beam_size", 5, "unknown key; Sampling takes max_length_factor"),
    ],
)
def test_settings_are_checked(name: str, value: Any, expected: str) -> None:
    with pytest.raises(ParameterError) as caught:
        Sampling().replace(**{name: value})
    assert caught.value.parameter == name and caught.value.problem.startswith(expected)


def test_label_and_width() -> None:
    search = Sampling(temperature=0.7, top_k=10, top_p=0.9, samples=4, seed=3)
    assert (search.label, search.width) == ("sample4.t0.7.k10.p0.9.seed3", 4)
