"""How long the models take for a batch, judged by the latest ones."""

from __future__ import annotations

import time
from collections import defaultdict, deque
from functools import partial
from statistics import median

LATEST, SOONER = 20, 5  # batches of about one size whose median counts
VALID = 60.0  # seconds that a measurement counts; after a pause, the machine may be faster again


class Pace:
    """The seconds of a batch by its size, measured on the latest batches of about this size.

    Sizes differ in a factor below two if they are "about" the same. A large batch takes far less time for each sentence
    than a small one. So nothing is concluded from small batches about large ones, except that these take no less time.
    Of the medians of the latest 5 and the latest 20 batches, the larger one counts: a few fast batches let nobody in,
    and a machine that becomes slow is noticed soon.
    """

    def __init__(self) -> None:
        self._measured: dict[int, deque[tuple[float, float]]] = defaultdict(partial(deque, maxlen=LATEST))

    def note(self, size: int, seconds: float) -> None:
        """Note that a batch of this size took so many seconds."""
        self._measured[size.bit_length()].append((time.monotonic(), seconds))

    def seconds(self, size: int) -> float:
        """Return how long a batch of this size takes, or what is known of smaller ones; 0 if nothing is."""
        since = time.monotonic() - VALID
        for kind in range(size.bit_length(), 0, -1):
            if valid := [seconds for when, seconds in self._measured[kind] if when >= since]:
                return max(median(valid[-SOONER:]), median(valid))
        return 0.0
