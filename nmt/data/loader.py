"""Batches with a limit on padded tokens, in an order that depends only on (seed, epoch), for any number of ranks."""

from __future__ import annotations

import math
import zlib
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from nmt.data.batch import Batch, make_batch
from nmt.data.encoded import Encoded, Lengths, lengths_of
from nmt.data.training_pairs import TrainingPairs
from nmt.errors import UserError

ORDER = 2  # the version of the order that follows from seed and epoch
BLOCK = 1 << 20  # pairs whose sort keys are computed at once, to bound temporary memory


@dataclass(frozen=True)
class Plan(Sequence[list[int]]):
    """The batches of an epoch: `[n]` lists the pairs in batch n.

    `order` (pairs) holds the pairs from short to long, `starts` (batches + 1) where each batch begins in it, and
    `numbers` the batches in the order in which they are used. `check` is a checksum of the lengths of all pairs.
    """

    order: NDArray[np.integer]
    starts: NDArray[np.int64]
    numbers: NDArray[np.int32]
    check: int

    def __len__(self) -> int:
        return len(self.numbers)

    @property
    def ends(self) -> NDArray[np.int64]:
        """The number of pairs in the batches up to each batch, itself included."""
        return np.diff(self.starts)[self.numbers].cumsum()

    def __getitem__(self, n: int) -> list[int]:  # type: ignore[override]  # no slices
        number = self.numbers[n]
        pairs: list[int] = self.order[self.starts[number] : self.starts[number + 1]].tolist()
        return pairs


def plan_batches(
    source_lengths: Lengths,
    target_lengths: Lengths,
    budget: int,
    rng: np.random.Generator | None,
    count: int | None = None,
) -> Plan:
    """Return batches of pairs with similar lengths and at most `budget` padded tokens on either side.

    With `rng`, pairs of equal lengths and the batches themselves are shuffled. Without it, batches go from short to
    long. A pair longer than the budget is a batch by itself. With `count`, there are exactly `count` batches: if there
    would be more, the budget is raised as little as possible, and if there would be fewer, the batches with most pairs
    are cut in two.
    """
    longer = np.maximum(source_lengths, target_lengths)
    starts = _starts(longer, budget) if count is None else _counted_starts(longer, budget, count)
    pairs, numbers = np.arange(len(source_lengths), dtype=np.int32), np.arange(len(starts) - 1, dtype=np.int32)
    if rng:
        rng.shuffle(pairs)
        rng.shuffle(numbers)
    check = zlib.crc32(target_lengths.tobytes(), zlib.crc32(source_lengths.tobytes()))
    return Plan(_sort(pairs, source_lengths, target_lengths), starts, numbers, check)


def _starts(longer: Lengths, budget: int) -> NDArray[np.int64]:
    """Return where each batch begins among the pairs sorted by the length of their longer side (batches + 1).

    The last entry is the number of pairs. A batch takes pairs as long as (its pairs) * (its longest side) is at most
    `budget`.
    """
    counts = np.bincount(longer)
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


