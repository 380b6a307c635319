"""Shuffles large arrays with the same result as `random.Random.shuffle`, but faster."""

from __future__ import annotations

import math
import random
from typing import Any

import numpy as np
from numpy.typing import NDArray

FEW = 1 << 16  # Python shuffles this number of values in a few hundredths of a second


def shuffle(values: NDArray[np.int32], rng: random.Random) -> None:
    """Shuffle in place, with the result and the final state of `rng` that `rng.shuffle(values)` gives.

    That is the Fisher-Yates shuffle: for i from the last place down to 1, swap values[i] with values[j], where j is
    drawn from 0 to i. Here a whole block of draws and swaps is made at once, which is eight times as fast.
    """
    left = len(values)  # places that have not been swapped yet
    if left > FEW:
        version, (*key, position), gauss = rng.getstate()
        generator = np.random.MT19937()
        start: Any = {"key": np.array(key, np.uint32), "pos": position}
        generator.state = {"bit_generator": "MT19937", "state": start}
        while left > FEW:
            left -= _swap(values, left, _draw(generator, left))
        end: dict[str, Any] = dict(generator.state["state"])
        rng.setstate((version, (*end["key"].tolist(), end["pos"]), gauss))
    rng.shuffle(values[:left])  # type: ignore[arg-type]  # an array is not a MutableSequence by name


def _draw(generator: np.random.MT19937, left: int) -> NDArray[np.int64]:
    """Return random integers: the first below `left`, the second below `left - 1`, and so on.

    Like Python, this takes the upper bits of a 32-bit word, as many bits as the limit has. A draw that is not below the
    limit is rejected.
    """
    bits = left.bit_length()
    # So small that most blocks draw no place twice, and that the number of bits of the limit does not change.
    count = min(math.isqrt(left) // 4, left - (1 << bits - 1) + 1)
    draws = (generator.random_raw(count) >> np.uint64(32 - bits)).astype(np.int64)
    accepted = draws < left - count  # below every limit of the block
    before: NDArray[np.int64] = np.cumsum(accepted) - accepted
    extra = 0
    for place in np.flatnonzero(~accepted & (draws < left)).tolist():  # below some limits only
        if draws[place] < left - before[place] - extra:
            accepted[place] = True
            extra += 1
    return draws[accepted]


def _swap(values: NDArray[np.int32], left: int, draws: NDArray[np.int64]) -> int:
    """Swap the places left - 1, left - 2, ... with the drawn places, in this order. Return the number of swaps."""
    count = len(draws)
    places = np.arange(left - 1, left - 1 - count, -1)
    if len(np.unique(draws)) == count and (not count or draws.max() < left - count):  # then order has no effect
        values[places], values[draws] = values[draws], values[places]
    else:
        for i, j in zip(places.tolist(), draws.tolist(), strict=True):
            values[i], values[j] = values[j], values[i]
    return count
