"""The settings that beam search and sampling share: rules on the next token, and the choice among candidates."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from nmt.errors import ParameterError
from nmt.require import require_choice, require_integer, require_number
from nmt.search.base import Hypothesis, Search
from nmt.search.risk import UTILITIES, Utility, expected_utilities
from nmt.search.rules import (
    NEVER_GENERATED,
    ban,
    forbid_early_end,
    forbid_repeated_ngrams,
    penalize_repetition,
)


@dataclass(frozen=True, kw_only=True)
class RuledSearch(Search):
    """A strategy whose next tokens follow rules. They apply in this order, and by default none does.

    `repetition_penalty` makes the tokens that a hypothesis has already less probable (1: unchanged; 1.2 is usual).
    `no_repeat_ngram_size` n forbids a second occurrence of an n-gram (0: none is forbidden). `min_length` is the
    smallest number of tokens, eos counted. Where a hypothesis has no other token left than eos, it ends all the same;
    and the length limit goes before `min_length`. So every sentence gets a hypothesis. Log-probabilities of tokens
    are always those of the model.

    `utility` turns on minimum Bayes risk: of the hypotheses that the search finds for a sentence, the one with the
    highest expected utility is the best, and expected utilities are the scores; see `nmt.search.risk`.
    """

    min_length: int = 0
    no_repeat_ngram_size: int = 0
    repetition_penalty: float = 1.0
    utility: Utility | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        require_integer(at_least=0, at_most=10_000, min_length=self.min_length)
        require_integer(at_least=0, at_most=10_000, no_repeat_ngram_size=self.no_repeat_ngram_size)
        require_number(at_least=1.0, at_most=100.0, repetition_penalty=self.repetition_penalty)

    def _require_candidates(self, **counts: int) -> None:
        """Raise ParameterError for an unknown utility, and for one with fewer than two candidates to choose from."""
        if self.utility is None:
            return
        require_choice(UTILITIES, utility=self.utility)
        for name, count in counts.items():
            if count < 2:
                raise ParameterError(
                    "utility",
                    f"it chooses among several translations, but {name} is {count}; raise {name}, or use null",
                )

    @property
    def shared_label(self) -> str:
        """The part of the label for the settings of this class that are on: `.min5.norepeat3.rep1.2.mbr-chrf`."""
        parts = [
            f".min{self.min_length}" if self.min_length > 1 else "",
            f".norepeat{self.no_repeat_ngram_size}" if self.no_repeat_ngram_size else "",
            f".rep{self.repetition_penalty:g}" if self.repetition_penalty > 1 else "",
            f".mbr-{self.utility}" if self.utility else "",
        ]
        return "".join(parts)

    def ruled(self, tokens: Tensor, log_probs: Tensor) -> Tensor:
        """Return `log_probs` (N, V) after the rules, for hypotheses with the `tokens` so far, without bos.

        `tokens` is (N, t), or (B, W, t) with N = B*W. Without a rule, `log_probs` itself is returned. With one, PAD and
        BOS are forbidden too.
        """
        if self.min_length <= 1 and not self.no_repeat_ngram_size and self.repetition_penalty == 1:
            return log_probs
        tokens = tokens.flatten(0, -2)
        log_probs = ban(log_probs, torch.arange(log_probs.shape[1], device=log_probs.device), NEVER_GENERATED)
        if self.repetition_penalty > 1:
            log_probs = penalize_repetition(tokens, log_probs, self.repetition_penalty)
        if self.no_repeat_ngram_size:
            log_probs = forbid_repeated_ngrams(tokens, log_probs, self.no_repeat_ngram_size)
        return forbid_early_end(tokens, log_probs, self.min_length)

    def rank(self, hypotheses: list[Hypothesis], decode: Callable[[Sequence[int]], str]) -> list[Hypothesis]:
        """Return the hypotheses of one sentence by expected utility, best first; unchanged without a utility."""
        if self.utility is None:
            return hypotheses
        texts, weights = [decode(each.tokens) for each in hypotheses], self._probabilities(hypotheses)
        utilities = expected_utilities(texts, weights, self.utility)
        scored = [replace(each, score=utility) for each, utility in zip(hypotheses, utilities, strict=True)]
        return sorted(scored, key=lambda hypothesis: -hypothesis.score)

    @abstractmethod
    def _probabilities(self, hypotheses: Sequence[Hypothesis]) -> list[float]:
        """Return how probable each hypothesis is among those of its sentence; the sum is 1."""
