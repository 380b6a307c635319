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
    Text,
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
    claim = Text(
        "Self-attention does not see the order of words; a Transformer needs positions.",
        "셀프 어텐션은 단어의 순서를 보지 못하므로, 트랜스포머에는 위치 정보가 필요하다.",
    )
    method = Text(
        'The task `order`, where "anna sees ben" and "ben sees anna" differ in order alone: right answers by clauses.',
        "anna sees ben과 ben sees anna처럼 순서만 다른 문장이 있는 `order` 과제에서, 절의 수에 따른 정답 비율을 잰다.",
    )

    def systems(self) -> Mapping[str, Sequence[str]]:
        return {kind: (*TASK, *TRANSFORMER, f"model/positions={kind}") for kind in KINDS}

    def measure(self, runs: Runs) -> Curves:
        lines = {name: accuracy_by(each, Order.clauses) for name, each in runs.items()}
        return Curves(Text("clauses", "절의 수"), Text("right answers in %", "정답 비율 (%)"), named(lines))

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        mean = {name: mean_over(line, line) for name, line in lines.items()}
        without = mean.pop("none")
        text = Text("accuracy: positions {} minus none", "정확도: 위치 정보 {} - 없음")
        return alike({kind: minus(each, without) for kind, each in mean.items()}, text)
