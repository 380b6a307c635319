"""Without the division by the root of the width, the softmax saturates."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from nmt.lab.claims.claim import Claim, Contrast, Curves, Lines, PerSeed, Runs, Text, minus
from nmt.lab.claims.models import CORPUS, TRANSFORMER

WIDTHS = (4, 16, 64, 256, 1024)
WIDEST = str(WIDTHS[-1])
KEYS, QUERIES = 20, 200
SEEDS = (1, 2, 3, 4, 5)
DIVIDED, NOT_DIVIDED = "divided by the root", "not divided"


class Scaling(Claim):
    """The entropy of attention over random vectors by their width, its gradient, and BLEU with and without it."""

    name = "scaling"
    claim = Text(
        "Dot products grow with the width, and the softmax saturates; dividing by the root of the width prevents it "
        "(Vaswani et al. 2017, section 3.2.1).",
        "차원이 클수록 내적이 커져 소프트맥스가 포화되지만, 차원의 제곱근으로 나누면 이를 막을 수 있다 "
        "(Vaswani 외 2017, 3.2.1절).",
    )
    method = Text(
        f"{QUERIES} random queries and {KEYS} random keys with components of mean 0 and variance 1, {len(SEEDS)} "
        "seeds: the entropy of the weights in % of the largest possible, and the gradient of the weights with respect "
        "to the scores (norm of the Jacobian) in % of that of equal weights. Then the BLEU of Transformers (heads of "
        "width 16) on the embedded corpus.",
        f"성분의 평균이 0, 분산이 1인 무작위 쿼리 {QUERIES}개와 키 {KEYS}개를 시드 {len(SEEDS)}개로 만든다. 가중치의 "
        "엔트로피는 최댓값에 대한 백분율로 나타낸다. 점수에 대한 가중치의 기울기(야코비 행렬의 노름)는 가중치가 모두 "
        "같을 때에 대한 백분율로 나타낸다. 그다음 내장 말뭉치에서 트랜스포머(헤드의 차원 16)의 BLEU를 잰다.",
    )

    def systems(self) -> Mapping[str, Sequence[str]]:
        divided = (*CORPUS, *TRANSFORMER)
        return {DIVIDED: divided, NOT_DIVIDED: (*divided, "model.encoder.block.scale_scores=false")}

    def measure(self, runs: Runs) -> Curves:
        bleu = {name: tuple(run.metrics["test"]["bleu"]["value"] for run in each) for name, each in runs.items()}
        gradients = {name: line[WIDEST] for name, line in _by_width(_gradient).items()}
        return Curves(
            *(Text("width", "차원"), Text("entropy, % of the largest", "엔트로피 (최댓값의 %)"), _by_width(_entropy)),
            more={"gradient": _gained(gradients), "BLEU": _gained(bleu)},
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        entropies = {name: line[WIDEST] for name, line in lines.items()}
        return (
            _contrast(f"entropy at width {WIDEST}", f"차원 {WIDEST}에서의 엔트로피", _gained(entropies)),
            _contrast(f"gradient at width {WIDEST}", f"차원 {WIDEST}에서의 기울기", more["gradient"]),
            _contrast("BLEU", "BLEU", more["BLEU"]),
        )


def _gained(values: Mapping[str, PerSeed]) -> PerSeed:
    return minus(values[DIVIDED], values[NOT_DIVIDED])


def _contrast(english: str, korean: str, gained: PerSeed) -> Contrast:
    text = Text(f"{english}: divided by the root minus not divided", f"{korean}: 제곱근으로 나눌 때 - 나누지 않을 때")
    return Contrast(text, gained)


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
