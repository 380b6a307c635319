"""Beam search over any step function; greedy search is a beam of one. Knows tensors, not models.

Scores. A hypothesis of log-probability log P and length n scores

    score = log P / ((5 + n) / 6) ** length_penalty            (Wu et al. 2016, arXiv:1609.08144, equation 14)

n counts generated tokens: eos when the hypothesis ended with it, never bos. A length penalty of 0 scores by log P
alone, larger ones favour longer hypotheses. There is no coverage term.

Legend: B sentences still searched, W live hypotheses each (1 before the first token, then the beam size K), N = B*W,
V vocabulary, C = 2K candidates, t tokens so far.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, Self, TypeVar

import torch
from torch import Tensor

from nmt.errors import UserError

_GROUP = 64  # columns whose maximum is looked at first; see _top


class Selectable(Protocol):
    """What search asks of a decoder's state; `nmt.models.interface.State` is one."""

    def select(self, rows: Tensor, sentences: Tensor | None = None) -> Self:
        """Return the state of hypotheses `rows` (N',), and of `sentences` (B',) where some were dropped."""
        ...


S = TypeVar("S", bound=Selectable)
Step = Callable[[Tensor, S], tuple[Tensor, S, Any]]
"""Reads tokens (N,); returns log-probabilities (N, V) in float32, the next state, and something search ignores."""


@dataclass(frozen=True)
class Hypothesis:
    """A found translation: `tokens` without bos, with eos if it ended; `token_log_probs` are natural logarithms."""

    tokens: list[int]
    token_log_probs: list[float]
    score: float


@dataclass(frozen=True)
class _Beams:
    """Hypotheses as tensors, best first: prefixes `tokens` and `log_probs` (B, W, t), sums of the latter (B, W).

    `parents` (B, W) says which hypothesis of the step before each one continues. A sum of -inf marks no hypothesis.
    """

    tokens: Tensor
    log_probs: Tensor
    totals: Tensor
    parents: Tensor

    def take(self, sentences: Tensor, places: Tensor) -> _Beams:
        """Return the hypotheses at (sentences, places), two index tensors of one shape."""
        fields = (self.tokens, self.log_probs, self.totals, self.parents)
        return _Beams(*(field[sentences, places] for field in fields))


def length_normalization(length: Tensor | int, length_penalty: float) -> Tensor:
    """Return ((5 + length) / 6) ** length_penalty, what log P is divided by (arXiv:1609.08144, equation 14)."""
    return ((5.0 + torch.as_tensor(length)) / 6.0) ** length_penalty


