"""Batches of sentence pairs as tensors, and the loader that plans them.

The order of the batches depends only on the seed and the epoch, for any number of ranks.
"""

from __future__ import annotations

import math
import zlib
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from nmt.data.encoded import Encoded, Lengths, lengths_of
from nmt.data.word_links import PieceLinks
from nmt.errors import UserError
from nmt.tokens import BOS, PAD

ORDER = 2  # the version of the order that follows from seed and epoch


@dataclass(frozen=True)
class Batch:
    """B padded sentence pairs: ids (B, S) and (B, T), and masks of the same shapes that are True at real tokens.

    `target_in` begins with bos, `target_out` ends with eos, and a source ends with eos. `links` (K, 3) has the links
    between pieces, in a corpus with word alignments: each row is a sentence, a position in its `target_out`, and a
    position in its source. `counts` is False in a process that has no batch left in the epoch. The process gets
    the batch of another one, and its gradient is multiplied by 0.
    """

    source: Tensor
    source_mask: Tensor
    target_in: Tensor
    target_out: Tensor
    target_mask: Tensor
    links: Tensor | None = None
    counts: bool = True

    def to(self, device: torch.device | str) -> Batch:
        """Return the batch with every tensor on `device`."""
        moved: Any = {name: each.to(device) for name, each in vars(self).items() if isinstance(each, Tensor)}
        return replace(self, **moved)

    def part(self, number: int, count: int) -> Batch:
        """Return the pairs `number`, `number + count`, and so on, so that the `count` parts are about equally long."""
        taken: Any = {name: each[number::count] for name, each in vars(self).items() if isinstance(each, Tensor)}
        if self.links is not None:
            own = self.links[self.links[:, 0] % count == number]
            taken["links"] = torch.column_stack((own[:, 0] // count, own[:, 1:]))
        return replace(self, **taken)


def pad(sequences: Sequence[Sequence[int]]) -> tuple[Tensor, Tensor]:
    """Return ids (B, T), padded on the right to the longest sequence, and their bool mask (B, T)."""
    lengths = [len(sequence) for sequence in sequences]
    longest = max(lengths)
    # One call of torch.tensor for all rows, because one call for each row takes longer than the rest of a batch.
    ids = torch.tensor([[*sequence, *[PAD] * (longest - len(sequence))] for sequence in sequences])
    return ids, torch.arange(longest) < torch.tensor(lengths).unsqueeze(1)


def make_batch(
    sources: Sequence[Sequence[int]], targets: Sequence[Sequence[int]], links: Sequence[PieceLinks | None] = ()
) -> Batch:
    """Return the batch of encoded pairs; every source and target already ends with eos.

    All pairs of a corpus have `links`, or none has.
    """
    source, source_mask = pad(sources)
    target_out, target_mask = pad(targets)
    shifted = torch.cat((torch.full((len(targets), 1), BOS), target_out[:, :-1]), dim=1)
    target_in = shifted.masked_fill(~target_mask, PAD)
    return Batch(source, source_mask, target_in, target_out, target_mask, _joined(links))


def _joined(links: Sequence[PieceLinks | None]) -> Tensor | None:
    given = [each for each in links if each is not None]
    if not given:
        return None
    sentences = np.repeat(np.arange(len(given)), [len(each) for each in given])
    return torch.from_numpy(np.column_stack((sentences, np.concatenate(given).astype(np.int64))))


# The plan of an epoch


@dataclass(frozen=True)
class Plan(Sequence[list[int]]):
    """The batches of an epoch: `plan[n]` lists the indices of the pairs in batch n.

    `order` (pairs) holds the pairs from short to long. `starts` (batches + 1) says where each batch begins in `order`.
    `numbers` holds the batches in the order in which they are used. `check` is a checksum of the version of the order,
    the lengths of all pairs, and the batches.
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
    would be more, the budget is raised as little as possible, and if there would be fewer, the batches with the most
    pairs are cut in two.
    """
    longer = np.maximum(source_lengths, target_lengths)
    starts = _starts(longer, budget) if count is None else _counted_starts(longer, budget, count)
    pairs, numbers = np.arange(len(source_lengths), dtype=np.int32), np.arange(len(starts) - 1, dtype=np.int32)
    if rng:
        rng.shuffle(pairs)
        rng.shuffle(numbers)
    check = ORDER
    for array in (source_lengths, target_lengths, starts, numbers):
        check = zlib.crc32(array.tobytes(), check)
    smallest = np.min_scalar_type(longer.max(initial=0))  # NumPy sorts small types in a quarter of the time
    keys = [each[pairs].astype(smallest) for each in (target_lengths, source_lengths, longer)]  # the last comes first
    return Plan(pairs[np.lexsort(keys)], starts, numbers, check)


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

    Raises UserError if there are fewer pairs than batches.
    """

    if len(longer) < count:
        raise UserError(f"data.batch_tokens: an epoch has {len(longer):,} pairs for {count:,} batches; raise it")

    def enough(budget: int) -> bool:
        return len(_starts(longer, budget)) - 1 <= count

    if not enough(budget):  # take the lowest budget that is enough; the highest one makes a single batch
        budget = bisect_left(range(int(longer.max()) * len(longer)), True, budget, key=enough)
    starts = _starts(longer, budget)
    while len(starts) - 1 < count:
        sizes = np.diff(starts)
        largest = int(sizes.argmax())
        starts = np.insert(starts, largest + 1, starts[largest] + sizes[largest] // 2)
    return starts


@dataclass(eq=False)
class BatchLoader:
    """Yields the batches of one rank: of `world_size` successive batches, each rank gets one.

    `pairs` returns the pairs of an epoch.

    The order of the batches does not depend on the number of ranks. So an update has the same pairs as one of a single
    process that accumulates `world_size` batches. In the last update of an epoch there may be fewer batches than ranks.
    Then a rank without a batch of its own gets that of another rank, with `counts=False`.

    The state is the epoch and the number of pairs that all ranks have read in it. Another number of ranks can continue
    from it: no pair of the epoch is lost or read twice.

    With `shuffled=False`, as in validation, batches go from short to long in every epoch. Every epoch has as many
    batches as the first one, so that the trainer can count on it. If the pairs of the epochs differ in length, a
    batch may therefore have slightly more than `batch_tokens` tokens (see `plan_batches`).
    """

    pairs: Callable[[int], Sequence[Encoded]]
    batch_tokens: int
    _: KW_ONLY
    seed: int = 0
    shuffled: bool = True
    rank: int = 0
    world_size: int = 1

    def __post_init__(self) -> None:
        self._epoch = 0
        self.done = 0  # batches of this epoch that were yielded, counted over all ranks
        self._first = 0  # where the next iteration begins: at 0 unless a state was loaded
        # The batches of all ranks in an epoch. Shuffling changes neither their number nor the lengths in them, so that
        # no plan is needed.
        self.total = len(_starts(np.maximum(*lengths_of(self.pairs(0))), self.batch_tokens)) - 1
        self._plan: tuple[int, Plan] | None = None

    def plan(self) -> Plan:
        """Return the batches of all ranks in the current epoch. They are made once in each epoch."""
        if self._plan is None or self._plan[0] != self._epoch:
            self._plan = None  # free the memory of the last epoch first
            rng = np.random.default_rng([self.seed, self._epoch]) if self.shuffled else None
            lengths = lengths_of(self.pairs(self._epoch))
            self._plan = (self._epoch, plan_batches(*lengths, self.batch_tokens, rng, count=self.total))
        return self._plan[1]

    def __len__(self) -> int:
        """Return the number of batches that each rank gets in a complete epoch."""
        return math.ceil(self.total / self.world_size)

    @property
    def left(self) -> int:
        """The number of batches that each rank still gets in this epoch."""
        return math.ceil((self.total - self.done) / self.world_size)

    def __iter__(self) -> Iterator[Batch]:
        plan, pairs, first, self._first = self.plan(), self.pairs(self._epoch), self._first, 0
        for start in range(first, len(plan), self.world_size):
            self.done = min(start + self.world_size, len(plan))
            number = min(start + self.rank, self.done - 1)
            batch = make_batch(*zip(*(pairs[i] for i in plan[number]), strict=True))
            yield batch if number == start + self.rank else replace(batch, counts=False)

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch of the next iteration. A new epoch begins at its first batch."""
        if epoch != self._epoch:
            self._epoch, self.done, self._first = epoch, 0, 0

    def state_dict(self) -> dict[str, int]:
        """Return the epoch, how many of its pairs all ranks have read, their number, and a checksum of the batches."""
        plan = self.plan()
        read = int(plan.ends[self.done - 1]) if self.done else 0
        return {"epoch": self._epoch, "read": read, "pairs": len(plan.order), "check": plan.check}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Continue from `state`, with any number of ranks: the next iteration yields the rest of that epoch.

        Raises UserError if the state is inside an epoch whose batches are no longer the same.
        """
        self._epoch = state["epoch"]
        if state["read"] in (0, state["pairs"]):  # no other batches of that epoch are needed, so they may differ
            self.done = self.total if state["read"] else 0
        elif self.plan().check == state["check"]:
            self.done = int(np.searchsorted(self.plan().ends, state["read"])) + 1
        else:
            raise UserError(
                f"resume: the run stopped inside an epoch of {state['pairs']:,} pairs, whose batches are now other "
                "ones; change data.batch_tokens, data.max_length, data.max_ratio, data.more, filters and "
                "data.subword_sampling back, use the version of this program that began the run, or start "
                "a new run from its weights: init=RUN_FOLDER"
            )
        self._first = self.done
