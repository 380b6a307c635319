"""Batches with a limit on padded tokens, in an order that depends only on (seed, epoch) and is equal on all ranks."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nmt.data.batch import Batch, make_batch
from nmt.data.encoded import Encoded, EncodedPairs
from nmt.data.training_pairs import TrainingPairs
from nmt.errors import UserError

ORDER = 2  # the version of the order that follows from seed and epoch
BLOCK = 1 << 20  # pairs whose sort keys are computed at once, to bound temporary memory

Lengths = NDArray[np.int32]


@dataclass(frozen=True)
class Plan(Sequence[list[int]]):
    """The batches of an epoch: `[n]` lists the pairs in batch n.

    `order` (pairs) holds the pairs from short to long, `starts` (batches + 1) where each batch begins in it, and
    `numbers` the batches in the order in which they are used.
    """

    order: NDArray[np.integer]
    starts: NDArray[np.int64]
    numbers: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, n: int) -> list[int]:  # type: ignore[override]  # no slices
        number = self.numbers[n]
        pairs: list[int] = self.order[self.starts[number] : self.starts[number + 1]].tolist()
        return pairs


def plan_batches(
    source_lengths: Lengths,
    target_lengths: Lengths,
    budget: int,
    rng: np.random.Generator | None,
    ranks: int = 1,
    count: int | None = None,
) -> Plan:
    """Return batches of pairs with similar lengths and at most `budget` padded tokens on either side.

    With `rng`, pairs of equal lengths and the batches themselves are shuffled, and the last batches are dropped so that
    all `ranks` get the same number. Without it, batches go from short to long. A pair longer than the budget is a batch
    by itself. With `count`, there are exactly `count` batches before any is dropped: if there would be more, the budget
    is raised as little as possible, and if there would be fewer, the batches with most pairs are cut in two.
    """
    if count is None:
        starts = batch_starts(source_lengths, target_lengths, budget)
    else:
        starts = counted_starts(source_lengths, target_lengths, budget, count)
    pairs, numbers = np.arange(len(source_lengths), dtype=np.int32), np.arange(len(starts) - 1, dtype=np.int32)
    if rng:
        rng.shuffle(pairs)
        rng.shuffle(numbers)
        numbers = numbers[: len(numbers) // ranks * ranks]
    return Plan(_sort(pairs, source_lengths, target_lengths), starts, numbers)


def batch_starts(source_lengths: Lengths, target_lengths: Lengths, budget: int) -> NDArray[np.int64]:
    """Return where each batch begins among the pairs sorted by their longer side (batches + 1).

    The last entry is the number of pairs. A batch takes pairs as long as (its pairs) * (its longest side) is at most
    `budget`.
    """
    counts = np.bincount(np.maximum(source_lengths, target_lengths))
    starts = [np.zeros(1, np.int64)]
    group_start = 0
    for length in np.flatnonzero(counts).tolist():
        group_end, size = group_start + int(counts[length]), max(1, budget // length)
        # The last batch also takes pairs of this length, until it holds `size` pairs.
        full = max(group_start, int(starts[-1][-1]) + size)
        if full < group_end:
            starts.append(np.arange(full, group_end, size))
        group_start = group_end
    return np.unique(np.concatenate([*starts, [group_start]]))  # without pairs, unique removes the second 0


def counted_starts(source_lengths: Lengths, target_lengths: Lengths, budget: int, count: int) -> NDArray[np.int64]:
    """Return where each of exactly `count` batches begins, as `batch_starts` does, with about this budget.

    There must be at least `count` pairs.
    """

    starts = batch_starts(source_lengths, target_lengths, budget)
    if len(starts) - 1 > count:
        budget = _least_budget(source_lengths, target_lengths, budget, count)
        starts = batch_starts(source_lengths, target_lengths, budget)
    while len(starts) - 1 < count:
        sizes = np.diff(starts)
        largest = int(sizes.argmax())
        starts = np.insert(starts, largest + 1, starts[largest] + sizes[largest] // 2)
    return starts


def _least_budget(source_lengths: Lengths, target_lengths: Lengths, too_low: int, count: int) -> int:
    """Return the lowest budget that makes at most `count` batches."""

    def enough(budget: int) -> bool:
        return len(batch_starts(source_lengths, target_lengths, budget)) - 1 <= count

    high = 2 * too_low
    while not enough(high):
        high *= 2
    return bisect_left(range(high), True, too_low, key=enough)


def _sort(pairs: NDArray[np.int32], source_lengths: Lengths, target_lengths: Lengths) -> NDArray[np.int32]:
    """Return `pairs` sorted by (longer side, source, target); pairs of equal lengths keep their order.

    Each key and its position are packed into one integer. Sorting these takes half the time and memory of a lexsort.
    """
    position_bits = len(pairs).bit_length()
    length_bits = (63 - position_bits - 1) // 2
    keys = np.empty(len(pairs), np.int64)
    for start in range(0, len(pairs), BLOCK):
        block = pairs[start : start + BLOCK]
        source, target = source_lengths[block].astype(np.int64), target_lengths[block].astype(np.int64)
        longer = np.maximum(source, target)
        assert not longer.max() >> length_bits, "a key has 64 bits"
        # Pairs of equal longer side: those with the shorter source come first, by source; then the others, by target.
        second = np.where(source < longer, source, longer + target)
        position = np.arange(start, start + len(block))
        keys[start : start + BLOCK] = (longer << length_bits + 1 | second) << position_bits | position
    keys.sort()
    keys &= (1 << position_bits) - 1
    return pairs[keys]


def _lengths(pairs: Sequence[Encoded]) -> tuple[Lengths, Lengths]:
    if isinstance(pairs, EncodedPairs):
        return pairs.source_lengths, pairs.target_lengths
    lengths = np.array([(len(pair.source), len(pair.target)) for pair in pairs], np.int32).reshape(-1, 2)
    return lengths[:, 0], lengths[:, 1]


def _of_epoch(pairs: Sequence[Encoded] | TrainingPairs, epoch: int) -> Sequence[Encoded]:
    return pairs.of_epoch(epoch) if isinstance(pairs, TrainingPairs) else pairs


def count_batches(pairs: Sequence[Encoded] | TrainingPairs, batch_tokens: int) -> int:
    """Return the number of batches of all ranks in the first epoch, before any is dropped.

    Shuffling changes neither the lengths in a batch nor the number of batches, so counting them needs no plan.
    """
    return len(batch_starts(*_lengths(_of_epoch(pairs, 0)), batch_tokens)) - 1


class BatchLoader:
    """Yields the batches of one rank. Its state is the epoch and the number of batches that all ranks have done in it.

    If shuffled, every rank gets the same number of batches: at the end of an epoch, up to `world_size` - 1 batches are
    dropped. With `shuffled=False`, for validation, batches go from short to long in every epoch, and none is dropped.

    Every epoch has as many batches as the first one, so that the trainer can count on it. If the pairs of the epochs
    differ in length, a batch may therefore have slightly more than `batch_tokens` tokens (see `plan_batches`).
    """

    def __init__(
        self,
        pairs: Sequence[Encoded] | TrainingPairs,
        batch_tokens: int,
        *,
        seed: int = 0,
        shuffled: bool = True,
        rank: int = 0,
        world_size: int = 1,
        count: int | None = None,
    ) -> None:
        """Take the pairs, and the number of batches in their first epoch if it was counted before (`count_batches`)."""
        self.pairs = pairs
        self.batch_tokens = batch_tokens
        self.seed = seed
        self.shuffled = shuffled
        self.rank = rank
        self.world_size = world_size
        self.epoch = 0
        self.done = 0  # batches of this epoch that were yielded, counted over all ranks
        self._first = 0  # where the next iteration begins: at 0 unless a state was loaded
        self._planned = count_batches(pairs, batch_tokens) if count is None else count
        self._batches = self._planned - (self._planned % world_size if shuffled else 0)
        self._plan: tuple[int, Plan] | None = None

    def plan(self) -> Plan:
        """Return the batches of all ranks in the current epoch. They are made once in each epoch."""
        if self._plan is None or self._plan[0] != self.epoch:
            self._plan = None  # free the memory of the last epoch first
            rng = np.random.default_rng([self.seed, self.epoch]) if self.shuffled else None
            lengths = _lengths(_of_epoch(self.pairs, self.epoch))
            plan = plan_batches(*lengths, self.batch_tokens, rng, self.world_size, count=self._planned)
            self._plan = (self.epoch, plan)
        return self._plan[1]

    def __len__(self) -> int:
        """Return the number of batches that this rank gets in a complete epoch."""
        return len(range(self.rank, self._batches, self.world_size))

    def __iter__(self) -> Iterator[Batch]:
        batches, pairs, self.done, self._first = self.plan(), _of_epoch(self.pairs, self.epoch), self._first, 0
        for number in range(self.done + self.rank, len(batches), self.world_size):
            self.done = number - self.rank + self.world_size
            yield make_batch(*zip(*(pairs[i] for i in batches[number]), strict=True))

    def set_epoch(self, epoch: int) -> None:
        """Order the batches for `epoch`; a new epoch begins at its first batch."""
        if epoch != self.epoch:
            self.epoch, self.done, self._first = epoch, 0, 0

    def state_dict(self) -> dict[str, int]:
        """Return the epoch, the batches done in it, their number, the ranks and the version of the order."""
        numbers = {"batches": self._batches, "ranks": self.world_size, "order": ORDER}
        return {"epoch": self.epoch, "done": self.done, **numbers}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Continue from `state`: the next iteration yields the rest of that epoch.

        Raises UserError if the state is inside an epoch and the order of its batches, their number or that of the
        ranks is no longer the same.
        """
        self.epoch, self.done = state["epoch"], state["done"]
        before, now = (state["batches"], state["ranks"]), (self._batches, self.world_size)
        if self.done == state["batches"]:  # that epoch is complete, so a different number of batches does not matter
            self.done = self._batches
        elif self.done and (order := state.get("order", 1)) != ORDER:
            raise UserError(
                "resume: the run stopped inside an epoch whose batches another version of this program has ordered "
                f"(got order {order}, expected {ORDER}); resume it with that version, or start a new run from its "
                "weights: init=RUN_FOLDER"
            )
        elif self.done and before != now:
            raise UserError(
                f"resume: the run stopped inside an epoch of {before[0]} batches for {before[1]} processes, but the "
                f"settings now make {now[0]} for {now[1]}; change data.batch_tokens, data.max_length, data.max_ratio, "
                "data.filters, data.subword_sampling and trainer.devices back, or start a new run"
            )
        self._first = self.done
