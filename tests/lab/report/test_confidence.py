"""What the log-probabilities say about translations, against counts of all pairs and of all thresholds."""

from __future__ import annotations

import itertools
import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from nmt.lab.report.confidence import confidence, isotonic


def translations(signals: list[float]) -> Any:
    plain = {"tokens": [5, 3], "doubts": {}, "unsure_below": -1.3}
    return [SimpleNamespace(**plain, token_log_probs=[each, each - 1]) for each in signals]


@pytest.fixture(scope="module")
def drawn() -> tuple[list[float], list[float]]:
    """Signals with ties, and the chrF of each, which rises with the signal."""
    draw = random.Random(1)
    signals = [round(-draw.random() * 2, 1) for _ in range(400)]
    return signals, [max(0.0, 80 + 25 * signal + draw.gauss(0, 20)) for signal in signals]


def test_the_area_is_the_share_of_pairs_in_the_right_order(drawn: tuple[list[float], list[float]]) -> None:
    signals, chrf = drawn
    found = confidence(translations(signals), chrf, 50)
    assert found is not None
    good = [score >= 50 for score in chrf]
    pairs = [(a, b) for (a, x), (b, y) in itertools.product(zip(signals, good, strict=True), repeat=2) if x and not y]
    expected = sum(1.0 if a > b else 0.5 if a == b else 0.0 for a, b in pairs) / len(pairs)
    assert found["mean_log_prob"]["auc"] == pytest.approx(expected) and 0.6 < expected < 0.95
    assert found["lowest_log_prob"]["auc"] == pytest.approx(expected), "the same order"
    assert (found["sentences"], found["good"], found["measured_on"]) == (400, sum(good), 200)
    groups = found["mean_log_prob"]["groups"]
    assert groups["sentences"] == [20] * 10 and groups["predicted"] == sorted(groups["predicted"])
    assert np.mean(groups["measured"]) == pytest.approx(np.mean(good[1::2]))


def test_a_threshold_keeps_the_wished_share_in_the_half_that_chose_it(drawn: tuple[list[float], list[float]]) -> None:
    signals, chrf = drawn
    found = confidence(translations(signals), chrf, 50)
    assert found is not None
    mean, good = [each - 0.5 for each in signals], [score >= 50 for score in chrf]

    def above(start: int, at: float) -> tuple[int, int]:
        kept = [ok for signal, ok in zip(mean[start::2], good[start::2], strict=True) if signal >= at - 1e-9]
        return len(kept), kept.count(False)

    for row in found["thresholds"]:
        fitting = [
            at for at in sorted(set(mean[::2])) if (own := above(0, at))[0] >= 50 and own[1] <= row["wished"] * own[0]
        ]
        assert (row["threshold"] is None) == (not fitting)
        if fitting:
            assert row["threshold"] == pytest.approx(fitting[0], abs=2e-3)
            assert (row["kept"], row["bad"]) == above(1, fitting[0])
    assert any(row["threshold"] is not None for row in found["thresholds"])


def test_the_steps_rise_and_no_other_rising_steps_fit_better() -> None:
    signal, good = np.array([1.0, 2, 2, 3, 4, 5]), np.array([1.0, 0, 1, 1, 0, 1])
    steps = isotonic(signal, good)
    chances = [next(chance for start, chance in reversed(steps) if start <= each) for each in signal]
    assert chances == sorted(chances)
    grid = [part / 12 for part in range(13)]
    best = min(
        sum((levels[int(each) - 1] - is_good) ** 2 for each, is_good in zip(signal, good, strict=True))
        for levels in itertools.combinations_with_replacement(grid, 5)
    )
    assert sum((chance - is_good) ** 2 for chance, is_good in zip(chances, good, strict=True)) <= best + 1e-9


def test_too_few_translations_say_nothing(drawn: tuple[list[float], list[float]]) -> None:
    signals, chrf = drawn
    assert confidence(translations(signals[:99]), chrf[:99], 50) is None
    assert confidence(translations(signals), chrf, 0) is None, "all are good"
