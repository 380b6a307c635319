"""How long the models take for a batch, measured on the latest batches."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from functools import partial
from statistics import median

LATEST, NEWEST = 20, 5  # numbers of batches whose medians count
VALID = 60.0  # seconds that a measurement counts; after a pause, the machine may be faster again


class Pace:
    """The seconds of a batch by its size, measured on the latest batches of a similar size.

    Two sizes are similar if they lie between the same powers of two. If no such batch is known, the time of a smaller
    one is returned: a larger batch takes at least as long. How much longer is not guessed, because it takes far less
    time for each sentence.

    The larger median counts, of the latest 5 or the latest 20 batches. So a few fast batches do not make the server
    accept too much, and it soon notices that the machine has become slow.
    """

    def __init__(self) -> None:
        self._measured: dict[int, deque[tuple[float, float]]] = defaultdict(partial(deque, maxlen=LATEST))

    def note(self, size: int, seconds: float) -> None:
        """Note that a batch of this size took so many seconds."""
        self._measured[size.bit_length()].append((time.monotonic(), seconds))

    def seconds(self, size: int) -> float:
        """Return the seconds of a batch of this size, or of the largest smaller size that is known; 0 if none is."""
        since = time.monotonic() - VALID
        for kind in range(size.bit_length(), 0, -1):
            if valid := [seconds for when, seconds in self._measured[kind] if when >= since]:
                return max(median(valid[-NEWEST:]), median(valid))
        return 0.0