@torch.no_grad()
def search(
    step: Step[S],
    state: S,
    *,
    bos: int,
    eos: int,
    pad: int,
    max_length: Tensor,
    beam_size: int = 1,
    length_penalty: float = 1.0,
    n_best: int = 1,
) -> list[list[Hypothesis]]:
    """Return at most `n_best` hypotheses a sentence, best score first (fewer only where fewer are possible).

    `state` is the state before the first token with one hypothesis a sentence (N = B); `max_length` (B,) is the most
    tokens each sentence may generate, eos included. Each step extends the live hypotheses and ranks the best 2K
    candidates; those among the first K that end with eos are finished, the best K others live on. A hypothesis that
    reaches max_length is finished as it is, without eos, and scored at that length.

    A sentence is done when K hypotheses have finished, n_best of which score at least what the best live one would if
    it ended now for nothing. So a beam of one is greedy search, and early ends do not crowd out what is better and
    still being written. It is done, too, at max_length, and as soon as nothing better can come: log-probabilities
    only add up to less and the divisor grows with length, so no continuation of a live log P scores above log P / ((5
    + max_length) / 6) ** length_penalty; once n_best finished hypotheses reach that bound of the best live one, the
    rest cannot change the result. Sentences that are done leave the computation, and none influences another. Equal
    scores are broken by the better-ranked parent, then the lower token id, then the earlier end. pad and bos are
    never generated.

    Raises UserError for log-probabilities that are NaN, ValueError for parameters out of range and where no token is
    possible.
    """
    _check_parameters(max_length, beam_size, length_penalty, n_best)
    sentences, device = max_length.numel(), max_length.device
    found: list[list[Hypothesis]] = [[] for _ in range(sentences)]
    index = torch.arange(sentences, device=device)  # which sentence of the call each one still searched is
    finished = index.new_zeros(sentences)
    best_scores = torch.full((sentences, n_best), -torch.inf, device=device)
    beams, tokens = _empty_beams(sentences, device), index.new_full((sentences,), bos)
    length = 0
    while index.numel():
        log_probs, state, _ = step(tokens, state)
        length += 1
        width = beams.totals.shape[1]
        candidates = _extend(beams, log_probs, count=2 * beam_size, banned=(pad, bos))

        at_limit = max_length == length
        ended = candidates.tokens[..., -1] == eos
        finishes = _finishes(candidates, ended | at_limit.unsqueeze(1), beam_size)
        scores = candidates.totals / length_normalization(length, length_penalty)
        _record(found, index, candidates, scores, finishes)
        finished = finished + finishes.sum(1)
        new_scores = scores.masked_fill(~finishes, -torch.inf)
        best_scores = torch.cat([best_scores, new_scores], dim=1).topk(n_best, dim=1).values

        beams = _survivors(candidates, ended, beam_size)
        bound = beams.totals.amax(1) / length_normalization(max_length, length_penalty)
        live = beams.totals.amax(1) / length_normalization(length, length_penalty)
        enough = (finished >= beam_size) & (best_scores[:, -1] >= live)
        done = at_limit | enough | (best_scores[:, -1] >= bound)
        rows = torch.arange(index.numel(), device=device).unsqueeze(1) * width + beams.parents  # (B, W) into N
        if dropped := bool(done.any()):
            keep = (~done).nonzero().squeeze(1)
            beams, rows = _keep(beams, keep), rows[keep]
            index, max_length = index[keep], max_length[keep]
            finished, best_scores = finished[keep], best_scores[keep]
        if dropped or not width == beam_size == 1:  # a greedy step that drops nobody leaves every row in its place
            state = state.select(rows.flatten(), keep if dropped else None)
        tokens = beams.tokens[..., -1].flatten()
    return [_best(hypotheses, n_best) for hypotheses in found]


def _extend(beams: _Beams, log_probs: Tensor, *, count: int, banned: tuple[int, ...]) -> _Beams:
    """Return the `count` best continuations by one token, best first, from `log_probs` (B*W, V)."""
    sentences, width = beams.totals.shape
    # A sentence's best `count` are among each hypothesis' own best; the banned ones may take up places there.
    values, ids = _top(log_probs, min(count + len(banned), log_probs.shape[1]))  # (N, c)
    if bool(values.isnan().any()):
        raise UserError(
            "search: the model's log-probabilities are NaN, so its weights are broken; use another checkpoint, or "
            "train with a lower optimizer.lr"
        )
    for token in banned:
        values = values.masked_fill(ids == token, -torch.inf)
    each = values.shape[1]
    totals = (beams.totals.reshape(-1, 1) + values).view(sentences, width * each)
    best, places = _top(totals, min(count, width * each))  # (B, C)
    parents = places // each
    rows = torch.arange(sentences, device=totals.device).unsqueeze(1)
    last, last_log_prob = (x.reshape(sentences, -1).gather(1, places).unsqueeze(2) for x in (ids, values))
    return _Beams(
        tokens=torch.cat([beams.tokens[rows, parents], last], dim=2),
        log_probs=torch.cat([beams.log_probs[rows, parents], last_log_prob], dim=2),
        totals=best,
        parents=parents,
    )


