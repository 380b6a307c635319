"""Which score is the best?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nmt.lab.claims.claim import Claim, Contrast, Curves, Lines, PerSeed, Runs, Text, minus
from nmt.lab.claims.models import CORPUS, RECURRENT

BASELINE = "dot"
SCORES = (
    *("dot", "scaled_dot", "general", "concat", "additive", "cosine"),
    *("euclidean", "manhattan", "location", "local_m", "local_p"),
)


class Scores(Claim):
    """Every score against the plain dot product, in BLEU on the embedded corpus."""

    name = "scores"
    claim = Text(
        "Another score translates better than the plain dot product (each tutorial names another one).",
        "단순한 내적보다 번역이 더 잘되는 점수 함수가 있다 (튜토리얼마다 다른 것을 꼽는다).",
    )
    method = Text(
        "The embedded corpus, English to German, with every score in the same recurrent model: BLEU. Most models still "
        "improve when this budget ends, so a low BLEU may mean slow learning.",
        "내장 말뭉치(영어→독일어)에서 같은 순환 모델의 점수 함수만 바꾸어 가며 BLEU를 잰다. 예산이 끝날 때도 모델 "
        "대부분이 아직 나아지고 있으므로, BLEU가 낮다는 것은 배우는 속도가 느리다는 뜻일 수 있다.",
    )

    def systems(self) -> Mapping[str, Sequence[str]]:
        return {score: (*CORPUS, *RECURRENT, f"model/attention={score}") for score in SCORES}

    def measure(self, runs: Runs) -> Curves:
        bleu = {name: tuple(run.metrics["test"]["bleu"]["value"] for run in each) for name, each in runs.items()}
        return Curves(Text("score", "점수 함수"), Text("BLEU", "BLEU"), {"BLEU": bleu}, joined=False)

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        (bleu,) = lines.values()
        return tuple(
            Contrast(
                Text(f"BLEU: {name} minus {BASELINE}", f"BLEU: {name} - {BASELINE}"), minus(bleu[name], bleu[BASELINE])
            )
            for name in bleu
            if name != BASELINE
        )
