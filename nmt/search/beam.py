"""Beam search over any step function. A beam of one is greedy search.

Scores. A hypothesis of n tokens with log-probability log P scores

    score = log P / ((5 + n) / 6) ** length_penalty            (Wu et al. 2016, arXiv:1609.08144, equation 14)

n is the number of generated tokens: with eos if the hypothesis ended with it, and always without bos. With a length
penalty of 0 the score is log P alone; a larger one favours longer hypotheses. The paper's coverage term is left out.

Legend: B sentences still searched, K beam size, W live hypotheses of a sentence (1 before the first token, then K),
N = B*W, V vocabulary, C = 2K candidates, t tokens so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from nmt.checks import require_integer, require_number
from nmt.search.base import Hypothesis, S, Step, check_max_length
from nmt.search.beams import Beams, Live, extend, record
from nmt.search.ruled import RuledSearch
from nmt.special import BOS, EOS


@dataclass(frozen=True, kw_only=True)
class BeamSearch(RuledSearch):
    """Keeps the `beam_size` best prefixes of each sentence and extends all of them at every step.

    1. Predict: the model reads the last token of every live hypothesis.
    2. Rank: the 2K best continuations of a sentence's live hypotheses are its candidates, best first.
    3. Finish: candidates among the first K that end with eos are finished. At `max_length` the other candidates
       among the first K are finished too, without eos.
    4. Survive: the best K candidates without eos are the new live hypotheses.
    5. Drop: sentences that are done leave the computation; see `_done`.

    The call returns the `n_best` best finished hypotheses of each sentence, or fewer if fewer exist. Among equal
    scores, the better-ranked parent comes first, then the lower token id, then the earlier end. No sentence influences
    another.
    """

    beam_size: int = 5
    length_penalty: float = 1.0
    n_best: int = 1

    def __post_init__(self) -> None:
        super().__post_init__()
        require_integer(at_least=1, at_most=256, beam_size=self.beam_size)
        require_number(at_least=0.0, at_most=100.0, length_penalty=self.length_penalty)
        require_integer(at_least=1, at_most=self.beam_size, n_best=self.n_best)

    @property
    def label(self) -> str:
        """`beam5.lp1`: beam size and length penalty, then settings that are not off: `.min5`, `.best3`."""
        more = f".best{self.n_best}" if self.n_best > 1 else ""
        return f"beam{self.beam_size}.lp{self.length_penalty:g}{self.rules_label}{more}"

    @property
    def width(self) -> int:
        """The beam size."""
        return self.beam_size

    @torch.no_grad()
    def __call__(
        self, step: Step[S], state: S, *, max_length: Tensor, keys: Sequence[Sequence[int]]
    ) -> list[list[Hypothesis]]:
        """Return at most `n_best` hypotheses for each sentence, best score first. See `Search`."""
        check_max_length(max_length)
        found: list[list[Hypothesis]] = [[] for _ in range(max_length.numel())]
        live = Live.start(max_length, self.n_best)
        tokens = torch.full_like(live.index, BOS)
        length = 0
        while live.index.numel():
            log_probs, state = step(tokens, state)
            length += 1
            ranking = self.ruled(live.beams.tokens.flatten(0, 1), log_probs)
            candidates = extend(live.beams, log_probs, ranking, count=2 * self.beam_size)
            ended = candidates.tokens[..., -1] == EOS
            scores = candidates.totals / length_normalization(length, self.length_penalty)
            finishes = self._finishes(candidates, ended | (live.max_length == length).unsqueeze(1))
            record(found, live.index, candidates, scores, finishes)

            width = live.beams.totals.shape[1]
            live = live.advance(scores, finishes, self._survivors(candidates, ended))
            rows = torch.arange(live.index.numel(), device=tokens.device).unsqueeze(1) * width + live.beams.parents
            done = self._done(live, length)
            if bool(done.any()):
                kept = (~done).nonzero().squeeze(1)
                live = live.keep(kept)
                state = state.select(rows[kept].flatten(), kept)
            elif self.beam_size > 1:  # with a beam of one every row stays in its place
                state = state.select(rows.flatten())
            tokens = live.beams.tokens[..., -1].flatten()
        return [self._best(hypotheses) for hypotheses in found]

    def _finishes(self, candidates: Beams, ends: Tensor) -> Tensor:
        """Return which candidates (B, C) finish: those that end, exist, and rank among the first K."""
        ranked = torch.arange(ends.shape[1], device=ends.device) < self.beam_size
        return ends & ranked & (candidates.totals > -torch.inf)

    def _survivors(self, candidates: Beams, ended: Tensor) -> Beams:
        """Return the best K candidates without eos (B, K); places without a candidate have a sum of -inf."""
        places = ended.byte().argsort(dim=1, stable=True)[:, : self.beam_size]
        open_totals = candidates.totals.masked_fill(ended, -torch.inf)
        candidates = Beams(candidates.tokens, candidates.log_probs, open_totals, candidates.parents)
        return candidates.take(torch.arange(places.shape[0], device=places.device).unsqueeze(1), places)

    def _done(self, live: Live, length: int) -> Tensor:
        """Return which sentences (B,) are done: those for which one of three conditions holds.

        `at_limit`: the hypotheses are as long as the sentence allows.
        `enough`: K hypotheses are finished, and the n_best-th of them scores at least as well as the best live
        hypothesis would if it ended now at no cost. So the search goes on if K hypotheses end early and a live one is
        still better.
        `unbeatable`: the n_best-th finished hypothesis scores at least as well as any continuation can.
        Log-probabilities only lower the sum and the divisor grows with the length, so no continuation scores above the
        best live sum divided by the divisor at max_length.
        """
        worst_kept, best_live = live.best_scores[:, -1], live.beams.totals.amax(1)
        at_limit = live.max_length == length
        enough = (live.finished >= self.beam_size) & (
            worst_kept >= best_live / length_normalization(length, self.length_penalty)
        )
        unbeatable = worst_kept >= best_live / length_normalization(live.max_length, self.length_penalty)
        return at_limit | enough | unbeatable

    def _best(self, hypotheses: list[Hypothesis]) -> list[Hypothesis]:
        if not hypotheses:
            raise ValueError("search: the model gave every token a probability of zero")
        return sorted(hypotheses, key=lambda hypothesis: -hypothesis.score)[: self.n_best]


def length_normalization(length: Tensor | int, length_penalty: float) -> Tensor:
    """Return ((5 + length) / 6) ** length_penalty, the divisor of log P (arXiv:1609.08144, equation 14)."""
    return ((5.0 + torch.as_tensor(length)) / 6.0) ** length_penalty
