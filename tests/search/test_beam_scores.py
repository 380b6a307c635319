"""Normalizations, coverage and groups of beam search, and the rules on the next token, against plain Python."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from nmt.search.beam import BeamSearch
from nmt.search.sampling import Sampling
from nmt.tokens import EOS
from tests.search.plain import agree, beam, brute_force, model_row, ruled_row
from tests.search.toy import AttendingToy, Toy, total

RULES: dict[str, dict[str, Any]] = {
    "min_length": {"min_length": 3},
    "no_repeat_1": {"no_repeat_ngram_size": 1},
    "no_repeat_2": {"no_repeat_ngram_size": 2},
    "all rules": {"min_length": 3, "no_repeat_ngram_size": 2},
    "contradiction": {"min_length": 5, "no_repeat_ngram_size": 1},
}
SCORES: dict[str, dict[str, Any]] = {
    "gnmt": {"length_penalty": 0.6},
    "power": {"normalization": "power", "length_penalty": 0.7},
    "coverage": {"coverage_penalty": 0.8},
    "all": {"normalization": "power", "length_penalty": 1.5, "coverage_penalty": 0.4, **RULES["all rules"]},
}
scores = pytest.mark.parametrize("settings", SCORES.values(), ids=SCORES)


def compare(search: BeamSearch, toy: AttendingToy, limits: list[int], plain: Any) -> None:
    """Compare a batch with the function `plain` of one sentence."""
    topics = toy.topics(len(limits))
    expected = [plain(search, toy, topic, limit) for topic, limit in zip(topics, limits, strict=True)]
    agree(toy.find(search, topics, limits), expected)


@pytest.mark.parametrize("settings", {**SCORES, **RULES}.values(), ids=[*SCORES, *RULES])
@pytest.mark.parametrize("seed", range(2))
def test_a_beam_that_holds_everything_finds_the_best_of_all_sequences(settings: dict[str, Any], seed: int) -> None:
    search = BeamSearch(beam_size=3**4 * 2, n_best=3, **settings)
    compare(search, AttendingToy(6, seed), [4, 1, 3], brute_force)


@scores
@pytest.mark.parametrize("beam_size", [1, 4])
@pytest.mark.parametrize(("vocabulary", "few"), [(5, None), pytest.param(200, None, marks=pytest.mark.slow), (200, 0)])
def test_equals_a_plain_beam(
    settings: dict[str, Any], beam_size: int, vocabulary: int, few: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if few is not None:
        monkeypatch.setattr("nmt.search.constraints.FEW_VALUES", few)  # so that columns are grouped as in wide rows
    for n_best in {1, beam_size}:
        search = BeamSearch(beam_size=beam_size, n_best=n_best, **settings)
        compare(search, AttendingToy(vocabulary, seed=vocabulary + beam_size), [7, 9, 2, 5], beam)


def test_a_source_token_without_any_attention_has_a_price() -> None:
    class Blind(AttendingToy):
        def attention(self, prefixes: torch.Tensor, topics: torch.Tensor) -> torch.Tensor:
            return torch.tensor([[1.0, 0.0, 1.0]]).expand(len(prefixes), -1)

    toy = Blind(9, seed=6)
    (topics, limits), search = (toy.topics(2), [4, 4]), BeamSearch(coverage_penalty=0.5)
    for (free,), (paid,) in zip(toy.find(BeamSearch(), topics, limits), toy.find(search, topics, limits), strict=True):
        assert paid.tokens == free.tokens
        assert paid.score == pytest.approx(free.score + 0.5 * math.log(1e-8), abs=1e-4)


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
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
