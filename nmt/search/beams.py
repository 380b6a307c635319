"""The hypotheses that a beam search holds, and how they grow by one token.

Legend: B sentences, W live hypotheses of a sentence, N = B*W, V vocabulary, C candidates, t tokens so far.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from nmt.search.base import Hypothesis
from nmt.search.rules import NEVER_GENERATED, ban, require_numbers, top


@dataclass(frozen=True)
class Beams:
    """The hypotheses of every sentence, best first: `tokens` and `log_probs` (B, W, t).

    `totals` (B, W) are the sums of log-probabilities after the rules; -inf marks an empty place. `parents` (B, W) are
    the indices of the hypotheses of the previous step that they continue.
    """

    tokens: Tensor
    log_probs: Tensor
    totals: Tensor
    parents: Tensor

    @classmethod
    def start(cls, sentences: int, device: torch.device) -> Beams:
        """Return one hypothesis without tokens for each sentence."""
        nothing = torch.zeros(sentences, 1, 0, device=device)
        parents = torch.zeros(sentences, 1, dtype=torch.long, device=device)
        return cls(nothing.long(), nothing, torch.zeros(sentences, 1, device=device), parents)

    def take(self, sentences: Tensor, places: Tensor | slice = slice(None)) -> Beams:
        """Return the hypotheses at (sentences, places): two index tensors of one shape, or all places."""
        fields = (self.tokens, self.log_probs, self.totals, self.parents)
        return Beams(*(field[sentences, places] for field in fields))


@dataclass(frozen=True)
class Live:
    """The sentences that are still searched, one row for each.

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
    def start(cls, max_length: Tensor, n_best: int) -> Live:
        """Return all sentences before the first token."""
        sentences, device = max_length.numel(), max_length.device
        index = torch.arange(sentences, device=device)
        best_scores = torch.full((sentences, n_best), -torch.inf, device=device)
        return cls(index, max_length, torch.zeros_like(index), best_scores, Beams.start(sentences, device))

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


def extend(beams: Beams, log_probs: Tensor, ranking: Tensor, *, count: int) -> Beams:
    """Return the `count` best continuations by one token (B, C), best first.

    `ranking` (N, V) are the log-probabilities after the rules, which are added to the totals; `log_probs` (N, V) are
    the model's. Without rules, both are one tensor.
    """
    sentences, width = beams.totals.shape
    # The best `count` of a sentence are among the best `count` of each hypothesis. Forbidden tokens may take places.
    values, ids = top(ranking, min(count + len(NEVER_GENERATED), ranking.shape[1]))  # (N, c)
    require_numbers(values)
    values = ban(values, ids, NEVER_GENERATED)
    kept = values.shape[1]  # for each hypothesis
    totals = (beams.totals.reshape(-1, 1) + values).view(sentences, width * kept)
    best, places = top(totals, min(count, width * kept))  # (B, C)
    parents = places // kept
    rows = torch.arange(sentences, device=totals.device).unsqueeze(1)
    own = values if ranking is log_probs else log_probs.gather(1, ids)
    last, last_log_prob = (x.reshape(sentences, -1).gather(1, places).unsqueeze(2) for x in (ids, own))
    return Beams(
        tokens=torch.cat([beams.tokens[rows, parents], last], dim=2),
        log_probs=torch.cat([beams.log_probs[rows, parents], last_log_prob], dim=2),
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
