"""Minimum Bayes risk against a plain double loop over sacreBLEU's scores."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence

import pytest
from sacrebleu import sentence_bleu, sentence_chrf

from nmt.search.base import Hypothesis, S, Step
from nmt.search.beam import BeamSearch
from nmt.search.constraints import ConstrainedSearch
from nmt.search.risk import expected_utilities
from nmt.search.sampling import Sampling
from nmt.tokens import EOS
from tests.search.toy import Toy

TEXTS = ["Ein Hund rennt.", "Ein Hund läuft.", "Ein Hund rennt.", "Zwei Hunde", "", "Ein Hund rennt im Schnee."]


def text(tokens: Sequence[int]) -> str:
    return " ".join(f"wort{token}" for token in tokens if token != EOS)


@pytest.mark.parametrize("utility", ["chrf", "bleu", "bleu_char"])
def test_the_expected_utility_is_the_mean_over_all_candidates(utility: str) -> None:
    def score(hypothesis: str, reference: str) -> float:
        if utility == "chrf":
            return sentence_chrf(hypothesis, [reference]).score
        return sentence_bleu(hypothesis, [reference], tokenize="char" if utility == "bleu_char" else "13a").score

    weights = [0.3, 0.1, 0.2, 0.2, 0.05, 0.15]
    expected = [sum(p * score(one, other) for p, other in zip(weights, TEXTS, strict=True)) for one in TEXTS]
    assert expected_utilities(TEXTS, weights, utility) == pytest.approx(expected)  # type: ignore[arg-type]
    assert expected[0] == max(expected)


def test_chrf_is_sacrebleus_for_every_pair_of_texts() -> None:
    draw = random.Random(1)
    drawn = ("".join(draw.choices("abcä .", k=length)) for length in range(1, 40))
    texts = list(dict.fromkeys(["", " ", "a", "é", "aa", "데이터", "a b", *drawn]))
    for reference in texts:
        probability = [float(text == reference) for text in texts]
        expected = [sentence_chrf(text, [reference]).score for text in texts]
        assert expected_utilities(texts, probability, "chrf") == pytest.approx(expected, rel=1e-12)


def test_a_search_of_ones_own_needs_no_more_than_any_search() -> None:
    found = [Hypothesis([token, EOS], [-1.0, -1.0], -2.0) for token in (4, 5, 5, 6)]

    class Mine(ConstrainedSearch):
        label = "mine"
        width = 1

        def __call__(self, step: Step[S], state: S, **_: object) -> list[list[Hypothesis]]:
            return [found]

    ranked = Mine(utility="chrf").rank(found, text)
    assert [each.tokens[0] for each in ranked][:2] == [5, 5] and Mine().rank(found, text) == found


@pytest.mark.parametrize(
    "search",
    [
        Sampling(samples=12, utility="chrf", min_length=2),
        BeamSearch(beam_size=6, n_best=6, utility="chrf", length_penalty=0.3),
        BeamSearch(beam_size=6, n_best=4, utility="bleu"),
    ],
    ids=lambda search: search.label,
)
def test_candidates_are_ranked_by_their_expected_utility(search: ConstrainedSearch) -> None:
    toy = Toy(9, seed=2, sharpness=0.6)
    topics, limits = toy.topics(4), [6, 9, 4, 7]
    changed = 0
    for found in toy.find(search, topics, limits):
        ranked = search.rank(found, text)
        assert sorted((h.tokens, h.token_log_probs) for h in ranked) == sorted(
            (h.tokens, h.token_log_probs) for h in found
        )
        mass = [1.0 if isinstance(search, Sampling) else math.exp(sum(h.token_log_probs)) for h in found]
        weights = [each / sum(mass) for each in mass]
        expected = [
            sum(
                w * expected_utilities([text(h.tokens), text(other.tokens)], [0.0, 1.0], search.utility)[0]  # type: ignore[arg-type]
                for w, other in zip(weights, found, strict=True)
            )
            for h in ranked
        ]
        assert [h.score for h in ranked] == pytest.approx(expected)
        assert expected == sorted(expected, reverse=True)
        changed += ranked[0].tokens != found[0].tokens
    assert changed or "beam" in search.label
