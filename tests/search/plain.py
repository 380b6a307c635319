"""The documented rules of search in plain Python, one hypothesis at a time, for the tests to compare with."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from nmt.search.beam import BeamSearch
from nmt.search.ruled import RuledSearch
from nmt.special import BOS, EOS, PAD
from tests.search.toy import Toy

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


def ruled_row(search: RuledSearch, tokens: Sequence[int], row: Row) -> Row:
    if search.repetition_penalty > 1:
        row = penalized(search.repetition_penalty, tokens, row)
    if size := search.no_repeat_ngram_size:
        had = {tuple(tokens[at : at + size]) for at in range(len(tokens) - size + 1)}
        stem = tuple(tokens[len(tokens) - size + 1 :])
        row = {t: value for t, value in row.items() if (*stem, t) not in had} or row
    if len(tokens) + 1 < search.min_length:
        row = {t: value for t, value in row.items() if t != EOS} or row
    return row


def penalized(penalty: float, tokens: Sequence[int], row: Row) -> Row:
    mean = math.fsum(row.values()) / len(row)
    logits = {t: value - mean for t, value in row.items()}
    for token in set(tokens) & set(row):
        logits[token] = logits[token] / penalty if logits[token] > 0 else logits[token] * penalty
    mass = math.fsum(map(math.exp, row.values()))
    normalizer = math.fsum(map(math.exp, logits.values()))
    return {t: x - math.log(normalizer) + math.log(mass) for t, x in logits.items()}


def extensions(search: RuledSearch, toy: Toy, topic: Tensor, found: Found) -> list[Found]:
    row = model_row(toy, topic, found.tokens)
    ruled = ruled_row(search, found.tokens, row)
    return [Found((*found.tokens, t), found.total + v, (*found.own, row[t])) for t, v in sorted(ruled.items())]


NOTHING = Found()


def every_hypothesis(
    search: RuledSearch, toy: Toy, topic: Tensor, limit: int, found: Found = NOTHING
) -> Iterator[Found]:
    """Yield everything that the rules allow."""
    for longer in extensions(search, toy, topic, found):
        if longer.tokens[-1] == EOS or len(longer.tokens) == limit:
            yield longer
        else:
            yield from every_hypothesis(search, toy, topic, limit, longer)


def score(search: BeamSearch, found: Found) -> float:
    return found.total / ((5 + len(found.tokens)) / 6) ** search.length_penalty


def brute_force(search: BeamSearch, toy: Toy, topic: Tensor, limit: int) -> list[tuple[float, Found]]:
    """Return the best `n_best` hypotheses of all, best score first."""
    scored = [(score(search, found), found) for found in every_hypothesis(search, toy, topic, limit)]
    return sorted(scored, key=lambda pair: -pair[0])[: search.n_best]
