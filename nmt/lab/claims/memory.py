"""A recurrent network forgets early words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from nmt.lab.claims.claim import (
    NO_ATTENTION,
    Claim,
    Contrast,
    Curves,
    Lines,
    Loss,
    PerSeed,
    Runs,
    alike,
    mean_over,
    minus,
    most_frequent,
    named,
)
from nmt.lab.claims.models import LEFT_TO_RIGHT, MODELS, ONE_WORD_A_PIECE, WITHOUT_ATTENTION, budget
from nmt.lab.compare.runs import FinishedRun
from nmt.lab.tasks.recall import Recall

PAIRS = 4
ONE_WAY = "no attention, left to right"


class Memory(Claim):
    """Recall by position: which of the words of the source does a model still know when it translates?"""

    name = "memory"
    numbers: ClassVar[Mapping[str, object]] = {"pairs": PAIRS}

    def systems(self) -> Mapping[str, Sequence[str]]:
        task = ("data=recall", f"data.pairs={PAIRS}", "data.sizes=[20000,300,1000]", ONE_WORD_A_PIECE, *budget(2000))
        return {
            name: (*task, *model) for name, model in {ONE_WAY: (*WITHOUT_ATTENTION, *LEFT_TO_RIGHT), **MODELS}.items()
        }

    def measure(self, runs: Runs) -> Curves:
        lines = {name: recalled(each) for name, each in runs.items()}
        any_run = runs[ONE_WAY][0]
        guess = most_frequent(value for reference in any_run.test_set.references for value in reference.split())
        guesses = replace(any_run, hypotheses=(" ".join([guess] * PAIRS),) * len(any_run.hypotheses))
        return Curves(
            self.text("position"),
            self.text("right_answers"),
            named(lines),
            more={"chance": mean_over(recalled([guesses]), range(PAIRS // 2 + 1, PAIRS + 1))},
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        positions = list(lines[ONE_WAY])
        early, late = positions[: PAIRS // 2], positions[PAIRS // 2 :]
        loss = Loss(mean_over(lines[ONE_WAY], late), mean_over(lines[ONE_WAY], early), *more["chance"])
        known = {name: mean_over(line, early) for name, line in lines.items() if name != ONE_WAY}
        without = known.pop(NO_ATTENTION)
        return (
            Contrast(self.text("forgets"), minus(loss.near, loss.far), loss),
            *alike({name: minus(each, without) for name, each in known.items()}, self.text("keeps")),
        )


def recalled(runs: Sequence[FinishedRun]) -> dict[int, tuple[float, ...]]:
    """Return the share of right values (in %) of each run, for each position of the key in the source."""
    shares = []
    for run in runs:
        right: Counter[int] = Counter()
        test = run.test_set
        for source, reference, hypothesis in zip(test.sources, test.references, run.hypotheses, strict=True):
            found = hypothesis.split()
            for rank, (position, value) in enumerate(zip(Recall.positions(source), reference.split(), strict=True)):
                right[position] += found[rank : rank + 1] == [value]
        shares.append({position: 100 * count / len(test.sources) for position, count in right.items()})
    return {position: tuple(each[position] for each in shares) for position in sorted(shares[0])}
