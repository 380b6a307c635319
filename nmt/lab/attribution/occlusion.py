"""Occlusion (Zeiler and Fergus 2014, arXiv:1311.2901; of words: Li et al. 2016, arXiv:1612.08220)."""

from __future__ import annotations

import torch
from torch import Tensor

from nmt.lab.attribution.base import AttributionView, Scores
from nmt.lab.attribution.prediction import Prediction


class Occlusion(AttributionView):
    """How much log P of the target token falls when one input token is hidden: its embedding is zero.

    The token keeps its position, and can still be attended to.
    """

    title = "Occlusion"
    question = "How much less probable is the token if one token is hidden?"

    def scores(self, prediction: Prediction) -> Scores:
        source, read = prediction.vectors
        with torch.no_grad():
            complete = self._log_probs(prediction, source[None], read[None])  # (1, T)
            rows = []
            for hidden in prediction.copies(len(source) + len(read)):
                sources, reads = (x.expand(len(hidden), -1, -1).clone() for x in (source, read))
                for copy, token in enumerate(hidden.tolist()):
                    if token < len(source):
                        sources[copy, token] = 0
                    else:
                        reads[copy, token - len(source)] = 0
                rows.append(self._log_probs(prediction, sources, reads))
        lost = (complete - torch.cat(rows)).T  # (T, S + T)
        lost[:, len(source) :].tril_()  # later tokens are not read yet; batches of another size round differently
        return Scores(lost[None, None])

    def _log_probs(self, prediction: Prediction, sources: Tensor, reads: Tensor) -> Tensor:
        hidden = prediction.hidden(sources, reads)
        return prediction.log_probs(hidden, prediction.target.expand(len(sources), -1))
