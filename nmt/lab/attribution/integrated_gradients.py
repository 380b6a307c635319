"""Integrated gradients (Sundararajan et al. 2017, arXiv:1703.01365)."""

from __future__ import annotations

from typing import Annotated

import numpy as np
import torch
from torch import Tensor

from nmt.lab.attribution.base import AttributionView, Scores
from nmt.lab.attribution.gradient import gradients, join
from nmt.lab.attribution.prediction import Prediction
from nmt.parameters import Range

POINTS = 4  # of Gauss-Legendre quadrature in each part of the way
SHORTEST = 2.0**-12  # of the way: a shorter part is not halved


class IntegratedGradients(AttributionView):
    """The product of each embedding with the mean gradient of log P on the straight way from zero to the embeddings.

    The scores of a row add up to log P minus log P where all embeddings are zero (completeness, section 3). The log P
    of a Transformer rises steeply on a short part of the way. So the way is halved, and its halves again, until the
    scores of each part add up to the change of log P on it, with an error of at most `tolerance` (in nats). Parts
    shorter than 2^-12 of the way are not halved, so the error is larger where log P jumps right behind zero embeddings,
    as it does in models that have just begun to learn.
    """

    title = "Integrated gradients"
    question = "How much does each embedding add to log P of the token, on the way from zero?"

    def __init__(self, *, tolerance: Annotated[float, Range(above=0)] = 0.1) -> None:
        self.tolerance = tolerance

    def scores(self, prediction: Prediction) -> Scores:
        source, read = prediction.vectors
        # From -1/2 to 1/2, with weights that sum to 1. Axes are those of the gradients without T.
        points, weights = (source.new_tensor(x / 2).view(-1, 1, 1) for x in np.polynomial.legendre.leggauss(POINTS))

        def log_probs(place: float) -> Tensor:
            with torch.no_grad():
                hidden = prediction.hidden(place * source[None], place * read[None])
                return prediction.log_probs(hidden[0], prediction.target)

        def integral(start: float, end: float, first: Tensor, last: Tensor) -> Tensor:
            middle, width = (start + end) / 2, end - start
            places = middle + width * points
            by_source, by_read = (
                width * (weights.unsqueeze(-1) * each).sum(0)
                for each in gradients(prediction, places * source, places * read)
            )
            found = join(by_source * source, by_read * read)
            error = (found[0, 0].sum(-1) - (last - first)).abs().max()
            if error <= self.tolerance or width < SHORTEST:
                return found
            between = log_probs(middle)
            return integral(start, middle, first, between) + integral(middle, end, between, last)

        return Scores(integral(0.0, 1.0, log_probs(0.0), log_probs(1.0)))
