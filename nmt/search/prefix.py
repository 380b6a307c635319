"""Prefix forcing: every hypothesis of a sentence begins with given tokens. Any strategy searches with such a step."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Self, cast

import torch
from torch import Tensor

from nmt.search.base import Attending, S, Step
from nmt.tokens import PAD


@dataclass(frozen=True)
class Prefixed(Generic[S]):
    """The state `inner` after `read` steps, and the `prefixes` (B, P) of the sentences, padded at the end."""

    inner: S
    prefixes: Tensor
    read: int = 0

    def select(self, rows: Tensor, sentences: Tensor | None = None) -> Self:
        """Return the state of the hypotheses `rows` (N',); `sentences` (B',) are given if some were dropped."""
        prefixes = self.prefixes if sentences is None else self.prefixes[sentences]
        return type(self)(self.inner.select(rows, sentences), prefixes, self.read)

    @property
    def coverage(self) -> Tensor:
        """That of the inner state; a search reads it only if that state has it."""
        return cast(Attending, self.inner).coverage


def force_prefixes(
    step: Step[S], state: S, prefixes: Sequence[Sequence[int]], device: torch.device
) -> tuple[Step[Prefixed[S]], Prefixed[S]]:
    """Return a step function and a state with which every search begins with `prefixes`, one for each sentence.

    As long as a prefix lasts, all other tokens have a probability of 0, and its tokens keep their log-probabilities.
    The prefix counts in scores and lengths. Rules of the search give way to it. `prefixes` have no special tokens.
    """
    longest = max(map(len, prefixes))
    padded = torch.tensor([[*prefix, *[PAD] * (longest - len(prefix))] for prefix in prefixes], device=device)

    def forced(tokens: Tensor, state: Prefixed[S]) -> tuple[Tensor, Prefixed[S]]:
        log_probs, inner = step(tokens, state.inner)
        if state.read < longest:
            log_probs = _only(state.prefixes[:, state.read], log_probs)
        return log_probs, Prefixed(inner, state.prefixes, state.read + 1)

    return forced, Prefixed(state, padded)


def _only(wanted: Tensor, log_probs: Tensor) -> Tensor:
    """Forbid all tokens but those that the sentences want (B,) in `log_probs` (N, V). PAD: nothing is forbidden."""
    wanted = wanted.repeat_interleave(len(log_probs) // len(wanted)).unsqueeze(1)
    other = torch.arange(log_probs.shape[1], device=log_probs.device) != wanted
    return log_probs.masked_fill(other & (wanted != PAD), -torch.inf)
