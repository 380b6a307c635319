"""A recurrent network forgets early words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from nmt.lab.claims.claim import (
    NO_ATTENTION,
    Claim,
    Contrast,
    Curves,
    Lines,
    Loss,
    PerSeed,
    Runs,
    Text,
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
    claim = Text(
        "A recurrent network forgets the early words of a sentence; attention does not.",
        "순환 신경망은 문장 앞쪽의 단어를 잊어버리지만, 어텐션은 잊지 않는다.",
    )
    method = Text(
        f"The task `recall` with {PAIRS} keys: the share of right values by the position of the key in the source.",
        f"키가 {PAIRS}개인 `recall` 과제에서 키가 원문에 놓인 위치별로 값을 맞힌 비율을 잰다.",
    )

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
            Text("position of the key", "키의 위치"),
            Text("right answers in %", "정답 비율 (%)"),
            named(lines),
            more={"chance": mean_over(recalled([guesses]), range(PAIRS // 2 + 1, PAIRS + 1))},
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        positions = list(lines[ONE_WAY])
        early, late = positions[: PAIRS // 2], positions[PAIRS // 2 :]
        loss = Loss(mean_over(lines[ONE_WAY], late), mean_over(lines[ONE_WAY], early), *more["chance"])
        forgets = Text(
            "without attention, left to right: accuracy on the later half minus the earlier half",
            "어텐션 없이 왼쪽에서 오른쪽으로 읽을 때: 뒤쪽 절반의 정확도 - 앞쪽 절반의 정확도",
        )
        known = {name: mean_over(line, early) for name, line in lines.items() if name != ONE_WAY}
        without = known.pop(NO_ATTENTION)
        keeps = Text(
            "accuracy on the earlier half: {} minus no attention (both directions)",
            "앞쪽 절반의 정확도: {} - 어텐션 없음 (양방향)",
        )
        return (
            Contrast(forgets, minus(loss.near, loss.far), loss),
            *alike({name: minus(each, without) for name, each in known.items()}, keeps),
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
