"""The documented rules of search in plain Python, one hypothesis at a time, for the tests to compare with."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import pytest
import torch
from torch import Tensor

from nmt.search.base import Hypothesis
from nmt.search.beam import BeamSearch
from nmt.search.constraints import ConstrainedSearch
from nmt.tokens import BOS, EOS, PAD
from tests.search.toy import AttendingToy, Toy

Row = dict[int, float]
"""The tokens that are left, with their log-probabilities."""


@dataclass(frozen=True)
class Found:
    """Tokens, the sum of their log-probabilities after the rules, and the model's own log-probabilities."""

    tokens: tuple[int, ...] = ()
    total: float = 0.0
    own: tuple[float, ...] = ()


def model_row(toy: Toy, topic: Tensor, tokens: Sequence[int]) -> Row:
    row = toy.log_probs(torch.tensor([[BOS, *tokens]]), topic.unsqueeze(0))[0].tolist()
    return {token: value for token, value in enumerate(row) if token not in (PAD, BOS) and value > -math.inf}


def ruled_row(search: ConstrainedSearch, tokens: Sequence[int], row: Row) -> Row:
    if size := search.no_repeat_ngram_size:
        had = {tuple(tokens[at : at + size]) for at in range(len(tokens) - size + 1)}
        stem = tuple(tokens[len(tokens) - size + 1 :])
        row = {t: value for t, value in row.items() if (*stem, t) not in had} or row
    if len(tokens) + 1 < search.min_length:
        row = {t: value for t, value in row.items() if t != EOS} or row
    return row


def extensions(search: ConstrainedSearch, toy: Toy, topic: Tensor, found: Found) -> list[Found]:
    row = model_row(toy, topic, found.tokens)
    ruled = ruled_row(search, found.tokens, row)
    return [Found((*found.tokens, t), found.total + v, (*found.own, row[t])) for t, v in sorted(ruled.items())]


NOTHING = Found()


def every_hypothesis(
    search: ConstrainedSearch, toy: Toy, topic: Tensor, limit: int, found: Found = NOTHING
) -> Iterator[Found]:
    """Yield everything that the rules allow."""
    for longer in extensions(search, toy, topic, found):
        if longer.tokens[-1] == EOS or len(longer.tokens) == limit:
            yield longer
        else:
            yield from every_hypothesis(search, toy, topic, limit, longer)


def score(search: BeamSearch, toy: Toy, topic: Tensor, found: Found) -> float:
    value = found.total / divisor(search, len(found.tokens))
    if search.coverage_penalty:
        assert isinstance(toy, AttendingToy)
        prefix = torch.tensor([[BOS, *found.tokens]])
        steps = [toy.attention(prefix[:, : n + 1], topic.unsqueeze(0))[0].tolist() for n in range(len(found.tokens))]
        attended = map(math.fsum, zip(*steps, strict=True))
        value += search.coverage_penalty * sum(math.log(min(each, 1.0)) for each in attended)
    return value


def divisor(search: BeamSearch, length: int) -> float:
    return float((length if search.normalization == "power" else (5 + length) / 6) ** search.length_penalty)


Scored = list[tuple[float, Found]]


def brute_force(search: BeamSearch, toy: Toy, topic: Tensor, limit: int) -> Scored:
    """Return the best `n_best` of all hypotheses, best score first."""
    everything = every_hypothesis(search, toy, topic, limit)
    return best([(score(search, toy, topic, found), found) for found in everything])[: search.n_best]


def best(scored: Scored) -> Scored:
    return sorted(scored, key=lambda pair: -pair[0])


def beam(search: BeamSearch, toy: Toy, topic: Tensor, limit: int) -> Scored:
    """Return what the documented beam search finds, with lists: live hypotheses, finished hypotheses and all."""
    size, live, finished = search.beam_size, [NOTHING], list[tuple[float, Found]]()
    for length in range(1, limit + 1):
        candidates = [longer for found in live for longer in extensions(search, toy, topic, found)]
        candidates.sort(key=lambda longer: -longer.total)
        for found in candidates[:size]:
            if found.tokens[-1] == EOS or length == limit:
                finished.append((score(search, toy, topic, found), found))
        live = [found for found in candidates[: 2 * size] if found.tokens[-1] != EOS][:size]
        if done(search, live, finished, length, limit):
            break
    return best(finished)[: search.n_best]


def done(search: BeamSearch, live: list[Found], finished: Scored, length: int, limit: int) -> bool:
    size, places = search.beam_size, search.n_best
    if not live:
        return True
    if len(finished) < places:
        return False
    worst_kept, best_live = best(finished)[places - 1][0], max(found.total for found in live)
    enough = len(finished) >= size and worst_kept >= best_live / divisor(search, length)
    return enough or worst_kept >= best_live / divisor(search, limit)


def agree(found: Iterable[list[Hypothesis]], expected: Iterable[Scored]) -> None:
    """Compare what a search found with what plain Python finds, sentence by sentence."""
    for hypotheses, wanted in zip(found, expected, strict=True):
        assert [tuple(h.tokens) for h in hypotheses] == [each.tokens for _, each in wanted]
        assert [h.score for h in hypotheses] == pytest.approx([value for value, _ in wanted], abs=1e-4)
        for hypothesis, (_, each) in zip(hypotheses, wanted, strict=True):
            assert hypothesis.token_log_probs == pytest.approx(each.own, abs=1e-5)
