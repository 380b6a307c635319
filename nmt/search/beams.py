"""The hypotheses that a beam search holds, and how they grow by one token.

Legend: B rows, each a sentence or a group of a sentence's beam, W live hypotheses of a row, N = B*W, V vocabulary,
C candidates, t tokens so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from nmt.search.base import Hypothesis
from nmt.search.rules import NEVER_GENERATED, require_numbers, top_sums


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

    @classmethod
    def interleaved(cls, groups: Sequence[Beams]) -> Beams:
        """Return the hypotheses of all groups, those of a sentence's groups adjacent."""
        fields = zip(*((each.tokens, each.log_probs, each.totals, each.parents) for each in groups), strict=True)
        return cls(*(torch.stack(field, 1).flatten(0, 1) for field in fields))

    def take(self, sentences: Tensor, places: Tensor | slice = slice(None)) -> Beams:
        """Return the hypotheses at (sentences, places): two index tensors of one shape, or all places."""
        fields = (self.tokens, self.log_probs, self.totals, self.parents)
        return Beams(*(field[sentences, places] for field in fields))


@dataclass(frozen=True)
class Live:
    """The sentences that are still searched, one row for each group of their beams.

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
    def start(cls, max_length: Tensor, groups: int, *, n_best: int) -> Live:
        """Return all sentences before the first token."""
        index = torch.arange(max_length.numel(), device=max_length.device).repeat_interleave(groups)
        best_scores = torch.full((len(index), n_best), -torch.inf, device=index.device)
        beams = Beams.start(len(index), index.device)
        return cls(index, max_length[index], torch.zeros_like(index), best_scores, beams)

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


def extend(beams: Beams, log_probs: Tensor, ranking: Tensor, choice: Tensor, *, count: int) -> Beams:
    """Return the `count` best continuations by one token (B, C), best first.

    `log_probs` (N, V) are the model's. `ranking` (N, V) are those after the rules, which are added to the totals.
    `choice` (N, V) decides which continuations are the best. Without rules and groups, the three are one tensor.
    """
    sentences, width = beams.totals.shape
    vocabulary = choice.shape[1]
    best, places = top_sums(beams.totals, choice, min(count, width * vocabulary), without=NEVER_GENERATED)  # (B, C)
    require_numbers(best)
    parents = places // vocabulary
    rows = torch.arange(sentences, device=places.device).unsqueeze(1)
    if ranking is not choice:
        totals = beams.totals.gather(1, parents) + ranking.reshape(sentences, -1).gather(1, places)
        best = totals.masked_fill(best == -torch.inf, -torch.inf)
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
