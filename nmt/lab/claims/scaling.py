"""Without the division by the root of the width, the softmax saturates."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import torch

from nmt.lab.claim import Claim, Contrast, Curves, Finding, Runs, Text, minus

WIDTHS = (4, 16, 64, 256, 1024)
KEYS, QUERIES = 20, 200
SEEDS = (1, 2, 3, 4, 5)


class Scaling(Claim):
    """The entropy of attention over random vectors, by their width. Nothing is trained for it."""

    name = "scaling"
    claim = Text(
        "Dot products grow with the width, and the softmax saturates; dividing by the root of the width prevents it "
        "(Vaswani et al. 2017, section 3.2.1).",
        "내적은 차원이 커질수록 커져 소프트맥스가 포화되며, 차원의 제곱근으로 나누면 이를 막는다 "
        "(Vaswani 2017, 3.2.1절).",
    )
    method = Text(
        f"{QUERIES} random queries and {KEYS} random keys with components of mean 0 and variance 1: the entropy of the "
        "weights as a share of the largest possible, with five seeds.",
        f"평균 0, 분산 1인 무작위 쿼리 {QUERIES}개와 키 {KEYS}개: 가중치 엔트로피를 최댓값에 대한 비율로, 시드 5개.",
    )

    def systems(self) -> Mapping[str, Sequence[str]]:
        return {}

    def measure(self, runs: Runs) -> Finding:
        lines = {
            name: {str(width): tuple(_entropy(width, seed, scaled=scaled) for seed in SEEDS) for width in WIDTHS}
            for name, scaled in (("divided by the root", True), ("not divided", False))
        }
        widest = str(WIDTHS[-1])
        return Finding(
            contrasts=(
                Contrast(
                    Text(
                        f"entropy at width {widest}: divided by the root minus not divided",
                        f"차원 {widest}에서의 엔트로피: 제곱근으로 나눌 때 - 나누지 않을 때",
                    ),
                    minus(lines["divided by the root"][widest], lines["not divided"][widest]),
                ),
            ),
            curves=Curves(Text("width", "차원"), Text("entropy, % of the largest", "엔트로피 (최댓값의 %)"), lines),
        )


def _entropy(width: int, seed: int, *, scaled: bool) -> float:
    generator = torch.Generator().manual_seed(seed)
    queries = torch.randn(QUERIES, width, generator=generator)
    keys = torch.randn(KEYS, width, generator=generator)
    scores = queries @ keys.t() / (width**0.5 if scaled else 1.0)
    entropy = -(scores.softmax(1) * scores.log_softmax(1)).sum(1).mean()
    return 100 * float(entropy) / math.log(KEYS)