def _finishes(candidates: _Beams, ends: Tensor, beam_size: int) -> Tensor:
    """Return which candidates (B, C) are finished: those that end, exist, and rank among the first `beam_size`."""
    ranked = torch.arange(ends.shape[1], device=ends.device) < beam_size
    return ends & ranked & (candidates.totals > -torch.inf)


def _survivors(candidates: _Beams, ended: Tensor, beam_size: int) -> _Beams:
    """Return the best `beam_size` candidates that go on; where there are too few, some of them are none (-inf)."""
    places = ended.byte().argsort(dim=1, stable=True)[:, :beam_size]
    open_totals = candidates.totals.masked_fill(ended, -torch.inf)
    candidates = _Beams(candidates.tokens, candidates.log_probs, open_totals, candidates.parents)
    return candidates.take(torch.arange(places.shape[0], device=places.device).unsqueeze(1), places)


def _record(found: list[list[Hypothesis]], index: Tensor, candidates: _Beams, scores: Tensor, finishes: Tensor) -> None:
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


def _best(hypotheses: list[Hypothesis], n_best: int) -> list[Hypothesis]:
    if not hypotheses:
        raise ValueError("search: the model gave every token a probability of zero")
    return sorted(hypotheses, key=lambda hypothesis: -hypothesis.score)[:n_best]


def _empty_beams(sentences: int, device: torch.device) -> _Beams:
    nothing = torch.zeros(sentences, 1, 0, device=device)
    none_yet = torch.zeros(sentences, 1, dtype=torch.long, device=device)
    return _Beams(nothing.long(), nothing, torch.zeros(sentences, 1, device=device), none_yet)


def _keep(beams: _Beams, sentences: Tensor) -> _Beams:
    return _Beams(*(x[sentences] for x in (beams.tokens, beams.log_probs, beams.totals, beams.parents)))


def _top(values: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Return the `count` largest of each row and their columns, largest first, equal ones by the lower column.

    NaN counts as the largest. The largest values of a wide row lie in the `count` groups of adjacent columns whose
    maxima are largest, and a maximum is far cheaper than a selection: half the time of `topk` over all of V.
    """
    rows, columns = values.shape
    groups = columns // _GROUP
    if groups > 2 * count:
        whole = groups * _GROUP
        maxima = values[:, :whole].view(rows, groups, _GROUP).amax(2)
        chosen = _top(maxima, count)[1].sort(dim=1).values  # ascending, so that equal values keep their order
        inside = (chosen.unsqueeze(2) * _GROUP + torch.arange(_GROUP, device=values.device)).flatten(1)
        rest = torch.arange(whole, columns, device=values.device).expand(rows, -1)
        places = torch.cat([inside, rest], dim=1)
        best, among = _top(values.gather(1, places), count)
        return best, places.gather(1, among)
    best, places = values.topk(min(count + 1, columns), dim=1)
    # topk leaves the order of equal values open, and which of them it takes: sort the few rows that have any.
    equal = ((best[:, 1:] == best[:, :-1]) & (best[:, 1:] > -torch.inf)).any(1)
    if bool(equal.any()):
        ordered = values[equal].sort(dim=1, descending=True, stable=True)
        best[equal], places[equal] = ordered.values[:, : best.shape[1]], ordered.indices[:, : best.shape[1]]
    return best[:, :count], places[:, :count]


def _check_parameters(max_length: Tensor, beam_size: int, length_penalty: float, n_best: int) -> None:
    if max_length.dim() != 1 or bool((max_length < 1).any()):
        raise ValueError(f"search: max_length must be (B,) and at least 1 everywhere, got {max_length.tolist()}")
    if beam_size < 1:
        raise ValueError(f"search: got beam_size {beam_size}, expected at least 1")
    if length_penalty < 0:
        raise ValueError(f"search: got length_penalty {length_penalty}, expected at least 0")
    if not 1 <= n_best <= beam_size:
        raise ValueError(f"search: got n_best {n_best}, expected 1 to beam_size, {beam_size}")
