"""Without attention, words that belong together are lost with their distance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from nmt.lab.claims.claim import (
    NO_ATTENTION,
    Claim,
    Contrast,
    Curves,
    Lines,
    PerSeed,
    Runs,
    accuracy_by,
    gained_by_attention,
    lost_without_attention,
    mean_over,
    most_frequent,
    named,
)
from nmt.lab.claims.models import MODELS, ONE_WORD_A_PIECE, budget
from nmt.lab.tasks.agreement import Agreement
from nmt.lab.tasks.coreference import Coreference
from nmt.lab.tasks.negation import Negation
from nmt.lab.tasks.task import DistanceTask

FARTHEST = 8
NEAR, FAR = range(FARTHEST // 2), range(FARTHEST // 2 + 1, FARTHEST + 1)


class _Distance(Claim):
    """Accuracy by the distance between the parts of a sentence that belong together."""

    task: ClassVar[type[DistanceTask]]
    updates: ClassVar[int]

    def systems(self) -> Mapping[str, Sequence[str]]:
        task = (f"data={self.task.__name__.lower()}", f"data.max_distance={FARTHEST}", "data.sizes=[20000,300,2000]")
        return {name: (*task, ONE_WORD_A_PIECE, *budget(self.updates), *model) for name, model in MODELS.items()}

    def measure(self, runs: Runs) -> Curves:
        lines = {name: accuracy_by(each, self.task.measure) for name, each in runs.items()}
        any_run = runs[NO_ATTENTION][0]
        pairs = zip(any_run.test_set.sources, any_run.test_set.references, strict=True)
        guess = most_frequent(reference for source, reference in pairs if self.task.measure(source) in NEAR)
        guesses = replace(any_run, hypotheses=(guess,) * len(any_run.hypotheses))
        return Curves(
            *(self.text("distance"), self.text("right_answers"), named(lines)),
            more={"chance": mean_over(accuracy_by([guesses], self.task.measure), NEAR)},
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        near, far = ([str(distance) for distance in places] for places in (NEAR, FAR))
        lost = self.text("accuracy_lost")
        right = {name: mean_over(line, far) for name, line in lines.items()}
        gained = gained_by_attention(right, self.text("accuracy_far"))
        (chance,) = more["chance"]
        return (*lost_without_attention(lines, near, far, lost, chance), *gained)


class AgreementDistance(_Distance):
    """Singular or plural, whatever nouns stand in between."""

    name, task, updates = "agreement", Agreement, 400


class CoreferenceDistance(_Distance):
    """What "it" means."""

    name, task, updates = "coreference", Coreference, 1000


class NegationDistance(_Distance):
    """Which clause is negated."""

    name, task, updates = "negation", Negation, 800
