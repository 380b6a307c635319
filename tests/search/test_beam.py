"""Search against a plain Python beam and brute force, alone and in batches."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from nmt.errors import ParameterError
from nmt.models.interface import State
from nmt.search.base import Hypothesis
from nmt.search.beam import BeamSearch
from nmt.tokens import BOS, EOS, PAD
from tests.search import plain
from tests.search.toy import History, Toy, total


def score(log_prob: float, length: int, penalty: float) -> float:
    return log_prob / ((5 + length) / 6) ** penalty


def every_hypothesis(vocabulary: int, limit: int) -> list[tuple[int, ...]]:
    words = [token for token in range(vocabulary) if token not in (PAD, BOS, EOS)]
    ended = [(*stem, EOS) for length in range(limit) for stem in itertools.product(words, repeat=length)]
    return ended + list(itertools.product(words, repeat=limit))


@pytest.mark.parametrize("penalty", [0.0, 0.6, 1.0, 2.5])
@pytest.mark.parametrize("seed", range(4))
def test_a_beam_that_holds_everything_finds_the_best_of_all_sequences(seed: int, penalty: float) -> None:
    toy = Toy(6, seed)
    topics, limits = toy.topics(3), [4, 1, 3]
    found = toy.find(BeamSearch(beam_size=3**4 * 2, length_penalty=penalty, n_best=3), topics, limits)
    for topic, limit, hypotheses in zip(topics, limits, found, strict=True):
        scored = [(score(total(toy, topic, h), len(h), penalty), list(h)) for h in every_hypothesis(6, limit)]
        scored.sort(key=lambda pair: -pair[0])
        assert [h.tokens for h in hypotheses] == [tokens for _, tokens in scored[:3]]
        assert [h.score for h in hypotheses] == pytest.approx([value for value, _ in scored[:3]], abs=1e-5)


@pytest.mark.parametrize("beam_size", [1, 2, 3, 5])
@pytest.mark.parametrize(("vocabulary", "few"), [(5, None), (9, None), (40, 0), (700, None), (700, 0)])
def test_equals_a_plain_beam(vocabulary: int, few: int | None, beam_size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    if few is not None:
        monkeypatch.setattr("nmt.search.constraints.FEW_VALUES", few)  # so that columns are grouped as in wide rows
    toy = Toy(vocabulary, seed=vocabulary + beam_size)
    topics, limits = toy.topics(4), [7, 9, 2, 5]
    for penalty, n_best in ((0.0, 1), (1.0, 1), (1.0, beam_size)):
        search = BeamSearch(beam_size=beam_size, length_penalty=penalty, n_best=n_best)
        found = toy.find(search, topics, limits)
        for topic, limit, hypotheses in zip(topics, limits, found, strict=True):
            expected = plain.beam(search, toy, topic, limit)
            assert [tuple(h.tokens) for h in hypotheses] == [each.tokens for _, each in expected]
            assert [h.score for h in hypotheses] == pytest.approx([value for value, _ in expected], abs=1e-5)


def test_early_ends_do_not_crowd_out_a_better_hypothesis() -> None:
    words = range(4, 12)
    sure, surprise = math.log(0.99), math.log(0.005)

    def step(tokens: Tensor, state: History) -> tuple[Tensor, History]:
        # One way is all but certain; at every step an end is the second best token.
        row = torch.full((len(tokens), 12), -20.0)
        at = state.tokens.shape[1]
        row[:, words[at] if at < len(words) else EOS] = sure
        row[:, EOS] = torch.maximum(row[:, EOS], torch.tensor(surprise))
        return row, History(torch.cat([state.tokens, tokens.unsqueeze(1)], dim=1), state.topic)

    for beam_size in (1, 2, 5):
        start = History(torch.zeros(1, 0, dtype=torch.long), torch.zeros(1))
        ((best,),) = BeamSearch(beam_size=beam_size)(step, start, max_length=torch.tensor([30]), keys=[[0]])
        assert best.tokens == [*words, EOS]


def test_beam_of_one_is_the_argmax_by_hand() -> None:
    toy = Toy(50, seed=3, sharpness=0.8)
    topics = toy.topics(8)
    lengths = set()
    for topic, (hypothesis,) in zip(topics, toy.find(BeamSearch(beam_size=1), topics, [20] * 8), strict=True):
        tokens: list[int] = []
        while len(tokens) < 20 and tokens[-1:] != [EOS]:
            row = toy.log_probs(torch.tensor([[BOS, *tokens]]), topic.unsqueeze(0))[0]
            row[[PAD, BOS]] = -math.inf
            tokens.append(int(row.argmax()))
        assert hypothesis.tokens == tokens
        lengths.add(len(tokens))
    assert len(lengths) > 1, "the toy must end at different lengths for this to test anything"


@pytest.mark.parametrize("beam_size", [1, 4])
def test_alone_or_in_any_batch(beam_size: int) -> None:
    toy = Toy(30, seed=5)
    topics, limits = toy.topics(12), [int(n) for n in torch.randint(1, 15, (12,), generator=toy.generator)]
    search = BeamSearch(beam_size=beam_size, n_best=beam_size)
    together = toy.find(search, topics, limits)
    for order in (list(range(11, -1, -1)), [5], [3, 3, 0]):
        again = toy.find(search, topics[order], [limits[i] for i in order])
        for i, hypotheses in zip(order, again, strict=True):
            assert [h.tokens for h in hypotheses] == [h.tokens for h in together[i]]
            assert [h.score for h in hypotheses] == pytest.approx([h.score for h in together[i]], abs=1e-5)


@pytest.mark.parametrize("beam_size", [1, 3])
def test_the_log_probs_are_those_of_the_tokens(beam_size: int) -> None:
    """So the state was reordered, expanded and dropped along with the hypotheses."""
    toy = Toy(20, seed=7)
    topics = toy.topics(6)
    found = toy.find(BeamSearch(beam_size=beam_size, n_best=beam_size), topics, [9] * 6)
    for topic, hypotheses in zip(topics, found, strict=True):
        for hypothesis in hypotheses:
            forced = [
                toy.log_probs(torch.tensor([[BOS, *hypothesis.tokens[:n]]]), topic.unsqueeze(0))[0, token].item()
                for n, token in enumerate(hypothesis.tokens)
            ]
            assert hypothesis.token_log_probs == pytest.approx(forced, abs=1e-5)
            assert hypothesis.score == pytest.approx(score(sum(forced), len(forced), 1.0), abs=1e-5)


def test_the_state_holds_the_history_of_every_live_hypothesis() -> None:
    toy, seen = Toy(12, seed=11), []

    def step(tokens: Tensor, state: History) -> tuple[Tensor, History]:
        answer = toy.step(tokens, state)
        seen.extend(tuple(row[1:]) for row in answer[1].tokens.tolist())
        return answer

    search = BeamSearch(beam_size=4, n_best=4)
    found = search(step, toy.start(toy.topics(5)), max_length=torch.tensor([6] * 5), keys=[[0]] * 5)
    assert all(tuple(h.tokens[:-1]) in seen for hypotheses in found for h in hypotheses)


def test_finished_sentences_leave_the_computation() -> None:
    toy = Toy(30, seed=13)
    topics = toy.topics(6)
    toy.find(BeamSearch(beam_size=4), topics, [1, 1, 1, 1, 1, 30])
    together, toy.rows_read = toy.rows_read, 0
    toy.find(BeamSearch(beam_size=4), topics[5:], [30])
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


def test_length_penalty_formula_and_effect() -> None:
    assert BeamSearch(length_penalty=0.7).divisor(1) == pytest.approx(1.0)
    assert BeamSearch(length_penalty=1.0).divisor(7) == pytest.approx(2.0)
    assert BeamSearch(length_penalty=0.5).divisor(torch.tensor([7])).item() == pytest.approx(2**0.5)
    toy = Toy(6, seed=3)
    topics = toy.topics(8)
    lengths = [
        sum(len(h[0].tokens) for h in toy.find(BeamSearch(beam_size=60, length_penalty=penalty), topics, [4] * 8))
        for penalty in (0.0, 1.0, 4.0)
    ]
    assert lengths == sorted(lengths) and lengths[0] < lengths[-1]


def test_max_length_ends_without_eos_and_pad_and_bos_never_appear() -> None:
    class Likes(Toy):
        def log_probs(self, prefixes: Tensor, topics: Tensor) -> Tensor:
            scores = super().log_probs(prefixes, topics)
            scores[:, [PAD, BOS]] += 20.0
            scores[:, EOS] -= 50.0
            return torch.log_softmax(scores, dim=-1)

    toy = Likes(9, seed=1)
    found = toy.find(BeamSearch(beam_size=3, n_best=3), toy.topics(4), [5, 5, 3, 1])
    assert [{len(h.tokens) for h in hypotheses} for hypotheses in found] == [{5}, {5}, {3}, {1}]
    assert not {PAD, BOS, EOS} & {token for hypotheses in found for h in hypotheses for token in h.tokens}


def test_ties_go_to_the_lower_token_and_the_better_parent() -> None:
    def uniform(tokens: Tensor, state: History) -> tuple[Tensor, History]:
        return torch.full((len(tokens), 1000), -math.log(1000)), state

    state = History(torch.zeros(2, 0, dtype=torch.long), torch.zeros(2, 1))
    search = BeamSearch(beam_size=3, n_best=3, length_penalty=0.0)
    found = search(uniform, state, max_length=torch.tensor([2, 3]), keys=[[0], [1]])
    assert [h.tokens for h in found[0]] == [[EOS], [1, 1], [1, EOS]]
    assert found[1][0].tokens == [EOS]


@pytest.mark.parametrize("vocabulary", [8, 60_000])
def test_nan_is_an_error_at_once(vocabulary: int) -> None:
    def broken(tokens: Tensor, state: History) -> tuple[Tensor, History]:
        log_probs = torch.zeros(len(tokens), vocabulary)
        log_probs[-1, 5] = math.nan
        return log_probs, state

    state = History(torch.zeros(2, 0, dtype=torch.long), torch.zeros(2, 1))
    with pytest.raises(ValueError, match="NaN"):
        BeamSearch(beam_size=2)(broken, state, max_length=torch.tensor([4, 4]), keys=[[0], [1]])


def test_fewer_tokens_than_beams() -> None:
    toy = Toy(4, seed=0)  # only unk and eos can be generated
    found = toy.find(BeamSearch(beam_size=5, n_best=5), toy.topics(2), [3, 1])
    assert {tuple(h.tokens) for h in found[0]} == {(3,), (1, 3), (1, 1, 3), (1, 1, 1)}
    assert {tuple(h.tokens) for h in found[1]} == {(3,), (1,)}


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("beam_size", 0, "got 0, expected an integer of at least 1 and at most 256"),
        ("beam_size", 2.0, "got 2.0, expected an integer"),
        ("beam_size", True, "got true, expected an integer"),
        ("length_penalty", -0.1, "got -0.1, expected a number of at least 0"),
        ("length_penalty", math.inf, "got inf"),
        ("n_best", 6, "got 6, expected at most beam_size=5"),
        ("max_length_factor", 0, "got 0, expected a number of more than 0 and at most 1000"),
        ("max_length_factor", math.nan, "got nan"),
        ("max_length_extra", -1, "got -1, expected an integer of at least 0"),
        ("batch_tokens", "many", "got 'many', expected an integer of at least 1"),
        ("beam_sise", 2, "unknown key; did you mean 'beam_size'?"),
    ],
)
def test_settings_are_checked(name: str, value: Any, expected: str) -> None:
    with pytest.raises(ParameterError) as caught:
        BeamSearch().replace(**{name: value})
    assert caught.value.parameter == name and caught.value.problem.startswith(expected)


def test_limits_of_length() -> None:
    toy = Toy(8, seed=0)
    with pytest.raises(ValueError, match="max_length"):
        toy.find(BeamSearch(), toy.topics(1), [0])
    search = BeamSearch(max_length_factor=1.5, max_length_extra=2)
    assert [search.target_limit(length) for length in (1, 2, 7)] == [3, 5, 12]
    assert BeamSearch(max_length_factor=0.1, max_length_extra=0).target_limit(1) == 1


def test_label_and_width() -> None:
    assert (BeamSearch().label, BeamSearch().width) == ("beam5.lp1", 5)
    assert BeamSearch(beam_size=3, length_penalty=0.65).label == "beam3.lp0.65"
    assert BeamSearch(n_best=2).label != BeamSearch().label
