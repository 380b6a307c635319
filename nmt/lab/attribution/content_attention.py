"""Attention to content alone: without the ends of sentences and punctuation (arXiv:2605.01229)."""

from __future__ import annotations

import torch

from nmt.errors import UserError
from nmt.lab.attention.measures import are_punctuation
from nmt.lab.attribution.base import TINY, AttributionView, Scores
from nmt.lab.attribution.prediction import Prediction
from nmt.models.seq2seq import Seq2Seq


class ContentAttention(AttributionView):
    """Cross attention without `</s>` and punctuation; the other weights of a row are divided by their sum.

    Models put much weight on these marks, where little is to be read. A row of a source without any other token is 0.
    """

    title = "Attention to content"
    question = "Where does attention look apart from </s> and punctuation?"
    columns = "source"

    def check(self, model: Seq2Seq) -> None:
        if not model.decoder.attends:
            raise UserError(f"{self.title}: this model has no attention to the source; use another view")

    def scores(self, prediction: Prediction) -> Scores:
        with torch.no_grad():
            _, weights = prediction.attend()
        assert weights.cross is not None
        pieces = prediction.source_pieces
        marks = [mark or piece.is_special for mark, piece in zip(are_punctuation(pieces), pieces, strict=True)]
        kept = weights.cross[0].masked_fill(torch.tensor(marks, device=weights.cross.device), 0)
        return Scores(kept / kept.sum(-1, keepdim=True).clamp(min=TINY))
