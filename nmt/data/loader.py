"""Batches by a budget of padded tokens, in an order that (seed, epoch) decides for all ranks."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from nmt.data.batch import Batch, make_batch
from nmt.errors import UserError

Encoded = tuple[list[int], list[int]]


def plan_batches(lengths: Sequence[tuple[int, int]], budget: int, order: random.Random | None) -> list[list[int]]:
    """Return the indices of each batch: neighbours in both lengths, at most `budget` padded tokens on either side.

    With `order`, equal lengths and the batches themselves are shuffled; without it pairs go from short to long. A pair
    longer than the budget is a batch of its own.
    """
    if budget < 1:
        raise ValueError(f"batch_tokens: got {budget}, expected at least 1")
    indices = list(range(len(lengths)))
    if order:
        order.shuffle(indices)
    indices.sort(key=lambda i: (max(lengths[i]), lengths[i]))
    batches: list[list[int]] = []
    widest = 0
    for i in indices:
        widest = max(widest, *lengths[i])
        if not batches or (len(batches[-1]) + 1) * widest > budget:
            batches.append([])
            widest = max(lengths[i])
        batches[-1].append(i)
    if order:
        order.shuffle(batches)
    return batches


class BatchLoader:
    """Yields the batches of one rank; its state is the epoch and the number of global batches done in it.

    Every rank gets the same number of batches: those left over at the end of an epoch, fewer than the ranks, are
    dropped. `shuffle=False` is for validation: short to long, always the same, and nothing dropped on a single rank.
    """

    def __init__(
        self,
        pairs: Sequence[Encoded],
        batch_tokens: int,
        *,
        seed: int = 0,
        shuffle: bool = True,
        rank: int = 0,
        world_size: int = 1,
    ) -> None:
        self.pairs = pairs
        self.batch_tokens = batch_tokens
        self.seed = seed
        self.shuffle = shuffle
        self.rank = rank
        self.world_size = world_size
        self.epoch = 0
        self.done = 0  # global batches of this epoch that were handed out
        self._first = 0  # where the next iteration begins: at 0 unless a state was loaded
        self._lengths = [(len(source), len(target)) for source, target in pairs]
        self._plan: tuple[int, list[list[int]]] | None = None

    def plan(self) -> list[list[int]]:
        """Return the indices of every global batch of the current epoch, a multiple of the world size of them."""
        if self._plan is None or self._plan[0] != self.epoch:
            order = random.Random(f"{self.seed} {self.epoch}") if self.shuffle else None
            batches = plan_batches(self._lengths, self.batch_tokens, order)
            if self.shuffle:
                batches = batches[: len(batches) // self.world_size * self.world_size]
            self._plan = (self.epoch, batches)
        return self._plan[1]

    def __len__(self) -> int:
        """Return the number of batches that this rank gets in a whole epoch."""
        return len(range(self.rank, len(self.plan()), self.world_size))

    def __iter__(self) -> Iterator[Batch]:
        batches, self.done, self._first = self.plan(), self._first, 0
        for number in range(self.done + self.rank, len(batches), self.world_size):
            self.done = number - self.rank + self.world_size
            yield self._make(batches[number])

    def _make(self, indices: list[int]) -> Batch:
        return make_batch([self.pairs[i][0] for i in indices], [self.pairs[i][1] for i in indices], indices)

    def set_epoch(self, epoch: int) -> None:
        """Order the batches for `epoch`; a new epoch begins at its first batch."""
        if epoch != self.epoch:
            self.epoch, self.done, self._first = epoch, 0, 0

    def state_dict(self) -> dict[str, int]:
        """Return where the loader stands, and in how many batches for how many ranks, as plain numbers."""
        return {"epoch": self.epoch, "done": self.done, "batches": len(self.plan()), "ranks": self.world_size}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """Go on from `state`; the next iteration yields what was left of that epoch.

        Raises UserError in mid-epoch where the batches are others than those that the state counts.
        """
        self.epoch, self.done = state["epoch"], state["done"]
        now = (len(self.plan()), self.world_size)
        before = (state.get("batches", now[0]), state.get("ranks", now[1]))
        if self.done and before != now:
            raise UserError(
                f"resume: the run stopped inside an epoch of {before[0]} batches for {before[1]} processes, but the "
                f"settings now make {now[0]} for {now[1]}; change data.batch_tokens, data.max_length, data.max_ratio "
                "and trainer.devices back, or start a new run"
            )
        self._first = self.done
