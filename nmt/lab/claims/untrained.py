"""Claims about models before training: the gradient of an early word, and the time of a step by the length."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from nmt.config.compose import compose
from nmt.lab.claims.claim import NO_ATTENTION, Claim, Contrast, Curves, Lines, PerSeed, Runs, gained_by_attention, minus
from nmt.lab.claims.models import LANGUAGE, LEFT_TO_RIGHT, untrained
from nmt.models.seq2seq import Seq2Seq
from nmt.system.process import one_thread

VOCABULARY = 500
DISTANCES = (0, 5, 10, 20, 40)  # from the first word of the source to its last
SENTENCES = 100
SEEDS = (1, 2, 3, 4, 5)
SYSTEMS = {name: (*model, *LEFT_TO_RIGHT) if name != "Transformer" else model for name, model in LANGUAGE.items()}
LENGTHS = (10, 25, 100, 250, 1000)
LONGEST = str(LENGTHS[-1])
TOKENS, REPEATS = 2000, 10
DEVICES = {"cpu": "", "cuda": " (GPU)"}  # and how a line on that device is marked


class Gradient(Claim):
    """The gradient of the loss with respect to the first word, by its distance to the end; nothing is trained."""

    name = "gradient"
    numbers: ClassVar[Mapping[str, object]] = {"sentences": SENTENCES, "seeds": len(SEEDS)}

    def measure(self, runs: Runs) -> Curves:
        return Curves(
            self.text("distance"),
            self.text("norm"),
            {name: _by_distance(settings) for name, settings in SYSTEMS.items()},
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        *_, farthest = lines[NO_ATTENTION]
        return gained_by_attention(
            {name: line[farthest] for name, line in lines.items()},
            self.text("gradient", farthest=farthest),
        )


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
        return Curves(
            self.text("length"),
            self.text("time"),
            lines,
        )

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


def _by_distance(settings: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """Return the gradient at each distance, divided by the gradient at the shortest, for each seed."""
    model_settings = compose("train", list(settings))["model"]
    found: dict[str, list[float]] = {str(distance): [] for distance in DISTANCES}
    for seed in SEEDS:
        model = untrained(model_settings, VOCABULARY, seed).eval()
        norms = [_gradient(model, torch.randint(5, VOCABULARY, (SENTENCES, 1 + distance))) for distance in DISTANCES]
        for distance, norm in zip(DISTANCES, norms, strict=True):
            found[str(distance)].append(100 * norm / norms[0])
    return {distance: tuple(values) for distance, values in found.items()}


def _gradient(model: Seq2Seq, source: Tensor) -> float:
    """Return the mean norm of the gradient of the loss of a target of one word, w.r.t. the first source embedding."""
    embedded: list[Tensor] = []
    target = torch.randint(5, VOCABULARY, (len(source), 1))
    with model.encoder.embedding.register_forward_hook(lambda module, inputs, output: embedded.append(output)):
        hidden, _ = model(source, torch.ones_like(source, dtype=torch.bool), target)
    loss = cross_entropy(model.decoder.output(hidden).flatten(0, 1), target.flatten(), reduction="sum")
    (gradient,) = torch.autograd.grad(loss, embedded[0])  # the source is embedded first, the target after it
    return float(gradient[:, 0].norm(dim=1).mean())


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
