"""Sampling: every next token is drawn from the model's distribution, which may be sharpened and truncated first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Annotated

import numpy as np
import torch
from torch import Tensor

from nmt.parameters import NonNegativeInt, Range
from nmt.search.base import Hypothesis, S, Step
from nmt.search.constraints import NEVER_GENERATED, ConstrainedSearch, ban, keep_top_k, keep_top_p, require_numbers
from nmt.tokens import BOS, EOS


@dataclass(frozen=True, kw_only=True)
class Sampling(ConstrainedSearch):
    """Draws `samples` translations of each sentence, independently of each other.

    The distribution of the next token is changed in this order: PAD and BOS are forbidden; the constraints apply;
    log-probabilities are divided by `temperature`; only the `top_k` most probable tokens are kept (0: all tokens); then
    only the smallest set of tokens with a probability of at least `top_p` is kept (1: all tokens). A temperature near
    0, or top_k=1, gives greedy search.

    The score of a hypothesis is its log-probability log P under the model without these changes. The samples of a
    sentence are returned best score first. Equal samples are not merged, so that their number can be counted.

    The draws depend on `seed`, the sentence's key, the sample's number and the step. So a sentence gets the same random
    numbers in any batch, in any order and on any device, and a larger number of samples does not change the first ones.
    Equal source sentences draw equal samples.
    """

    temperature: Annotated[float, Range(above=0, high=100)] = 1.0
    top_k: NonNegativeInt = 0
    top_p: Annotated[float, Range(above=0, high=1)] = 1.0
    samples: Annotated[int, Range(low=1, high=256)] = 1
    seed: Annotated[int, Range(low=0, high=2**32 - 1)] = 1

    def __post_init__(self) -> None:
        self._require_candidates("samples", self.samples)

    @property
    def label(self) -> str:
        """`sample1.t0.7.k0.p1.seed1`: samples, temperature, top_k, top_p and seed, then other active settings."""
        drawn = f"sample{self.samples}.t{self.temperature:g}.k{self.top_k}.p{self.top_p:g}.seed{self.seed}"
        return f"{drawn}{self.shared_label}"

    @property
    def width(self) -> int:
        return self.samples

    @torch.no_grad()
    def __call__(
        self, step: Step[S], state: S, *, max_length: Tensor, keys: Sequence[Sequence[int]]
    ) -> list[list[Hypothesis]]:
        device = max_length.device
        drawn = [
            [_Sample(np.random.default_rng((self.seed, number, *key)), limit) for number in range(self.samples)]
            for key, limit in zip(keys, max_length.tolist(), strict=True)
        ]
        live = drawn
        log_probs, state = step(torch.full_like(max_length, BOS), state)  # (B, V)
        rows = torch.arange(len(live), device=device).repeat_interleave(self.samples)
        log_probs, state = log_probs[rows], state.select(rows)  # (N, V), a sentence's samples adjacent
        history = max_length.new_zeros(len(rows), 0)  # (N, t), also of the samples that have ended
        while True:
            tokens = self._draw(self.constrain(history, log_probs), list(chain(*live)))
            history = torch.cat([history, tokens.unsqueeze(1)], dim=1)
            chosen = log_probs.gather(1, tokens.unsqueeze(1)).squeeze(1)
            for sample, token, log_prob in zip(chain(*live), tokens.tolist(), chosen.tolist(), strict=True):
                sample.add(token, log_prob)
            kept = [place for place, samples in enumerate(live) if not all(sample.ended for sample in samples)]
            if not kept:
                found = [
                    [Hypothesis(each.tokens, each.log_probs, sum(each.log_probs)) for each in some] for some in drawn
                ]
                return [sorted(samples, key=lambda sample: -sample.score) for samples in found]
            if len(kept) < len(live):
                sentences = torch.tensor(kept, device=device)
                rows = torch.arange(len(live) * self.samples, device=device).view(-1, self.samples)[sentences].flatten()
                live, history, state = [live[place] for place in kept], history[rows], state.select(rows, sentences)
            log_probs, state = step(history[:, -1], state)

    def _draw(self, log_probs: Tensor, samples: Sequence[_Sample]) -> Tensor:
        """Return one token (N,) for each row of `log_probs` (N, V).

        Exponential noise e decides: the token with the largest p / e is a draw from p (the Gumbel-max trick; Maddison
        et al. 2014, arXiv:1411.0030, section 2). With cumulative sums, a tiny rounding difference would often change
        the token; here it rarely does.
        """
        require_numbers(log_probs.amax(1))
        log_probs = ban(log_probs, torch.arange(log_probs.shape[1], device=log_probs.device), NEVER_GENERATED)
        best = log_probs.amax(1, keepdim=True)
        log_probs = (log_probs - best) / self.temperature
        log_probs = keep_top_p(keep_top_k(log_probs, self.top_k or log_probs.shape[1]), self.top_p)
        noise = np.stack([sample.noise.standard_exponential(log_probs.shape[1]) for sample in samples])
        return (log_probs.exp() / torch.from_numpy(noise).to(log_probs)).argmax(1)


@dataclass
class _Sample:
    """A hypothesis being drawn, with its own source of random numbers."""

    noise: np.random.Generator
    limit: int
    tokens: list[int] = field(default_factory=list)
    log_probs: list[float] = field(default_factory=list)
    ended: bool = False

    def add(self, token: int, log_prob: float) -> None:
        """Append a token, unless the hypothesis has ended."""
        if not self.ended:
            self.tokens.append(token)
            self.log_probs.append(log_prob)
            self.ended = token == EOS or len(self.tokens) == self.limit