def _counted_starts(longer: Lengths, budget: int, count: int) -> NDArray[np.int64]:
    """Return where each of exactly `count` batches begins, as `_starts` does, with about this budget.

    There must be at least `count` pairs.
    """
    starts = _starts(longer, budget)
    if len(starts) - 1 > count:
        starts = _starts(longer, _least_budget(longer, budget, count))
    while len(starts) - 1 < count:
        sizes = np.diff(starts)
        largest = int(sizes.argmax())
        starts = np.insert(starts, largest + 1, starts[largest] + sizes[largest] // 2)
    return starts


def _least_budget(longer: Lengths, too_low: int, count: int) -> int:
    """Return the lowest budget that makes at most `count` batches."""

    def enough(budget: int) -> bool:
        return len(_starts(longer, budget)) - 1 <= count

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


def _of_epoch(pairs: Sequence[Encoded] | TrainingPairs, epoch: int) -> Sequence[Encoded]:
    return pairs.of_epoch(epoch) if isinstance(pairs, TrainingPairs) else pairs


def count_batches(pairs: Sequence[Encoded] | TrainingPairs, batch_tokens: int) -> int:
    """Return the number of batches of all ranks in the first epoch.

    Shuffling changes neither the lengths in a batch nor the number of batches, so counting them needs no plan.
    """
    return len(_starts(np.maximum(*lengths_of(_of_epoch(pairs, 0))), batch_tokens)) - 1


class BatchLoader:
    """Yields the batches of one rank: of `world_size` successive batches, each rank gets one.

    The order of the batches does not depend on the number of ranks. So an update has the same pairs as one of a single
    process that accumulates `world_size` batches, also the last update of an epoch, which may have fewer batches than
    ranks. The ranks without a batch then get another one's, with `counts=False`.

    The state is the epoch and the number of pairs that all ranks have read in it. Another number of ranks can continue
    from it: no pair of the epoch is lost or read twice.

    With `shuffled=False`, for validation, batches go from short to long in every epoch. Every epoch has as many batches
    as the first one, so that the trainer can count on it. If the pairs of the epochs differ in length, a batch may
    therefore have slightly more than `batch_tokens` tokens (see `plan_batches`).
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
        self._batches = count_batches(pairs, batch_tokens) if count is None else count
        self._plan: tuple[int, Plan] | None = None

    def plan(self) -> Plan:
        """Return the batches of all ranks in the current epoch. They are made once in each epoch."""
        if self._plan is None or self._plan[0] != self.epoch:
            self._plan = None  # free the memory of the last epoch first
            rng = np.random.default_rng([self.seed, self.epoch]) if self.shuffled else None
            lengths = lengths_of(_of_epoch(self.pairs, self.epoch))
            self._plan = (self.epoch, plan_batches(*lengths, self.batch_tokens, rng, count=self._batches))
        return self._plan[1]

    def __len__(self) -> int:
        """Return the number of batches that each rank gets in a complete epoch."""
        return math.ceil(self._batches / self.world_size)

    @property
    def left(self) -> int:
        """The number of batches that each rank still gets in this epoch."""
        return math.ceil((self._batches - self.done) / self.world_size)

    def __iter__(self) -> Iterator[Batch]:
        batches, pairs, first, self._first = self.plan(), _of_epoch(self.pairs, self.epoch), self._first, 0
        for start in range(first, len(batches), self.world_size):
            self.done = min(start + self.world_size, len(batches))
            number = min(start + self.rank, self.done - 1)
            batch = make_batch(*zip(*(pairs[i] for i in batches[number]), strict=True))
            yield batch if number == start + self.rank else replace(batch, counts=False)

    def set_epoch(self, epoch: int) -> None:
        """Order the batches for `epoch`; a new epoch begins at its first batch."""
        if epoch != self.epoch:
            self.epoch, self.done, self._first = epoch, 0, 0

    def state_dict(self) -> dict[str, int]:
        """Return the epoch, the pairs read in it by all ranks, and what the order of its pairs depends on."""
        plan = self.plan()
        ends = plan.ends
        read, pairs = int(ends[self.done - 1]) if self.done else 0, int(ends[-1])
        about = {"pairs": pairs, "batches": len(ends), "check": plan.check, "order": ORDER}
        return {"epoch": self.epoch, "read": read, **about}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Continue from `state`, with any number of ranks: the next iteration yields the rest of that epoch.

        Raises UserError if the state is inside an epoch and the order of its pairs is no longer the same.
        """
        self.epoch = state["epoch"]
        if state["read"] in (0, state["pairs"]):  # no other batches of that epoch are needed, so they may differ
            self.done = self._batches if state["read"] else 0
        else:
            self.done = self._place(state)
        self._first = self.done

    def _place(self, state: dict[str, int]) -> int:
        """Return the number of batches that hold the pairs read."""
        if (order := state["order"]) != ORDER:
            raise UserError(
                "resume: the run stopped inside an epoch whose batches another version of this program has ordered "
                f"(got order {order}, expected {ORDER}); resume it with that version, or start a new run from its "
                "weights: init=RUN_FOLDER"
            )
        plan = self.plan()
        ends = plan.ends
        done = int(np.searchsorted(ends, state["read"])) + 1
        before, now = (state["pairs"], state["batches"]), (int(ends[-1]), len(ends))
        other = state.get("check", plan.check) != plan.check  # older states have no checksum
        if other or before != now or ends[done - 1] != state["read"]:
            raise UserError(
                f"resume: the run stopped inside an epoch of {before[0]:,} pairs in {before[1]:,} batches, but the "
                f"settings now make other ones ({now[0]:,} in {now[1]:,}); change data.batch_tokens, data.max_length, "
                "data.max_ratio, data.filters, data.subword_sampling and augment back, or start a new run"
            )
        return done
