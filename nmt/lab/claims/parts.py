"""Parts of attention: the scores, the division by the root of the width, and positions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

import torch
from torch import Tensor

from nmt.lab.claims.claim import (
    MARGIN,
    Claim,
    Contrast,
    Curves,
    Lines,
    PerSeed,
    Runs,
    accuracy_by,
    alike,
    mean_over,
    minus,
    named,
)
from nmt.lab.claims.memory import FixedVector
from nmt.lab.claims.models import COPY, CORPUS, EXACT, LANGUAGE, NEGATION, budget, exact, recurrent
from nmt.lab.tasks.negation import Negation

BASELINE = "dot"
SCORES = (
    *("dot", "scaled_dot", "general", "additive", "cosine"),
    *("euclidean", "manhattan", "location", "local_p"),
)

FEW = 400  # updates, after which a model copies most sentences but not yet all of the longest
WIDTHS = (4, 16, 64, 256, 1024)
WIDEST = str(WIDTHS[-1])
KEYS, QUERIES = 20, 200
SEEDS = (1, 2, 3, 4, 5)
USUAL = "sinusoidal"  # the positions of the Transformer of other claims
KINDS = ("none", USUAL, "learned", "relative", "rotary", "alibi")
DIVIDED, NOT_DIVIDED = "divided by the root", "not divided"


class Scores(Claim):
    """Every score against the plain dot product: what is learned of copying in a short training."""

    name = "scores"
    seeds: ClassVar[int] = 10
    numbers: ClassVar[Mapping[str, object]] = {"updates": FEW}

    def systems(self) -> Mapping[str, Sequence[str]]:
        return {score: (*COPY, *budget(FEW), *exact(recurrent(0)), *score_setting(score)) for score in SCORES}

    def measure(self, runs: Runs) -> Curves:
        right = {name: accuracy_by(each, FixedVector.place)[FixedVector.far[-1]] for name, each in runs.items()}
        return Curves(self.text("score"), self.text("right_answers"), {"copy": right}, joined=False)

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        (right,) = lines.values()
        gained = {name: minus(each, right[BASELINE]) for name, each in right.items() if name != BASELINE}
        found = alike(gained, self.text("better", baseline=BASELINE))
        return tuple(replace(each, margin=MARGIN) for each in found)


class Scaling(Claim):
    """The entropy of attention over random vectors by their width, its gradient, and BLEU with and without it."""

    name = "scaling"
    seeds: ClassVar[int] = 10
    numbers: ClassVar[Mapping[str, object]] = {"queries": QUERIES, "keys": KEYS, "seeds": len(SEEDS)}

    def systems(self) -> Mapping[str, Sequence[str]]:
        divided = (*CORPUS, *LANGUAGE["Transformer"])
        return {DIVIDED: divided, NOT_DIVIDED: (*divided, "model.encoder.block.scale_scores=false")}

    def measure(self, runs: Runs) -> Curves:
        bleu = {name: tuple(run.metrics["test"]["bleu"]["value"] for run in each) for name, each in runs.items()}
        gradients = {name: line[WIDEST] for name, line in _by_width(_gradient).items()}
        return Curves(
            *(self.text("width"), self.text("entropy"), _by_width(_entropy)),
            more={"gradient": _gained(gradients), "BLEU": _gained(bleu)},
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        entropies = {name: line[WIDEST] for name, line in lines.items()}
        gained = {
            self.text("entropy_at", width=WIDEST): _gained(entropies),
            self.text("gradient_at", width=WIDEST): more["gradient"],
            self.text("bleu"): more["BLEU"],
        }
        return tuple(Contrast(self.text("divided", what=what), values) for what, values in gained.items())


class Positions(Claim):
    """Which clause "not" belongs to, with each kind of positions and with none."""

    name = "positions"

    def systems(self) -> Mapping[str, Sequence[str]]:
        kinds = {kind: (f"model/positions={kind}",) if kind != USUAL else () for kind in KINDS}
        return {kind: (*NEGATION, *EXACT["Transformer"], *choice) for kind, choice in kinds.items()}

    def measure(self, runs: Runs) -> Curves:
        lines = {name: accuracy_by(each, Negation.measure) for name, each in runs.items()}
        return Curves(self.text("phrases"), self.text("right_answers"), named(lines))

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        mean = {name: mean_over(line, line) for name, line in lines.items()}
        without = mean.pop("none")
        return alike({kind: minus(each, without) for kind, each in mean.items()}, self.text("better"))


def score_setting(score: str) -> tuple[str, ...]:
    """Return the settings of a recurrent model with this score."""
    width = ("model.attention.width=128",) if score == "additive" else ()  # as wide as the states
    return (f"model/attention={score}", *width)


def _gained(values: Mapping[str, PerSeed]) -> PerSeed:
    return minus(values[DIVIDED], values[NOT_DIVIDED])


def _by_width(figure: Callable[[Tensor], float]) -> dict[str, dict[str, PerSeed]]:
    """Return the figure of the scores (queries, keys) at each width, for each seed: divided and not divided."""
    return {
        name: {str(width): tuple(figure(_scores(width, seed) / factor(width)) for seed in SEEDS) for width in WIDTHS}
        for name, factor in ((DIVIDED, math.sqrt), (NOT_DIVIDED, lambda width: 1))
    }


def _scores(width: int, seed: int) -> Tensor:
    generator = torch.Generator().manual_seed(seed)
    queries = torch.randn(QUERIES, width, generator=generator)
    return queries @ torch.randn(KEYS, width, generator=generator).t()


def _entropy(scores: Tensor) -> float:
    entropy = -(scores.softmax(1) * scores.log_softmax(1)).sum(1).mean()
    return 100 * float(entropy) / math.log(KEYS)


def _gradient(scores: Tensor) -> float:
    """Return the mean norm of the Jacobian of the softmax, diag(w) - w w', in % of that of equal weights."""
    uniform = torch.zeros(1, KEYS)
    return 100 * float(_jacobian(scores).norm(dim=(1, 2)).mean() / _jacobian(uniform).norm())


def _jacobian(scores: Tensor) -> Tensor:
    weights = scores.softmax(1)
    return weights.diag_embed() - weights.unsqueeze(2) * weights.unsqueeze(1)
