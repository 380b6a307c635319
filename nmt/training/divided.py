"""Divides a training batch among the threads of a CPU."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from typing import Any

import torch
from torch import Tensor

from nmt.data.batches import Batch
from nmt.models.layers import draws
from nmt.models.seq2seq import Seq2Seq
from nmt.training.objectives.base import Objective, Sums

FEWEST = 400  # padded target tokens of a part


class Divided:
    """Computes `Objective.training_sums` of a batch. On a CPU, each thread computes those of a part of the sentences.

    A thread computes the gradients of its part too, so the threads wait for each other once an update. Threads that
    divide each matrix product wait after each product, which takes much longer beside a busy program.

    A part has a random generator of its own, seeded by torch's. If the model draws from torch's generator all the
    same, batches stay whole: the order of its draws in several threads would depend on chance.
    """

    def __init__(self, model: Seq2Seq, objective: Objective) -> None:
        self.model, self.objective = model, objective
        self.threads = torch.get_num_threads()
        self._pool = ThreadPoolExecutor(self.threads)
        self._tried = False

    def __call__(self, batch: Batch) -> tuple[Tensor, Sequence[Sums]]:
        """Return the loss of `batch`, for one backward pass, and the sums of each part."""
        count = min(self.threads, len(batch.source), batch.target_out.numel() // FEWEST)
        if count < 2 or batch.source.device.type != "cpu":
            sums = self.objective.training_sums(self.model, batch)
            return sums.loss, [sums]
        parameters = [each for each in self.model.parameters() if each.requires_grad]
        lower = torch.get_autocast_dtype("cpu") if torch.is_autocast_enabled("cpu") else None

        def compute(number: int, seed: int) -> tuple[Sums, Sequence[Tensor | None]]:
            torch.set_num_threads(self.threads // count)  # of this part: 1, unless there are more threads than parts
            draws.generator = torch.Generator().manual_seed(seed)
            with torch.autocast("cpu", lower, enabled=lower is not None):
                sums = self.objective.training_sums(self.model, batch.part(number, count))
            return sums, torch.autograd.grad(sums.loss, parameters, allow_unused=True)

        if not self._tried:
            state = torch.get_rng_state()
            self._pool.submit(compute, 0, 0).result()
            self._tried, draws_itself = True, not torch.equal(state, torch.get_rng_state())
            torch.set_rng_state(state)
            if draws_itself:
                self.threads = 1
                return self(batch)
        seeds = torch.randint(2**62, (count,)).tolist()
        parts, gradients = zip(*self._pool.map(compute, range(count), seeds), strict=True)
        loss = sum(each.loss.detach() for each in parts)
        return _Loss.apply(loss, [*map(_sum, *gradients)], *parameters), parts  # type: ignore[no-untyped-call]


class _Loss(torch.autograd.Function):
    """A loss whose gradients are known."""

    @staticmethod
    def forward(ctx: Any, loss: Tensor, gradients: Sequence[Tensor | None], *parameters: Tensor) -> Tensor:
        ctx.gradients = gradients
        return loss

    @staticmethod
    def backward(ctx: Any, factor: Tensor) -> tuple[Tensor | None, ...]:
        return None, None, *(None if each is None else each.mul_(factor) for each in ctx.gradients)


def _sum(*gradients: Tensor | None) -> Tensor | None:
    given = [each for each in gradients if each is not None]
    return reduce(Tensor.add_, given) if given else None
