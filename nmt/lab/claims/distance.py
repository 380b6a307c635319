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
    Text,
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
            *(Text("distance", "거리"), Text("right answers in %", "정답 비율 (%)"), named(lines)),
            more={"chance": mean_over(accuracy_by([guesses], self.task.measure), NEAR)},
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        near, far = ([str(distance) for distance in places] for places in (NEAR, FAR))
        lost = Text("accuracy lost from near to far", "가까울 때보다 멀 때 떨어지는 정확도")
        right = {name: mean_over(line, far) for name, line in lines.items()}
        gained = gained_by_attention(right, Text("accuracy far", "멀 때의 정확도"))
        (chance,) = more["chance"]
        return (*lost_without_attention(lines, near, far, lost, chance), *gained)


class AgreementDistance(_Distance):
    """Singular or plural, whatever nouns stand in between."""

    name, task, updates = "agreement", Agreement, 400
    claim = Text(
        "Without attention, a model loses the number of the subject when other nouns stand before the verb.",
        "어텐션이 없으면, 동사 앞에 다른 명사가 끼어들 때 모델은 주어의 수(단수, 복수)를 놓친다.",
    )
    method = Text(
        "The task `agreement`: the share of right answers by the number of nouns between subject and verb.",
        "`agreement` 과제에서 주어와 동사 사이에 있는 명사의 수에 따른 정답 비율을 잰다.",
    )


class CoreferenceDistance(_Distance):
    """What "it" means."""

    name, task, updates = "coreference", Coreference, 1000
    claim = Text(
        'Without attention, a model does not find what a distant "it" means, the animal or the street.',
        "어텐션이 없으면, 모델은 멀리 떨어진 it이 가리키는 것이 동물인지 길인지 알아내지 못한다.",
    )
    method = Text(
        'The task `coreference`: the share of right answers by the number of phrases between the nouns and "because".',
        "`coreference` 과제에서 두 명사와 because 사이에 있는 구(phrase)의 수에 따른 정답 비율을 잰다.",
    )


class NegationDistance(_Distance):
    """Which clause is negated."""

    name, task, updates = "negation", Negation, 800
    claim = Text(
        'Without attention, a model does not know which of two clauses "not" belongs to.',
        "어텐션이 없으면, 모델은 not이 두 절 가운데 어느 쪽에 속하는지 알아내지 못한다.",
    )
    method = Text(
        "The task `negation`: the share of right answers by the number of phrases between the two clauses.",
        "`negation` 과제에서 두 절 사이에 있는 구(phrase)의 수에 따른 정답 비율을 잰다.",
    )
