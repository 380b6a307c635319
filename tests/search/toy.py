"""A toy model for the tests of search: any strategy runs on its step function."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from nmt.models.interface import State, per_sentence
from nmt.search.base import Hypothesis, Search
from nmt.tokens import BOS


@dataclass(frozen=True)
class History(State):
    """Every token read (N, t), and what the sentence is about (B, D)."""

    tokens: Tensor
    topic: Tensor = per_sentence()


@dataclass(frozen=True)
class Attended(History):
    """Also the attention that each of three source tokens got so far (N, 3)."""

    coverage: Tensor


class Toy:
    """A random model whose next distribution depends on the sentence and on the whole history, order included."""

    def __init__(self, vocabulary: int, seed: int, *, sharpness: float = 1.5, width: int = 8) -> None:
        generator = torch.Generator().manual_seed(seed)
        self.embedding = torch.randn(vocabulary, width, generator=generator, dtype=torch.double)
        self.recurrent = torch.randn(width, width, generator=generator, dtype=torch.double) / width**0.5
        self.output = torch.randn(width, vocabulary, generator=generator, dtype=torch.double) * sharpness
        self.vocabulary, self.width, self.rows_read, self.generator = vocabulary, width, 0, generator

    def topics(self, sentences: int) -> Tensor:
        return torch.randn(sentences, self.width, generator=self.generator, dtype=torch.double)

    def start(self, topics: Tensor) -> History:
        return History(torch.zeros(len(topics), 0, dtype=torch.long), topics)

    def log_probs(self, prefixes: Tensor, topics: Tensor) -> Tensor:
        return torch.log_softmax(self._hidden(prefixes, topics) @ self.output, dim=-1).float()

    def _hidden(self, prefixes: Tensor, topics: Tensor) -> Tensor:
        hidden = topics
        for position in range(prefixes.shape[1]):
            hidden = torch.tanh(hidden @ self.recurrent + self.embedding[prefixes[:, position]])
        return hidden

    def step(self, tokens: Tensor, state: History) -> tuple[Tensor, History]:
        beams = len(tokens) // len(state.topic)
        assert beams * len(state.topic) == len(tokens)
        self.rows_read += len(tokens)
        history = torch.cat([state.tokens, tokens.unsqueeze(1)], dim=1)
        return self.log_probs(history, state.topic.repeat_interleave(beams, 0)), History(history, state.topic)

    def find(self, search: Search, topics: Tensor, limits: Sequence[int]) -> list[list[Hypothesis]]:
        """Search for each topic; the topic itself is the sentence's key."""
        keys = topics.view(torch.long).abs().tolist()
        return search(self.step, self.start(topics), max_length=torch.tensor(limits), keys=keys)


class AttendingToy(Toy):
    """A toy whose state says what it attended to."""

    def start(self, topics: Tensor) -> Attended:
        return Attended(torch.zeros(len(topics), 0, dtype=torch.long), topics, torch.zeros(len(topics), 3))

    def attention(self, prefixes: Tensor, topics: Tensor) -> Tensor:
        return (2 * self._hidden(prefixes, topics)[:, :3]).softmax(1).float()

    def step(self, tokens: Tensor, state: History) -> tuple[Tensor, History]:
        assert isinstance(state, Attended)
        log_probs, after = super().step(tokens, state)
        topics = state.topic.repeat_interleave(len(tokens) // len(state.topic), 0)
        coverage = state.coverage + self.attention(after.tokens, topics)
        return log_probs, Attended(after.tokens, after.topic, coverage)


def total(toy: Toy, topic: Tensor, tokens: Sequence[int]) -> float:
    """Return the forced log-probability of a whole hypothesis."""
    prefix = torch.tensor([[BOS, *tokens]])
    steps = (toy.log_probs(prefix[:, : n + 1], topic.unsqueeze(0))[0, token].item() for n, token in enumerate(tokens))
    return math.fsum(steps)
