"""Search against a plain Python beam and brute force, alone and in batches."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from torch import Tensor

from nmt.models.interface import State, per_sentence
from nmt.search.beam import Hypothesis, _top, length_normalization, search

PAD, BOS, EOS = 0, 2, 3
SPECIAL: dict[str, int] = {"bos": BOS, "eos": EOS, "pad": PAD}


@dataclass(frozen=True)
class History(State):
    """Every token read (N, t), and what the sentence is about (B, D)."""

    tokens: Tensor
    topic: Tensor = per_sentence()


class Toy:
    """A random model whose next distribution depends on the sentence and on the whole history, order included."""

    def __init__(self, vocabulary: int, seed: int, *, sharpness: float = 1.5, width: int = 8) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.embedding = torch.randn(vocabulary, width, generator=generator, dtype=torch.double)
        self.recurrent = torch.randn(width, width, generator=generator, dtype=torch.double) / width**0.5
        self.output = torch.randn(width, vocabulary, generator=generator, dtype=torch.double) * sharpness
        self.vocabulary, self.width, self.rows_read, self.generator = vocabulary, width, 0, generator

    def topics(self, sentences: int) -> Tensor:
        return torch.randn(sentences, self.width, generator=self.generator, dtype=torch.double)

    def start(self, topics: Tensor) -> History:
        return History(torch.zeros(len(topics), 0, dtype=torch.long), topics)

    def log_probs(self, prefixes: Tensor, topics: Tensor) -> Tensor:
        hidden = topics
        for position in range(prefixes.shape[1]):
            hidden = torch.tanh(hidden @ self.recurrent + self.embedding[prefixes[:, position]])
        return torch.log_softmax(hidden @ self.output, dim=-1).float()

    def step(self, tokens: Tensor, state: History) -> tuple[Tensor, History, None]:
        beams = len(tokens) // len(state.topic)
        assert beams * len(state.topic) == len(tokens)
        self.rows_read += len(tokens)
        history = torch.cat([state.tokens, tokens.unsqueeze(1)], dim=1)
        return self.log_probs(history, state.topic.repeat_interleave(beams, 0)), History(history, state.topic), None

    def find(self, topics: Tensor, limits: Sequence[int], **options: Any) -> list[list[Hypothesis]]:
        return search(self.step, self.start(topics), max_length=torch.tensor(limits), **SPECIAL, **options)


def total(toy: Toy, topic: Tensor, tokens: Sequence[int]) -> float:
    """The forced log-probability of a whole hypothesis."""
    prefix = torch.tensor([[BOS, *tokens]])
    steps = (toy.log_probs(prefix[:, : n + 1], topic.unsqueeze(0))[0, token].item() for n, token in enumerate(tokens))
    return math.fsum(steps)


def score(log_prob: float, length: int, penalty: float) -> float:
    return log_prob / ((5 + length) / 6) ** penalty


def every_hypothesis(vocabulary: int, limit: int) -> list[tuple[int, ...]]:
    words = [token for token in range(vocabulary) if token not in (PAD, BOS, EOS)]
    ended = [(*stem, EOS) for length in range(limit) for stem in itertools.product(words, repeat=length)]
    return ended + list(itertools.product(words, repeat=limit))


Scored = list[tuple[float, list[int]]]


def reference_beam(toy: Toy, topic: Tensor, limit: int, beam_size: int, penalty: float, n_best: int) -> Scored:
    """The documented rules, sentence by sentence with lists; no early stop but K good finished ones or the limit."""
    live: Scored = [(0.0, [])]
    finished: Scored = []
    for length in range(1, limit + 1):
        candidates = []
        for log_prob, tokens in live:
            row = toy.log_probs(torch.tensor([[BOS, *tokens]]), topic.unsqueeze(0))[0].tolist()
            candidates += [(log_prob + row[v], [*tokens, v]) for v in range(toy.vocabulary) if v not in (PAD, BOS)]
        candidates.sort(key=lambda candidate: -candidate[0])
        for log_prob, tokens in candidates[:beam_size]:
            if tokens[-1] == EOS or length == limit:
                finished.append((score(log_prob, length, penalty), tokens))
        live = [candidate for candidate in candidates[: 2 * beam_size] if candidate[1][-1] != EOS][:beam_size]
        finished.sort(key=lambda hypothesis: -hypothesis[0])
        if len(finished) >= beam_size and (not live or finished[n_best - 1][0] >= score(live[0][0], length, penalty)):
            break
    return finished


@pytest.mark.parametrize("penalty", [0.0, 0.6, 1.0, 2.5])
@pytest.mark.parametrize("seed", range(4))
def test_a_beam_that_holds_everything_finds_the_best_of_all_sequences(seed: int, penalty: float) -> None:
    toy = Toy(6, seed)
    topics, limits = toy.topics(3), [4, 1, 3]
    found = toy.find(topics, limits, beam_size=3**4 * 2, length_penalty=penalty, n_best=3)
    for topic, limit, hypotheses in zip(topics, limits, found, strict=True):
        scored = [(score(total(toy, topic, h), len(h), penalty), list(h)) for h in every_hypothesis(6, limit)]
        scored.sort(key=lambda pair: -pair[0])
        assert [h.tokens for h in hypotheses] == [tokens for _, tokens in scored[:3]]
        assert [h.score for h in hypotheses] == pytest.approx([value for value, _ in scored[:3]], abs=1e-5)


@pytest.mark.parametrize("beam_size", [1, 2, 3, 5])
@pytest.mark.parametrize("vocabulary", [5, 9, 40, 700])
def test_equals_a_plain_beam(vocabulary: int, beam_size: int) -> None:
    toy = Toy(vocabulary, seed=vocabulary + beam_size)
    topics, limits = toy.topics(4), [7, 9, 2, 5]
    for penalty, n_best in ((0.0, 1), (1.0, 1), (1.0, beam_size)):
        found = toy.find(topics, limits, beam_size=beam_size, length_penalty=penalty, n_best=n_best)
        for topic, limit, hypotheses in zip(topics, limits, found, strict=True):
            expected = reference_beam(toy, topic, limit, beam_size, penalty, n_best)[:n_best]
            assert [h.tokens for h in hypotheses] == [tokens for _, tokens in expected]
            assert [h.score for h in hypotheses] == pytest.approx([value for value, _ in expected], abs=1e-5)


def test_early_ends_do_not_crowd_out_a_better_hypothesis() -> None:
    words = range(4, 12)
    sure, surprise = math.log(0.99), math.log(0.005)

    def step(tokens: Tensor, state: History) -> tuple[Tensor, History, None]:
        # One way is all but certain; at every step an end is the second best token.
        row = torch.full((len(tokens), 12), -20.0)
        at = state.tokens.shape[1]
        row[:, words[at] if at < len(words) else EOS] = sure
        row[:, EOS] = torch.maximum(row[:, EOS], torch.tensor(surprise))
        return row, History(torch.cat([state.tokens, tokens.unsqueeze(1)], dim=1), state.topic), None

    for beam_size in (1, 2, 5):
        start = History(torch.zeros(1, 0, dtype=torch.long), torch.zeros(1))
        ((best,),) = search(step, start, max_length=torch.tensor([30]), beam_size=beam_size, **SPECIAL)
        assert best.tokens == [*words, EOS]


def test_beam_of_one_is_the_argmax_by_hand() -> None:
    toy = Toy(50, seed=3, sharpness=0.8)
    topics = toy.topics(8)
    lengths = set()
    for topic, (hypothesis,) in zip(topics, toy.find(topics, [20] * 8), strict=True):
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
    together = toy.find(topics, limits, beam_size=beam_size, n_best=beam_size)
    for order in (list(range(11, -1, -1)), [5], [3, 3, 0]):
        again = toy.find(topics[order], [limits[i] for i in order], beam_size=beam_size, n_best=beam_size)
        for i, hypotheses in zip(order, again, strict=True):
            assert [h.tokens for h in hypotheses] == [h.tokens for h in together[i]]
            assert [h.score for h in hypotheses] == pytest.approx([h.score for h in together[i]], abs=1e-5)


@pytest.mark.parametrize("beam_size", [1, 3])
def test_the_log_probs_are_those_of_the_tokens(beam_size: int) -> None:
    """So the state was reordered, expanded and dropped along with the hypotheses."""
    toy = Toy(20, seed=7)
    topics = toy.topics(6)
    for topic, hypotheses in zip(topics, toy.find(topics, [9] * 6, beam_size=beam_size, n_best=beam_size), strict=True):
        for hypothesis in hypotheses:
            forced = [
                toy.log_probs(torch.tensor([[BOS, *hypothesis.tokens[:n]]]), topic.unsqueeze(0))[0, token].item()
                for n, token in enumerate(hypothesis.tokens)
            ]
            assert hypothesis.token_log_probs == pytest.approx(forced, abs=1e-5)
            assert hypothesis.score == pytest.approx(score(sum(forced), len(forced), 1.0), abs=1e-5)


def test_the_state_holds_the_history_of_every_live_hypothesis() -> None:
    toy, seen = Toy(12, seed=11), []

    def step(tokens: Tensor, state: History) -> tuple[Tensor, History, None]:
        answer = toy.step(tokens, state)
        seen.extend(tuple(row[1:]) for row in answer[1].tokens.tolist())
        return answer

    options: dict[str, Any] = {**SPECIAL, "max_length": torch.tensor([6] * 5), "beam_size": 4, "n_best": 4}
    found = search(step, toy.start(toy.topics(5)), **options)
    assert all(tuple(h.tokens[:-1]) in seen for hypotheses in found for h in hypotheses)


def test_finished_sentences_leave_the_computation() -> None:
    toy = Toy(30, seed=13)
    topics = toy.topics(6)
    toy.find(topics, [1, 1, 1, 1, 1, 30], beam_size=4)
    together, toy.rows_read = toy.rows_read, 0
    toy.find(topics[5:], [30], beam_size=4)
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

        def step(tokens: Tensor, state: Clock) -> tuple[Tensor, Clock, None]:
            nonlocal count
            count += 1
            return table[state.time.clamp(max=1)], Clock(state.time + 1), None

        limit = torch.tensor([max_length])
        options: dict[str, Any] = {**SPECIAL, "beam_size": 2, "length_penalty": penalty}
        found = search(step, Clock(torch.zeros(1, dtype=torch.long)), max_length=limit, **options)
        return count, found[0][0]

    assert steps(7, 0.0)[0] == 1
    assert steps(3, 1.0)[0] == 1  # -1.5 / (8/6) = -1.125 < -1
    count, best = steps(7, 1.0)
    assert count == 7 and len(best.tokens) == 7 and best.score == pytest.approx(-1.506 / 2, abs=1e-4)


def test_length_penalty_formula_and_effect() -> None:
    assert length_normalization(1, 0.7).item() == pytest.approx(1.0)
    assert length_normalization(7, 1.0).item() == pytest.approx(2.0)
    assert length_normalization(torch.tensor([7]), 0.5).item() == pytest.approx(2**0.5)
    toy = Toy(6, seed=3)
    topics = toy.topics(8)
    lengths = [
        sum(len(h[0].tokens) for h in toy.find(topics, [4] * 8, beam_size=60, length_penalty=penalty))
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
    found = toy.find(toy.topics(4), [5, 5, 3, 1], beam_size=3, n_best=3)
    assert [{len(h.tokens) for h in hypotheses} for hypotheses in found] == [{5}, {5}, {3}, {1}]
    assert not {PAD, BOS, EOS} & {token for hypotheses in found for h in hypotheses for token in h.tokens}


def test_ties_go_to_the_lower_token_and_the_better_parent() -> None:
    def uniform(tokens: Tensor, state: History) -> tuple[Tensor, History, None]:
        return torch.full((len(tokens), 1000), -math.log(1000)), state, None

    state = History(torch.zeros(2, 0, dtype=torch.long), torch.zeros(2, 1))
    options: dict[str, Any] = {**SPECIAL, "beam_size": 3, "n_best": 3, "length_penalty": 0.0}
    found = search(uniform, state, max_length=torch.tensor([2, 3]), **options)
    assert [h.tokens for h in found[0]] == [[EOS], [1, 1], [1, EOS]]
    assert found[1][0].tokens == [EOS]


def test_top_equals_a_stable_sort_even_with_ties_infinities_and_odd_widths() -> None:
    generator = torch.Generator().manual_seed(0)
    for width in (1, 7, 130, 1000, 8001):
        for levels in (3, 50, 10**6):
            values = torch.randint(levels, (9, width), generator=generator).float()
            values[values == 1] = -math.inf
            for count in (1, min(12, width)):
                best, places = _top(values, count)
                expected = values.sort(dim=1, descending=True, stable=True)
                assert torch.equal(best, expected.values[:, :count])
                real = best > -math.inf
                assert torch.equal(places[real], expected.indices[:, :count][real])


@pytest.mark.parametrize("vocabulary", [8, 3000])
def test_nan_is_an_error_at_once(vocabulary: int) -> None:
    def broken(tokens: Tensor, state: History) -> tuple[Tensor, History, None]:
        log_probs = torch.zeros(len(tokens), vocabulary)
        log_probs[-1, 5] = math.nan
        return log_probs, state, None

    state = History(torch.zeros(2, 0, dtype=torch.long), torch.zeros(2, 1))
    with pytest.raises(ValueError, match="NaN"):
        search(broken, state, max_length=torch.tensor([4, 4]), beam_size=2, **SPECIAL)


def test_fewer_tokens_than_beams() -> None:
    toy = Toy(4, seed=0)  # only unk and eos can be generated
    found = toy.find(toy.topics(2), [3, 1], beam_size=5, n_best=5)
    assert {tuple(h.tokens) for h in found[0]} == {(3,), (1, 3), (1, 1, 3), (1, 1, 1)}
    assert {tuple(h.tokens) for h in found[1]} == {(3,), (1,)}


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"beam_size": 0}, "beam_size"),
        ({"length_penalty": -0.1}, "length_penalty"),
        ({"n_best": 2}, "n_best"),
        ({"max_length": torch.tensor([0])}, "max_length"),
    ],
)
def test_parameters_out_of_range(changes: dict[str, Any], word: str) -> None:
    toy = Toy(8, seed=0)
    options: dict[str, Any] = {"max_length": torch.tensor([3]), **SPECIAL, **changes}
    with pytest.raises(ValueError, match=word):
        search(toy.step, toy.start(toy.topics(1)), **options)
