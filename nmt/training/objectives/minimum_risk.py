"""Minimum risk training: the model learns from the BLEU of its own translations (after arXiv:1512.02433)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import torch
from sacrebleu.metrics.bleu import BLEU
from torch import Tensor

from nmt.data.batches import Batch, make_batch
from nmt.models.seq2seq import Seq2Seq, evaluating
from nmt.parameters import NonNegative, Range
from nmt.search.base import Hypothesis
from nmt.search.beam import BeamSearch
from nmt.training.objectives.base import Mean, Sums
from nmt.training.objectives.cross_entropy import CrossEntropy


@dataclass(kw_only=True, eq=False)
class MinimumRisk(CrossEntropy):
    """The expected risk of the model's own translations, and some cross entropy of the reference.

    The candidates Y of a sentence are its `candidates` best translations by beam search, without dropout. With their
    scores s(y) = log P(y | x) / ((5 + |y|) / 6) ** length_penalty, by which the search also ranks, the loss is the mean
    over sentences of

        sum over y in Y of Q(y) risk(y),    Q(y) = exp(alpha s(y)) / sum over y' in Y of exp(alpha s(y'))

    plus `likelihood` times the cross entropy of a reference token. The risk is 1 - BLEU of the sentence, from 0 to 1,
    computed on pieces and smoothed ("exp" of sacreBLEU, with effective order). log P is computed with dropout, as for
    any loss.

    The expected risk over a part of all translations, and its Q, are those of Shen et al. 2016 (arXiv:1512.02433,
    section 3). There, Y is the reference and up to 100 samples of the model, s(y) is log P(y | x) with alpha = 0.005,
    and there is no cross entropy. Here, an update needs the logits of 4 candidates, the reference acts through its
    cross entropy (as in Edunov et al. 2018, arXiv:1711.04956), and scores that are divided by the length need no small
    alpha.

    If several batches make an update, each counts by its target tokens. An update needs memory for the logits of all
    candidates.

    It is meant for a trained model (init=RUN_FOLDER) and a small learning rate: an untrained model has no good
    candidates. The figure `risk` is the mean expected risk of a sentence.
    """

    needs_usual_pieces = True

    candidates: Annotated[int, Range(low=2, high=256)] = 4
    alpha: NonNegative = 1.0
    length_penalty: float = 1.0
    likelihood: NonNegative = 0.3

    def __post_init__(self) -> None:
        self.search = BeamSearch(beam_size=self.candidates, n_best=self.candidates, length_penalty=self.length_penalty)
        self._bleu = BLEU(tokenize="none", effective_order=True)

    def training_sums(self, model: Seq2Seq, batch: Batch) -> Sums:
        found = self.find(model, batch)
        risks = self.expected_risks(model, batch, found)
        likely = super().training_sums(model, batch)
        # The trainer divides by tokens, so that the first term becomes a mean over sentences.
        loss = risks.mean() * likely.tokens + self.likelihood * likely.loss
        figures = {"risk": Mean(risks.detach().sum(), len(risks))}
        return Sums(loss, likely.nll, likely.tokens, figures)

    @torch.no_grad()
    def find(self, model: Seq2Seq, batch: Batch) -> list[list[Hypothesis]]:
        """Return the candidates of each sentence, at least one, by beam search without dropout."""
        lengths = batch.source_mask.sum(1).tolist()
        most = model.decoder.max_length or math.inf
        longest = [min(self.search.target_limit(length), most) for length in lengths]
        limits = torch.tensor(longest, dtype=torch.long, device=batch.source.device)
        with evaluating([model]):
            state = model.start(batch.source, batch.source_mask)
            found = self.search(model.step, state, max_length=limits, keys=[[]] * len(lengths))
        torch.clear_autocast_cache()  # torch before 2.11 keeps weights there that have no gradient
        return found

    def expected_risks(self, model: Seq2Seq, batch: Batch, found: Sequence[Sequence[Hypothesis]]) -> Tensor:
        """Return the expected risk (B,) of each sentence over its candidates, with gradient."""
        sources = [row[mask].tolist() for row, mask in zip(batch.source, batch.source_mask, strict=True)]
        references = [row[mask].tolist() for row, mask in zip(batch.target_out, batch.target_mask, strict=True)]
        targets = [hypothesis.tokens for own in found for hypothesis in own]
        counts = [len(own) for own in found]
        repeated = [source for source, count in zip(sources, counts, strict=True) for _ in range(count)]
        rows = make_batch(repeated, targets).to(batch.source.device)
        scores = self.alpha * self._scores(model, rows)
        own_references = [each for each, count in zip(references, counts, strict=True) for _ in range(count)]
        risks = scores.new_tensor([self.risk(*pair) for pair in zip(targets, own_references, strict=True)])
        groups = zip(torch.split(scores, counts), torch.split(risks, counts), strict=True)
        return torch.stack([(own.softmax(0) * risk).sum() for own, risk in groups])  # autocast would round `@`

    def _scores(self, model: Seq2Seq, rows: Batch) -> Tensor:
        """Return the normalized log-probability (N,) of each target of `rows`."""
        hidden, _ = model(rows.source, rows.source_mask, rows.target_in)
        log_probs = torch.log_softmax(model.decoder.output(hidden).float(), dim=-1)
        chosen = log_probs.gather(2, rows.target_out.unsqueeze(2)).squeeze(2)
        lengths = rows.target_mask.sum(1)
        return chosen.masked_fill(~rows.target_mask, 0.0).sum(1) / ((5 + lengths) / 6) ** self.length_penalty

    def risk(self, target: Sequence[int], reference: Sequence[int]) -> float:
        """Return 1 - smoothed BLEU of a translation, from 0 to 1. Both are ids, with eos."""
        score = self._bleu.sentence_score(" ".join(map(str, target)), [" ".join(map(str, reference))]).score
        return 1.0 - score / 100.0
