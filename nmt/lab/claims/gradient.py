"""The gradient vanishes on its way back through the steps of a recurrent network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from nmt.config.compose import compose
from nmt.lab.claims.claim import NO_ATTENTION, Claim, Contrast, Curves, Lines, PerSeed, Runs, gained_by_attention
from nmt.lab.claims.models import BAHDANAU, LEFT_TO_RIGHT, LUONG, TRANSFORMER, WITHOUT_ATTENTION, untrained
from nmt.models.seq2seq import Seq2Seq

DISTANCES = (0, 5, 10, 20, 40)  # words between the first word of the source and its last
SENTENCES, VOCABULARY = 100, 500
SEEDS = (1, 2, 3, 4, 5)
SYSTEMS = {
    NO_ATTENTION: (*WITHOUT_ATTENTION, *LEFT_TO_RIGHT),
    "Bahdanau": (*BAHDANAU, *LEFT_TO_RIGHT),
    "Luong": (*LUONG, *LEFT_TO_RIGHT),
    "Transformer": TRANSFORMER,
}


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


def _by_distance(settings: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """Return the gradient at each distance over that at the shortest, for each seed."""
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
    hook = model.encoder.embedding.register_forward_hook(lambda module, inputs, output: embedded.append(output))
    target = torch.randint(5, VOCABULARY, (len(source), 1))
    hidden, _ = model(source, torch.ones_like(source, dtype=torch.bool), target)
    hook.remove()
    loss = cross_entropy(model.decoder.output(hidden).flatten(0, 1), target.flatten(), reduction="sum")
    (gradient,) = torch.autograd.grad(loss, embedded[0])  # the source is embedded first, the target after it
    return float(gradient[:, 0].norm(dim=1).mean())
