"""A Transformer without positions does not know the order of the words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

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
from nmt.lab.claims.models import ONE_WORD_A_PIECE, TRANSFORMER, budget
from nmt.lab.tasks.order import Order

KINDS = ("none", "sinusoidal", "learned", "relative", "rotary", "alibi")
TASK = ("data=order", "data.max_clauses=3", "data.sizes=[20000,300,1000]", ONE_WORD_A_PIECE, *budget(800))


class Positions(Claim):
    """Who does it, and to whom, with each kind of positions and with none."""

    name = "positions"

    def systems(self) -> Mapping[str, Sequence[str]]:
        return {kind: (*TASK, *TRANSFORMER, f"model/positions={kind}") for kind in KINDS}

    def measure(self, runs: Runs) -> Curves:
        lines = {name: accuracy_by(each, Order.clauses) for name, each in runs.items()}
        return Curves(self.text("clauses"), self.text("right_answers"), named(lines))

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        mean = {name: mean_over(line, line) for name, line in lines.items()}
        without = mean.pop("none")
        return alike({kind: minus(each, without) for kind, each in mean.items()}, self.text("better"))
