"""Beam search over any step function. A beam of one is greedy search.

Scores. A hypothesis of n tokens with log-probability log P scores

    score = log P / divisor + coverage_penalty * c
    divisor = ((5 + n) / 6) ** length_penalty    normalization "gnmt": Wu et al. 2016, arXiv:1609.08144, equation 14
    divisor = n ** length_penalty                normalization "power": the score of fairseq
    c = sum over source tokens of log(min(a, 1)), where a is the attention that the source token received in all n steps

n is the number of generated tokens: with eos if the hypothesis ended with it, and always without bos. With a length
penalty of 0 the divisor is 1; a larger one favours longer hypotheses. c is part of the paper's equation; it counts when
a hypothesis is finished, and does not influence which hypotheses live. a is at least 1e-8, because some attentions give
weights of exactly 0.

Legend: B sentences still searched, K beam size, W live hypotheses of a sentence (1 before the first token, then K),
N = B*W, V vocabulary, C = 2K candidates, t tokens so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, NamedTuple, cast

import torch
from torch import Tensor

from nmt.errors import ParameterError
from nmt.parameters import PositiveInt, Range
from nmt.search.base import Attending, Hypothesis, S, Step
from nmt.search.constraints import NEVER_GENERATED, ConstrainedSearch, require_numbers, top_sums
from nmt.tokens import BOS, EOS

MIN_COVERAGE = 1e-8


@dataclass(frozen=True, kw_only=True)
class BeamSearch(ConstrainedSearch):
    """Keeps the `beam_size` best prefixes of each sentence and extends all of them at every step.

    1. Predict: the model reads the last token of every live hypothesis.
    2. Rank: the 2K best continuations of a sentence's live hypotheses are its candidates, best first.
    3. Finish: candidates among the first K that end with eos are finished. At `max_length` the other candidates
       among the first K are finished too, without eos.
    4. Survive: the best K candidates without eos are the new live hypotheses.
    5. Drop: a sentence leaves the computation when it is done; see `_done`.

    The call returns the `n_best` best finished hypotheses of each sentence, or fewer if fewer exist. Among equal
    scores, the better-ranked parent comes first, then the lower token id, then the earlier end. No sentence influences
    another.
    """

    beam_size: Annotated[int, Range(low=1, high=256)] = 5
    length_penalty: Annotated[float, Range(low=0, high=10)] = 1.0
    normalization: Literal["gnmt", "power"] = "gnmt"
    coverage_penalty: Annotated[float, Range(low=0, high=100)] = 0.0
    groups: Annotated[int, Range(low=1, high=1)] = 1  # of earlier versions, whose checkpoints have it
    diversity: Annotated[float, Range(low=0.5, high=0.5)] = 0.5  # likewise
    n_best: PositiveInt = 1

    def __post_init__(self) -> None:
        if self.n_best > self.beam_size:
            raise ParameterError("n_best", f"got {self.n_best}, expected at most beam_size={self.beam_size}")
        self._require_candidates("n_best", self.n_best)

    @property
    def label(self) -> str:
        """`beam5.lp1` or `beam5.power1`: beam size and length penalty, then other active settings: `.cov0.2.best3`."""
        parts = [
            f"beam{self.beam_size}.{'lp' if self.normalization == 'gnmt' else 'power'}{self.length_penalty:g}",
            f".cov{self.coverage_penalty:g}" if self.coverage_penalty else "",
            self.shared_label,
            f".best{self.n_best}" if self.n_best > 1 else "",
        ]
        return "".join(parts)

    @property
    def width(self) -> int:
        return self.beam_size

    @property
    def reads_attention(self) -> bool:
        """Whether the coverage term is on."""
        return self.coverage_penalty > 0

    @torch.no_grad()
    def __call__(
        self, step: Step[S], state: S, *, max_length: Tensor, keys: Sequence[Sequence[int]]
    ) -> list[list[Hypothesis]]:
        found: list[list[Hypothesis]] = [[] for _ in range(max_length.numel())]
        live = Live.start(max_length, n_best=self.n_best)
        tokens = torch.full_like(live.index, BOS)
        length = 0
        while live.index.numel():
            log_probs, state = step(tokens, state)
            length += 1
            candidates = extend(live.beams, self.constrain(live.beams.tokens, log_probs), count=2 * self.beam_size)
            ended = candidates.tokens[..., -1] == EOS
            scores = candidates.totals / self.divisor(length)
            if self.coverage_penalty:
                scores = scores + self.coverage_penalty * coverage(cast(Attending, state), candidates.parents)
            ends = ended | (live.max_length == length).unsqueeze(1)
            first = torch.arange(ends.shape[1], device=ends.device) < self.beam_size
            finishes = ends & first & (candidates.totals > -torch.inf)
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
        return [sorted(each, key=lambda hypothesis: -hypothesis.score)[: self.n_best] for each in found]

    def _survivors(self, candidates: Beams, ended: Tensor) -> Beams:
        """Return the best K candidates without eos (B, K); places without a candidate have a sum of -inf."""
        places = ended.byte().argsort(dim=1, stable=True)[:, : self.beam_size]
        open_totals = candidates.totals.masked_fill(ended, -torch.inf)
        rows = torch.arange(places.shape[0], device=places.device).unsqueeze(1)
        return candidates._replace(totals=open_totals).take(rows, places)

    def _done(self, live: Live, length: int) -> Tensor:
        """Return the mask (B,) of the sentences that are done, because one of three conditions holds.

        `at_limit`: the hypotheses are as long as the sentence allows.
        `enough`: K hypotheses are finished, and the n_best-th of them scores at least as well as the best live
        hypothesis would if it ended now at no cost.
        `unbeatable`: the n_best-th finished hypothesis scores at least as well as any continuation can.
        Log-probabilities only lower the sum and the divisor grows with the length, so no continuation scores above the
        best live sum divided by the divisor at max_length. The coverage term is never above 0.
        """
        worst_kept, best_live = live.best_scores[:, -1], live.beams.totals.amax(1)
        at_limit = live.max_length == length
        enough = (live.finished >= self.beam_size) & (worst_kept >= best_live / self.divisor(length))
        unbeatable = worst_kept >= best_live / self.divisor(live.max_length)
        return at_limit | enough | unbeatable

    def divisor(self, length: Tensor | int) -> Tensor | float:
        """Return the divisor of log P; for "gnmt" and "power", see the equations at the top of this file."""
        exact = length.float() if isinstance(length, Tensor) else float(length)
        return ((5.0 + exact) / 6.0 if self.normalization == "gnmt" else exact) ** self.length_penalty

    def normalized(self, token_log_probs: Sequence[float]) -> float:
        """Return log P divided by the divisor: the score without the coverage term."""
        return sum(token_log_probs) / float(self.divisor(len(token_log_probs)))

    def _probabilities(self, hypotheses: Sequence[Hypothesis]) -> list[float]:
        """Return the probabilities under the model, normalized, because no hypothesis occurs twice."""
        log_probs = torch.tensor([sum(hypothesis.token_log_probs) for hypothesis in hypotheses], dtype=torch.double)
        return log_probs.softmax(0).tolist()


class Beams(NamedTuple):
    """The hypotheses of every sentence, best first: `tokens` and `log_probs` (B, W, t).

    `totals` (B, W) are the sums of log-probabilities after the constraints; -inf marks an empty place. `parents` (B, W)
    are the indices of the hypotheses of the previous step that they continue.
    """

    tokens: Tensor
    log_probs: Tensor
    totals: Tensor
    parents: Tensor

    def take(self, sentences: Tensor, places: Tensor | slice = slice(None)) -> Beams:
        """Return the hypotheses at (sentences, places): two index tensors of one shape, or all places."""
        return Beams(*(field[sentences, places] for field in self))


@dataclass(frozen=True)
class Live:
    """The sentences that are still searched.

    `index` (B,) is the sentence's place in the call, `max_length` (B,) its limit, `finished` (B,) the number of its
    finished hypotheses, `best_scores` (B, n_best) the best scores of these (-inf if there are fewer), and `beams` its
    live hypotheses.
    """

    index: Tensor
    max_length: Tensor
    finished: Tensor
    best_scores: Tensor
    beams: Beams

    @classmethod
    def start(cls, max_length: Tensor, *, n_best: int) -> Live:
        """Return all sentences before the first token, with one hypothesis without tokens each."""
        index = torch.arange(max_length.numel(), device=max_length.device)
        best_scores = torch.full((len(index), n_best), -torch.inf, device=index.device)
        nothing = torch.zeros(len(index), 1, 0, device=index.device)
        totals = torch.zeros(len(index), 1, device=index.device)
        beams = Beams(nothing.long(), nothing, totals, parents=totals.long())
        return cls(index, max_length, torch.zeros_like(index), best_scores, beams)

    def advance(self, scores: Tensor, finishes: Tensor, beams: Beams) -> Live:
        """Return the sentences with the candidates that finish (B, C) counted and `beams` as live hypotheses."""
        new_scores = scores.masked_fill(~finishes, -torch.inf)
        best_scores = torch.cat([self.best_scores, new_scores], dim=1).topk(self.best_scores.shape[1], dim=1).values
        return Live(self.index, self.max_length, self.finished + finishes.sum(1), best_scores, beams)

    def keep(self, rows: Tensor) -> Live:
        """Return only the sentences `rows` (B',)."""
        index, max_length, finished, best_scores = (
            field[rows] for field in (self.index, self.max_length, self.finished, self.best_scores)
        )
        return Live(index, max_length, finished, best_scores, self.beams.take(rows))


def extend(beams: Beams, log_probs: Tensor, *, count: int) -> Beams:
    """Return the `count` best continuations by one token (B, C), best first.

    `log_probs` (N, V) are the log-probabilities after the constraints.
    """
    sentences, width = beams.totals.shape
    vocabulary = log_probs.shape[1]
    best, places = top_sums(beams.totals, log_probs, min(count, width * vocabulary), without=NEVER_GENERATED)  # (B, C)
    require_numbers(best)
    parents = places // vocabulary
    rows = torch.arange(sentences, device=places.device).unsqueeze(1)
    last, last_log_prob = places % vocabulary, log_probs.reshape(sentences, -1).gather(1, places)
    return Beams(
        tokens=torch.cat([beams.tokens[rows, parents], last.unsqueeze(2)], dim=2),
        log_probs=torch.cat([beams.log_probs[rows, parents], last_log_prob.unsqueeze(2)], dim=2),
        totals=best,
        parents=parents,
    )


def record(found: list[list[Hypothesis]], index: Tensor, candidates: Beams, scores: Tensor, finishes: Tensor) -> None:
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


def coverage(state: Attending, parents: Tensor) -> Tensor:
    """Return the coverage term c (B, C) of candidates that continue `parents` (B, C)."""
    terms = state.coverage.clamp(MIN_COVERAGE, 1.0).log().sum(1)  # (N,)
    return terms.view(parents.shape[0], -1).gather(1, parents)
