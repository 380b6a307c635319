"""A recurrent network forgets early words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from nmt.data.sources.recall import Recall
from nmt.lab.claim import (
    NO_ATTENTION,
    Claim,
    Contrast,
    Curves,
    Finding,
    Runs,
    Text,
    accuracy_by,
    mean_over,
    minus,
    named,
)
from nmt.lab.models import MODELS, WITHOUT_ATTENTION, budget

PAIRS = 6
ONE_WAY = "no attention, left to right"


class Memory(Claim):
    """Recall by position: which of the earlier words can a model still name at the end of the source?"""

    name = "memory"
    claim = Text(
        "A recurrent network forgets the early words of a sentence; attention does not.",
        "순환 신경망은 문장 앞쪽 단어를 잊어버리지만, 어텐션은 잊지 않는다.",
    )
    method = Text(
        f"The task `recall` with {PAIRS} keys: the share of right answers by the position of the key.",
        f"키 {PAIRS}개로 된 `recall` 과제에서, 묻는 키의 위치별 정답 비율.",
    )

    def systems(self) -> Mapping[str, Sequence[str]]:
        task = ("data=recall", f"data.pairs={PAIRS}", "data.sizes=[20000,300,1000]", *budget(2000))
        one_way = (*WITHOUT_ATTENTION, "model.encoder.bidirectional=false", "model.encoder.hidden_width=128")
        return {name: (*task, *model) for name, model in {ONE_WAY: one_way, **MODELS}.items()}

    def measure(self, runs: Runs) -> Finding:
        lines = {name: accuracy_by(each, Recall.measure) for name, each in runs.items()}
        early, late = range(1, PAIRS // 2 + 1), range(PAIRS // 2 + 1, PAIRS + 1)
        return Finding(
            contrasts=(
                Contrast(
                    Text(
                        "without attention, left to right: accuracy on the later half minus the earlier half",
                        "어텐션 없이 왼쪽에서 오른쪽으로 읽을 때: 뒤쪽 절반의 정확도 - 앞쪽 절반의 정확도",
                    ),
                    minus(mean_over(lines[ONE_WAY], late), mean_over(lines[ONE_WAY], early)),
                ),
                Contrast(
                    Text(
                        "accuracy on the earlier half: Bahdanau's attention minus no attention (both directions)",
                        "앞쪽 절반의 정확도: 바다나우 어텐션 - 어텐션 없음 (양방향)",
                    ),
                    minus(mean_over(lines["Bahdanau"], early), mean_over(lines[NO_ATTENTION], early)),
                ),
            ),
            curves=Curves(
                Text("position of the key", "키의 위치"), Text("right answers in %", "정답 비율 (%)"), named(lines)
            ),
        )
