"""The table of new ideas: its correction for many comparisons, and its comparison at equal time."""

from __future__ import annotations

import numpy as np
import pytest

from scripts.idea_tables import at_equal_time, holm


def test_holm_by_hand() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.5, 0.9, 0.001, 0.02]) == pytest.approx([1.0, 1.0, 0.004, 0.06])
    assert holm([0.03]) == [0.03] and holm([]) == []


def test_holm_rarely_rejects_a_true_hypothesis() -> None:
    """With 14 true hypotheses, at most 5 % of the tables have a p-value below 0.05; without a correction, half do."""
    draws = np.random.default_rng(1).random((2000, 14))
    assert np.mean([min(holm(draw)) < 0.05 for draw in draws]) < 0.06
    assert np.mean(draws.min(axis=1) < 0.05) > 0.45


@pytest.mark.parametrize(("speed", "expected"), [(1.0, 0.5), (0.8, 0.5 - 500 / 700), (1.25, 0.5 + 400 / 700)])
def test_a_slower_idea_is_compared_with_a_longer_baseline(speed: float, expected: float) -> None:
    """The baseline gains 1 BLEU in 700 updates more."""
    assert at_equal_time(0.5, speed, (2000, 2700), (30.0, 31.0)) == pytest.approx(expected)
