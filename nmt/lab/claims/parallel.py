"""Recurrent networks are trained step by step, attention all at once."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping

import torch
from torch import Tensor

from nmt.config.compose import compose
from nmt.lab.claims.claim import Claim, Contrast, Curves, Lines, PerSeed, Runs, Text, minus
from nmt.lab.claims.models import BAHDANAU, TRANSFORMER, untrained
from nmt.models.seq2seq import Seq2Seq
from nmt.models.trial import one_thread

LENGTHS = (10, 20, 40, 80, 160)
TOKENS, VOCABULARY, REPEATS = 1600, 500, 5
DEVICES = {"cpu": "", "cuda": " (GPU)"}  # and how a line on that device is marked


class Parallel(Claim):
    """Time of an update and of a translation by the length of the sentences, at the same number of tokens."""

    name = "parallel"
    claim = Text(
        "A recurrent network is trained one word after the other, a Transformer all words at once.",
        "학습할 때 순환 신경망은 한 단어씩 차례로 계산하지만, 트랜스포머는 모든 단어를 한꺼번에 계산한다.",
    )
    method = Text(
        f"Batches of {TOKENS:,} tokens in sentences of several lengths, on one thread of a CPU, and on a GPU if there "
        "is one: the time of forward and backward pass, and of as many decoding steps, each as a multiple of that of "
        "the shortest sentences. "
        f"{REPEATS} repetitions take the place of seeds.",
        f"토큰 {TOKENS:,}개짜리 배치를 여러 길이의 문장으로 만들어 CPU 스레드 하나에서, 그리고 GPU가 있으면 GPU에서도 "
        "시간을 잰다. 순전파와 역전파의 시간, 그리고 문장 길이만큼 디코딩 단계를 거치는 시간이다. 각각 가장 짧은 "
        "문장일 때의 몇 배인지 나타낸다. 시드 "
        f"대신 {REPEATS}번 되풀이한다.",
    )

    def measure(self, runs: Runs) -> Curves:
        lines = {}
        for device, where in DEVICES.items():
            if device == "cuda" and not torch.cuda.is_available():
                continue
            for name, settings in (("Bahdanau", BAHDANAU), ("Transformer", TRANSFORMER)):
                model = untrained(compose("train", list(settings))["model"], VOCABULARY, seed=1).to(device)
                for work, run in (("training", _update), ("decoding", _decode)):
                    with one_thread():
                        lines[f"{name}, {work}{where}"] = _growth(model, run, device)
        return Curves(
            Text("tokens of a sentence", "문장의 토큰 수"),
            Text("time, shortest = 1", "시간 (가장 짧은 문장 = 1)"),
            lines,
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        return tuple(
            contrast(lines, work, korean, where)
            for where in DEVICES.values()
            if f"Bahdanau, training{where}" in lines
            for work, korean in (("training", "학습"), ("decoding", "디코딩"))
        )


def contrast(lines: Mapping[str, Mapping[str, tuple[float, ...]]], work: str, korean: str, where: str) -> Contrast:
    """Return how much more the time of the recurrent network grows with the length than that of the Transformer."""
    longest = str(LENGTHS[-1])
    return Contrast(
        Text(
            f"time with {longest} tokens a sentence over {LENGTHS[0]}, {work}{where}: Bahdanau minus Transformer",
            f"문장당 토큰이 {longest}개일 때의 시간 / {LENGTHS[0]}개일 때의 시간, {korean}{where}: "
            "Bahdanau - Transformer",
        ),
        minus(lines[f"Bahdanau, {work}{where}"][longest], lines[f"Transformer, {work}{where}"][longest]),
    )


def _growth(model: Seq2Seq, run: Callable[[Seq2Seq, Tensor], None], device: str) -> dict[str, tuple[float, ...]]:
    """Return the time at each length over that of the shortest, for each repetition."""
    seconds: dict[int, list[float]] = {length: [] for length in LENGTHS}
    for repeat in range(REPEATS + 1):
        for length in LENGTHS:
            batch = torch.randint(5, VOCABULARY, (TOKENS // length, length), device=device)
            start = time.perf_counter()
            run(model, batch)
            if device == "cuda":
                torch.cuda.synchronize()
            if repeat:  # the first is a warm-up
                seconds[length].append(time.perf_counter() - start)
    shortest = seconds[LENGTHS[0]]
    return {
        str(length): tuple(own / other for own, other in zip(each, shortest, strict=True))
        for length, each in seconds.items()
    }


def _update(model: Seq2Seq, batch: Tensor) -> None:
    model.train()
    hidden, _ = model(batch, torch.ones_like(batch, dtype=torch.bool), batch)
    model.decoder.output(hidden).logsumexp(-1).sum().backward()


@torch.inference_mode()
def _decode(model: Seq2Seq, batch: Tensor) -> None:
    model.eval()
    state = model.start(batch, torch.ones_like(batch, dtype=torch.bool))
    for step in range(batch.shape[1]):
        _, state = model.step(batch[:, step], state)
