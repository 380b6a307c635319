"""The shuffle of arrays is Python's own: the same permutations, and the same generator afterwards."""

import itertools
import random

import numpy as np
import pytest

from nmt.data.shuffle import FEW, shuffle

SIZES = (0, 1, 2, 1000, FEW - 1, FEW, FEW + 1, 2 * FEW - 1, 2 * FEW, 2 * FEW + 1)


@pytest.mark.parametrize(
    ("count", "draws_before"),
    [*itertools.product(SIZES, (0, 623)), (FEW + 1, 1), (FEW + 1, 624), (300_001, 1)],
)
def test_equals_pythons_shuffle(count, draws_before):
    orders = [random.Random(f"{count} seed") for _ in range(2)]
    for order in orders:
        for _ in range(draws_before):
            order.getrandbits(32)
    expected, values = list(range(count)), np.arange(count, dtype=np.int32)
    orders[0].shuffle(expected)
    shuffle(values, orders[1])
    assert values.tolist() == expected
    assert orders[0].getstate() == orders[1].getstate()
