"""Batches of similar length, which workers compute side by side: threads of Python, each with one thread of torch."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

import torch

from nmt.system.process import one_thread

Item = TypeVar("Item")
Result = TypeVar("Result")
PADDED = 1.05  # tokens of a batch, with padding, for each real one
_own = threading.local()


def in_batches(
    items: Sequence[Item],
    lengths: Sequence[int],
    size: int,
    compute: Callable[[list[Item]], Sequence[Result]],
    workers: int,
    done: Callable[[list[Item]], object] = lambda batch: None,
) -> list[Result]:
    """Return what `compute` returns for each item, in order. It gets the items in batches of `size` padded tokens.

    Several `workers` call it at the same time, and share `size`. Torch has one thread in each, because threads that
    share an operation wait for each other at its end. If the caller is in inference mode, so are they. After an error
    or Ctrl-C, they end at the next call of a `stoppable` function. The caller's thread gives each batch to `done`.
    """
    if workers > 1:  # each gets as many batches as the others, and all batches have the same size
        total = PADDED * sum(lengths)
        batches_of_each = total // max(1, size) + 1
        # Smaller batches would be slower: only one worker at a time executes Python.
        size = max(size // 10, int(total / workers / batches_of_each))
    stopped, inference = threading.Event(), torch.is_inference_mode_enabled()

    def start() -> None:
        torch.set_num_threads(1)
        _own.stopped = stopped

    def computed(batch: list[Item]) -> Sequence[Result]:
        with torch.inference_mode(inference):
            return compute(batch)

    places = list(batches_by_length(lengths, size))
    batches = [[items[index] for index in indices] for indices in places]
    results: dict[int, Result] = {}
    with one_thread(), ThreadPoolExecutor(workers, initializer=start) as pool:
        try:
            found = (pool.map if min(workers, len(batches)) > 1 else map)(computed, batches)
            for indices, batch, values in zip(places, batches, found, strict=True):
                results |= zip(indices, values, strict=True)
                done(batch)
        finally:
            stopped.set()
    return [results[index] for index in range(len(items))]


def stoppable(function: Callable[..., Result]) -> Callable[..., Result]:
    """Return a function that does the same, but raises an error in a worker for whose result nobody waits."""

    def checked(*arguments: Any) -> Result:
        if (stopped := getattr(_own, "stopped", None)) and stopped.is_set():
            raise RuntimeError("this worker was stopped, because its caller has ended")
        return function(*arguments)

    return checked


def batches_by_length(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Yield the indices of `lengths` in batches of similar length, longest first, to see a lack of memory at once.

    A batch has at most `budget` padded tokens, but at least one sentence.
    """
    batch: list[int] = []
    for index in sorted(range(len(lengths)), key=lambda i: -lengths[i]):
        if batch and lengths[batch[0]] * (len(batch) + 1) > budget:
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch
