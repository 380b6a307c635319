"""The paired test, against all shuffles by hand."""

from __future__ import annotations

import itertools

import pytest

from nmt.errors import UserError
from nmt.evaluation.compare import compare
from nmt.evaluation.metrics.bleu import BLEU
from nmt.evaluation.metrics.ter import TER
from tests.evaluation.corpus import HYPOTHESES, REFERENCES


@pytest.mark.parametrize("differing", [1, 2, 3])
def test_a_few_sentences_are_no_significant_difference(differing: int) -> None:
    """All 2^m shuffles by hand: at least the real one and its mirror image differ as much."""
    references = [f"the {word} runs over a green hill in the {word} sun" for word in ["dog", "cat", "fox", "cow"]] * 5
    system = [text.replace("green", "red") if i < differing else text for i, text in enumerate(references)]
    bleu = BLEU()
    real = abs(bleu.score(references, references).value - bleu.score(system, references).value)
    counted = 0
    for swaps in itertools.product([False, True], repeat=differing):
        one = [system[i] if i < differing and swaps[i] else text for i, text in enumerate(references)]
        two = [system[i] if i < differing and not swaps[i] else text for i, text in enumerate(references)]
        scores = [bleu.score(lines, references).value for lines in (one, two)]
        counted += abs(scores[0] - scores[1]) >= real - 1e-9
    found = compare(references, system, references, samples=2000).p_value
    assert found == pytest.approx(counted / 2**differing, abs=0.01)


def test_compare() -> None:
    verdict = compare(HYPOTHESES, REFERENCES, REFERENCES, samples=200)
    assert verdict.baseline == pytest.approx(BLEU().score(HYPOTHESES, REFERENCES).value)
    assert verdict.system == pytest.approx(100.0) and verdict.p_value < 0.05 and "ar:200" in verdict.signature
    assert compare(HYPOTHESES, HYPOTHESES, REFERENCES, samples=50).p_value == 1.0


def test_another_metric() -> None:
    verdict = compare(HYPOTHESES, REFERENCES, REFERENCES, metric=TER(), samples=200)
    assert verdict.baseline == pytest.approx(TER().score(HYPOTHESES, REFERENCES).value) and verdict.system == 0.0
    assert verdict.p_value < 0.05 and "case:lc" in verdict.signature


def test_unequal_counts_are_refused() -> None:
    with pytest.raises(UserError, match="14 system for 15"):
        compare(HYPOTHESES, HYPOTHESES[1:], REFERENCES)
