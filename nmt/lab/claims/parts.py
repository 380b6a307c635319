"""Parts of attention: the scores, the division by the root of the width, and positions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import ClassVar

import torch
from torch import Tensor

from nmt.lab.claims.claim import (
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
from nmt.lab.claims.models import CORPUS, LANGUAGE, ONE_WORD_A_PIECE, budget, recurrent
from nmt.lab.tasks.order import Order

BASELINE = "dot"
SCORES = (
    *("dot", "scaled_dot", "general", "concat", "additive", "cosine"),
    *("euclidean", "manhattan", "location", "local_m", "local_p"),
)

WIDTHS = (4, 16, 64, 256, 1024)
WIDEST = str(WIDTHS[-1])
KEYS, QUERIES = 20, 200
SEEDS = (1, 2, 3, 4, 5)
KINDS = ("none", "sinusoidal", "learned", "relative", "rotary", "alibi")
TASK = ("data=order", "data.max_clauses=3", "data.sizes=[20000,300,1000]", ONE_WORD_A_PIECE, *budget(800))
DIVIDED, NOT_DIVIDED = "divided by the root", "not divided"


class Scores(Claim):
    """Every score against the plain dot product, in BLEU on the embedded corpus."""

    name = "scores"

    def systems(self) -> Mapping[str, Sequence[str]]:
        choices = {score: [f"model/attention={score}"] for score in SCORES}
        choices["concat"] = ["model/attention=luong", "model.attention.score=concat"]
        return {score: (*CORPUS, *recurrent(0.1), *choice) for score, choice in choices.items()}

    def measure(self, runs: Runs) -> Curves:
        bleu = {name: tuple(run.metrics["test"]["bleu"]["value"] for run in each) for name, each in runs.items()}
        return Curves(self.text("score"), self.text("bleu"), {"BLEU": bleu}, joined=False)

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        (bleu,) = lines.values()
        return tuple(
            Contrast(self.text("better", system=name, baseline=BASELINE), minus(bleu[name], bleu[BASELINE]))
            for name in bleu
            if name != BASELINE
        )


class Scaling(Claim):
    """The entropy of attention over random vectors by their width, its gradient, and BLEU with and without it."""

    name = "scaling"
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
    """Who does it, and to whom, with each kind of positions and with none."""

    name = "positions"

    def systems(self) -> Mapping[str, Sequence[str]]:
        return {kind: (*TASK, *LANGUAGE["Transformer"], f"model/positions={kind}") for kind in KINDS}

    def measure(self, runs: Runs) -> Curves:
        lines = {name: accuracy_by(each, Order.clauses) for name, each in runs.items()}
        return Curves(self.text("clauses"), self.text("right_answers"), named(lines))

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        mean = {name: mean_over(line, line) for name, line in lines.items()}
        without = mean.pop("none")
        return alike({kind: minus(each, without) for kind, each in mean.items()}, self.text("better"))


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
