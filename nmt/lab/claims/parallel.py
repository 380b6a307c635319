"""Recurrent networks are trained step by step, attention all at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import ClassVar

import torch
from torch import Tensor

from nmt.config.compose import compose
from nmt.lab.claims.claim import Claim, Contrast, Curves, Lines, PerSeed, Runs, minus
from nmt.lab.claims.models import BAHDANAU, TRANSFORMER, untrained
from nmt.models.seq2seq import Seq2Seq
from nmt.models.trial import one_thread

LENGTHS = (10, 20, 40, 80, 160)
TOKENS, VOCABULARY, REPEATS = 1600, 500, 5
DEVICES = {"cpu": "", "cuda": " (GPU)"}  # and how a line on that device is marked


class Parallel(Claim):
    """Time of an update and of a translation by the length of the sentences, at the same number of tokens."""

    name = "parallel"
    numbers: ClassVar[Mapping[str, object]] = {"tokens": f"{TOKENS:,}", "repeats": REPEATS}

    def measure(self, runs: Runs) -> Curves:
        lines = {}
        for device, where in DEVICES.items():
            if device == "cuda" and not torch.cuda.is_available():
                continue
            for name, settings in (("Bahdanau", BAHDANAU), ("Transformer", TRANSFORMER)):
                model = untrained(compose("train", list(settings))["model"], VOCABULARY, seed=1).to(device)
                for work, run in (("training", _update), ("decoding", _decode)):
                    with one_thread():
                        lines[f"{name}, {work}{where}"] = _growth(model, run, device)
        return Curves(
            self.text("length"),
            self.text("time"),
            lines,
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        return tuple(
            self._contrast(lines, work, where)
            for where in DEVICES.values()
            if f"Bahdanau, training{where}" in lines
            for work in ("training", "decoding")
        )

    def _contrast(self, lines: Lines[str], work: str, where: str) -> Contrast:
        """Return how much more the time of the recurrent network grows with the length than the Transformer's."""
        longest = str(LENGTHS[-1])
        return Contrast(
            self.text("longer", longest=longest, shortest=LENGTHS[0], work=self.text(work), where=where),
            minus(lines[f"Bahdanau, {work}{where}"][longest], lines[f"Transformer, {work}{where}"][longest]),
        )


def _growth(model: Seq2Seq, run: Callable[[Seq2Seq, Tensor], None], device: str) -> dict[str, tuple[float, ...]]:
    """Return the time at each length over that of the shortest, for each repetition."""
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
