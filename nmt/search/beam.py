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
from nmt.search.base import Hypothesis, S, Search, Step, check_max_length
from nmt.search.rules import NEVER_GENERATED, ban, require_numbers, top
from nmt.special import BOS, EOS


@dataclass(frozen=True, kw_only=True)
class BeamSearch(Search):
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
        """`beam5.lp1`: beam size and length penalty, and `.best3` if `n_best` is 3 (nothing if it is 1)."""
        more = f".best{self.n_best}" if self.n_best > 1 else ""
        return f"beam{self.beam_size}.lp{self.length_penalty:g}{more}"

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
        live = _Live.start(max_length, self.n_best)
        tokens = torch.full_like(live.index, BOS)
        length = 0
        while live.index.numel():
            log_probs, state = step(tokens, state)
            length += 1
            candidates = _extend(live.beams, log_probs, count=2 * self.beam_size)
            ended = candidates.tokens[..., -1] == EOS
            scores = candidates.totals / length_normalization(length, self.length_penalty)
            finishes = self._finishes(candidates, ended | (live.max_length == length).unsqueeze(1))
            _record(found, live.index, candidates, scores, finishes)

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

    def _finishes(self, candidates: _Beams, ends: Tensor) -> Tensor:
        """Return which candidates (B, C) finish: those that end, exist, and rank among the first K."""
        ranked = torch.arange(ends.shape[1], device=ends.device) < self.beam_size
        return ends & ranked & (candidates.totals > -torch.inf)

    def _survivors(self, candidates: _Beams, ended: Tensor) -> _Beams:
        """Return the best K candidates without eos (B, K); places without a candidate have a sum of -inf."""
        places = ended.byte().argsort(dim=1, stable=True)[:, : self.beam_size]
        open_totals = candidates.totals.masked_fill(ended, -torch.inf)
        candidates = _Beams(candidates.tokens, candidates.log_probs, open_totals, candidates.parents)
        return candidates.take(torch.arange(places.shape[0], device=places.device).unsqueeze(1), places)

    def _done(self, live: _Live, length: int) -> Tensor:
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


@dataclass(frozen=True)
class _Beams:
    """The hypotheses of every sentence, best first: `tokens` and `log_probs` (B, W, t).

    `totals` (B, W) are the sums of `log_probs`; -inf marks an empty place. `parents` (B, W) are the indices of the
    hypotheses of the previous step that they continue.
    """

    tokens: Tensor
    log_probs: Tensor
    totals: Tensor
    parents: Tensor

    @classmethod
    def start(cls, sentences: int, device: torch.device) -> _Beams:
        """Return one hypothesis without tokens for each sentence."""
        nothing = torch.zeros(sentences, 1, 0, device=device)
        parents = torch.zeros(sentences, 1, dtype=torch.long, device=device)
        return cls(nothing.long(), nothing, torch.zeros(sentences, 1, device=device), parents)

    def take(self, sentences: Tensor, places: Tensor | slice = slice(None)) -> _Beams:
        """Return the hypotheses at (sentences, places): two index tensors of one shape, or all places."""
        fields = (self.tokens, self.log_probs, self.totals, self.parents)
        return _Beams(*(field[sentences, places] for field in fields))


@dataclass(frozen=True)
class _Live:
    """The sentences that are still searched, one row for each.

    `index` (B,) is the sentence's place in the call, `max_length` (B,) its limit, `finished` (B,) the number of its
    finished hypotheses, `best_scores` (B, n_best) the best scores of these (-inf if there are fewer), and `beams` its
    live hypotheses.
    """

    index: Tensor
    max_length: Tensor
    finished: Tensor
    best_scores: Tensor
    beams: _Beams

    @classmethod
    def start(cls, max_length: Tensor, n_best: int) -> _Live:
        """Return all sentences before the first token."""
        sentences, device = max_length.numel(), max_length.device
        index = torch.arange(sentences, device=device)
        best_scores = torch.full((sentences, n_best), -torch.inf, device=device)
        return cls(index, max_length, torch.zeros_like(index), best_scores, _Beams.start(sentences, device))

    def advance(self, scores: Tensor, finishes: Tensor, beams: _Beams) -> _Live:
        """Return the sentences with the candidates that finish (B, C) counted and `beams` as live hypotheses."""
        new_scores = scores.masked_fill(~finishes, -torch.inf)
        best_scores = torch.cat([self.best_scores, new_scores], dim=1).topk(self.best_scores.shape[1], dim=1).values
        return _Live(self.index, self.max_length, self.finished + finishes.sum(1), best_scores, beams)

    def keep(self, rows: Tensor) -> _Live:
        """Return only the sentences `rows` (B',)."""
        index, max_length, finished, best_scores = (
            field[rows] for field in (self.index, self.max_length, self.finished, self.best_scores)
        )
        return _Live(index, max_length, finished, best_scores, self.beams.take(rows))


def _extend(beams: _Beams, log_probs: Tensor, *, count: int) -> _Beams:
    """Return the `count` best continuations by one token (B, C), best first, from `log_probs` (B*W, V)."""
    sentences, width = beams.totals.shape
    # The best `count` of a sentence are among the best `count` of each hypothesis. Forbidden tokens may take places.
    values, ids = top(log_probs, min(count + len(NEVER_GENERATED), log_probs.shape[1]))  # (N, c)
    require_numbers(values)
    values = ban(values, ids, NEVER_GENERATED)
    kept = values.shape[1]  # for each hypothesis
    totals = (beams.totals.reshape(-1, 1) + values).view(sentences, width * kept)
    best, places = top(totals, min(count, width * kept))  # (B, C)
    parents = places // kept
    rows = torch.arange(sentences, device=totals.device).unsqueeze(1)
    last, last_log_prob = (x.reshape(sentences, -1).gather(1, places).unsqueeze(2) for x in (ids, values))
    return _Beams(
        tokens=torch.cat([beams.tokens[rows, parents], last], dim=2),
        log_probs=torch.cat([beams.log_probs[rows, parents], last_log_prob], dim=2),
        totals=best,
        parents=parents,
    )


def _record(found: list[list[Hypothesis]], index: Tensor, candidates: _Beams, scores: Tensor, finishes: Tensor) -> None:
    """Add the candidates that finish (B, C) to the lists of their sentences."""
    sentences, places = finishes.nonzero(as_tuple=True)
    if not sentences.numel():
        return
    ends = candidates.take(sentences, places)
    rows = zip(
        index[sentences].tolist(),
        ends.tokens.cpu().numpy().tolist(),  # ten times as fast as a tensor's own tolist
        ends.log_probs.cpu().numpy().tolist(),
        scores[sentences, places].tolist(),
        strict=True,
    )
    for sentence, tokens, log_probs, score in rows:
        found[sentence].append(Hypothesis(tokens, log_probs, score))
