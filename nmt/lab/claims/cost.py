"""What the scores of attention cost: time and memory, by the length of the source."""

from __future__ import annotations

import random
import time
from collections.abc import Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks

from nmt.config.compose import compose
from nmt.lab.claims.claim import Claim, Contrast, Curves, Lines, PerSeed, Runs, Table
from nmt.lab.claims.models import recurrent, untrained
from nmt.lab.claims.parts import BASELINE, SCORES, score_setting
from nmt.lab.claims.untrained import LENGTHS, LONGEST, REPEATS
from nmt.models.attention.base import Attention
from nmt.system.process import one_thread

COSTLY = "additive"
SENTENCES, STEPS, WIDTH = 4, 10, 128


class Cost(Claim):
    """Time and memory of the steps of a decoder's attention, forward and backward."""

    name = "cost"
    numbers: ClassVar[Mapping[str, object]] = {
        "sentences": SENTENCES,
        "steps": STEPS,
        "width": WIDTH,
        "repeats": REPEATS,
        "longest": f"{LENGTHS[-1]:,}",
    }

    def measure(self, runs: Runs) -> Curves:
        attentions = {score: _attention(score) for score in SCORES}
        lines: dict[str, dict[str, PerSeed]] = {score: {str(length): () for length in LENGTHS} for score in attentions}
        draw = random.Random(1)
        with one_thread():
            for repeat in range(REPEATS + 1):
                for score in draw.sample(SCORES, len(SCORES)):
                    for length in LENGTHS:
                        found = _milliseconds(attentions[score], length)
                        if repeat:  # the first is a warm-up
                            lines[score][str(length)] += (found,)
        encoded = _encoded(LENGTHS[-1])
        memory = {
            f"memory, {score}": (saved_bytes(attention, encoded) / 2**20,) for score, attention in attentions.items()
        }
        return Curves(self.text("words"), self.text("milliseconds"), lines, more=memory)

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        both = zip(lines[COSTLY][LONGEST], lines[BASELINE][LONGEST], strict=True)
        slower = tuple(costly / cheap - 1 for costly, cheap in both)
        return (Contrast(self.text("slower", costly=COSTLY, cheap=BASELINE), slower),)

    def table(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> Table:
        """Return time and memory of each score for the longest source."""
        rows = {score: (lines[score][LONGEST], more[f"memory, {score}"]) for score in SCORES}
        return Table([self.text("milliseconds"), self.text("mebibytes")], rows)


def _attention(score: str) -> Attention[Any]:
    model = compose("train", [*recurrent(0), *score_setting(score)])["model"]
    attention = untrained(model, vocabulary=10, seed=1).decoder.attention
    assert isinstance(attention, Attention)
    return attention


def _encoded(length: int) -> Tensor:
    return torch.randn(SENTENCES, length, WIDTH, requires_grad=True)


def _milliseconds(attention: Attention[Any], length: int) -> float:
    encoded = _encoded(length)
    start = time.perf_counter()
    torch.autograd.grad(_attend(attention, encoded), [encoded, *attention.parameters()])
    return 1000 * (time.perf_counter() - start)


def _attend(attention: Attention[Any], encoded: Tensor) -> Tensor:
    """Return the sum of the contexts of all steps: one query after the other, as input feeding needs it."""
    memory = attention.prepare(encoded, torch.ones(encoded.shape[:2], dtype=torch.bool))
    state, total = attention.init_state(memory), torch.zeros(())
    for query in torch.randn(STEPS, len(encoded), 1, attention.query_width, requires_grad=True):
        context, _, state = attention(query, memory, state)
        total = total + context.sum()
    return total


def saved_bytes(attention: Attention[Any], encoded: Tensor) -> int:
    """Return the bytes of all tensors that the backward pass needs, parameters included, each storage once."""
    storages = {}

    def keep(tensor: Tensor) -> Tensor:
        storage = tensor.untyped_storage()
        storages[storage.data_ptr()] = storage.nbytes()
        return tensor

    with saved_tensors_hooks(keep, lambda tensor: tensor):
        _attend(attention, encoded)
    return sum(storages.values())
