"""The gradient vanishes on its way back through the steps of a recurrent network."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from nmt.config.compose import compose
from nmt.lab.claims.claim import NO_ATTENTION, Claim, Contrast, Curves, Lines, PerSeed, Runs, Text, gained_by_attention
from nmt.lab.claims.models import BAHDANAU, LEFT_TO_RIGHT, LUONG, TRANSFORMER, WITHOUT_ATTENTION, untrained
from nmt.models.seq2seq import Seq2Seq

DISTANCES = (0, 5, 10, 20, 40)  # words between the first word of the source and its last
SENTENCES, VOCABULARY = 100, 500
SEEDS = (1, 2, 3, 4, 5)
SYSTEMS = {
    NO_ATTENTION: (*WITHOUT_ATTENTION, *LEFT_TO_RIGHT),
    "Bahdanau": (*BAHDANAU, *LEFT_TO_RIGHT),
    "Luong": (*LUONG, *LEFT_TO_RIGHT),
    "Transformer": TRANSFORMER,
}


class Gradient(Claim):
    """The gradient of the loss with respect to the first word, by its distance to the end; nothing is trained."""

    name = "gradient"
    claim = Text(
        "Before training, the gradient that reaches an early word vanishes without attention, and not with attention.",
        "학습하기 전의 모델에서 앞쪽 단어까지 전해지는 기울기는 어텐션이 없으면 사라지고(기울기 소실), 어텐션이 있으면 "
        "사라지지 않는다.",
    )
    method = Text(
        f"Models before training, {SENTENCES} random sentences, recurrent encoders that read from left to right: the "
        "norm of the gradient of the loss with respect to the embedding of the first word, in % of its norm if the "
        f"first word is also the last. {len(SEEDS)} random models. Many tutorials go on: so distant words cannot be "
        "learned. Nothing is trained here, so this is not tested here. The claim about early words above tests it.",
        f"학습하지 않은 모델에 무작위 문장 {SENTENCES}개를 준다. 순환 인코더는 왼쪽에서 오른쪽으로만 읽는다. 첫 단어의 "
        "임베딩에 대한 손실의 기울기를 구하고, 그 노름을 첫 단어가 곧 마지막 단어일 때의 노름에 대한 백분율로 "
        f"나타낸다. 무작위로 초기화한 모델 {len(SEEDS)}개를 쓴다. 많은 튜토리얼은 그래서 멀리 떨어진 단어를 배울 수 "
        "없다고 결론짓는다. 여기서는 아무것도 학습하지 않으므로 이 결론을 시험하지 않는다. 그것은 앞쪽 단어에 관한 "
        "위의 주장에서 시험한다.",
    )

    def measure(self, runs: Runs) -> Curves:
        return Curves(
            Text("distance to the last word", "마지막 단어까지의 거리"),
            Text("gradient in % of that at distance 0", "기울기 (거리 0일 때에 대한 %)"),
            {name: _by_distance(settings) for name, settings in SYSTEMS.items()},
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        *_, farthest = lines[NO_ATTENTION]
        return gained_by_attention(
            {name: line[farthest] for name, line in lines.items()},
            Text(f"gradient at a distance of {farthest}, untrained", f"거리 {farthest}에서의 기울기(학습 전)"),
        )


def _by_distance(settings: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """Return the gradient at each distance over that at the shortest, for each seed."""
    model_settings = compose("train", list(settings))["model"]
    found: dict[str, list[float]] = {str(distance): [] for distance in DISTANCES}
    for seed in SEEDS:
        model = untrained(model_settings, VOCABULARY, seed).eval()
        norms = [_gradient(model, torch.randint(5, VOCABULARY, (SENTENCES, 1 + distance))) for distance in DISTANCES]
        for distance, norm in zip(DISTANCES, norms, strict=True):
            found[str(distance)].append(100 * norm / norms[0])
    return {distance: tuple(values) for distance, values in found.items()}


def _gradient(model: Seq2Seq, source: Tensor) -> float:
    """Return the mean norm of the gradient of the loss of a target of one word, w.r.t. the first source embedding."""
    embedded: list[Tensor] = []
    hook = model.encoder.embedding.register_forward_hook(lambda module, inputs, output: embedded.append(output))
    target = torch.randint(5, VOCABULARY, (len(source), 1))
    hidden, _ = model(source, torch.ones_like(source, dtype=torch.bool), target)
    hook.remove()
    loss = cross_entropy(model.decoder.output(hidden).flatten(0, 1), target.flatten(), reduction="sum")
    (gradient,) = torch.autograd.grad(loss, embedded[0])  # the source is embedded first, the target after it
    return float(gradient[:, 0].norm(dim=1).mean())
