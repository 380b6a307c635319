"""What attention costs: the time of a model's work, and the time and memory of the scores, by the length."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import torch
from torch import Tensor
from torch.autograd.graph import saved_tensors_hooks

from nmt.config.compose import compose
from nmt.lab.claims.claim import Claim, Contrast, Curves, Lines, PerSeed, Runs, Table, minus
from nmt.lab.claims.models import LANGUAGE, recurrent, untrained
from nmt.lab.claims.parts import BASELINE, SCORES, score_setting
from nmt.models.attention.base import Attention
from nmt.models.seq2seq import Seq2Seq
from nmt.system.process import one_thread

VOCABULARY = 500
LENGTHS = (10, 25, 100, 250, 1000)
LONGEST = str(LENGTHS[-1])
TOKENS, REPEATS = 2000, 10
DEVICES = {"cpu": "", "cuda": " (GPU)"}  # and how a line on that device is marked
COSTLY = "additive"
SENTENCES, STEPS, WIDTH = 4, 10, 128


class Parallel(Claim):
    """Time of an update and of a translation by the length of the sentences, at the same number of tokens."""

    name = "parallel"
    numbers: ClassVar[Mapping[str, object]] = {
        "tokens": f"{TOKENS:,}",
        "repeats": REPEATS,
        "shortest": LENGTHS[0],
        "longest": f"{LENGTHS[-1]:,}",
    }

    def measure(self, runs: Runs) -> Curves:
        lines = {}
        for device, where in DEVICES.items():
            if device == "cuda" and not torch.cuda.is_available():
                continue
            for name in ("Bahdanau", "Transformer"):
                model = untrained(compose("train", list(LANGUAGE[name]))["model"], VOCABULARY, seed=1).to(device)
                for work, run in (("training", _update), ("decoding", _decode)):
                    with one_thread():
                        lines[f"{name}, {work}{where}"] = _growth(model, run, device)
        return Curves(self.text("length"), self.text("time"), lines)

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        found = []
        for where in DEVICES.values():
            if f"Bahdanau, training{where}" in lines:
                recurrent, transformer, decoding = (
                    lines[f"{name}{where}"][LONGEST]
                    for name in ("Bahdanau, training", "Transformer, training", "Transformer, decoding")
                )
                named = {"training": minus(recurrent, transformer), "decoding": minus(decoding, transformer)}
                found += [Contrast(self.text(name, where=where), values) for name, values in named.items()]
        return tuple(found)


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


def _growth(model: Seq2Seq, run: Callable[[Seq2Seq, Tensor], None], device: str) -> dict[str, tuple[float, ...]]:
    """Return the time at each length, divided by the time at the shortest, for each repetition."""
    seconds: dict[int, list[float]] = {length: [] for length in LENGTHS}
    for repeat in range(REPEATS + 1):
        for length in LENGTHS:
            batch = torch.randint(5, VOCABULARY, (TOKENS // length, length), device=device)
            start = time.perf_counter()
            run(model, batch)
            if device == "cuda":
                torch.cuda.synchronize()
            if repeat:  # the first is a warm-up
                seconds[length].append(time.perf_counter() - start)
    shortest = seconds[LENGTHS[0]]
    return {
        str(length): tuple(own / other for own, other in zip(each, shortest, strict=True))
        for length, each in seconds.items()
    }


def _update(model: Seq2Seq, batch: Tensor) -> None:
    model.train()
    hidden, _ = model(batch, torch.ones_like(batch, dtype=torch.bool), batch)
    model.decoder.output(hidden).logsumexp(-1).sum().backward()


@torch.inference_mode()
def _decode(model: Seq2Seq, batch: Tensor) -> None:
    model.eval()
    state = model.start(batch, torch.ones_like(batch, dtype=torch.bool))
    for step in range(batch.shape[1]):
        _, state = model.step(batch[:, step], state)


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
