"""Input times gradient (Denil et al. 2014, arXiv:1412.6815; Shrikumar et al. 2016, arXiv:1605.01713)."""

from __future__ import annotations

import torch
from torch import Tensor

from nmt.lab.attribution.base import AttributionView, Scores
from nmt.lab.attribution.prediction import Prediction


class InputXGradient(AttributionView):
    """The product of the embedding of each input token with the gradient of log P of the target token.

    It is how much log P would fall, if log P were a linear function of the embedding, and the embedding were zero.
    """

    title = "Input times gradient"
    question = "How much would log P of the token fall without an embedding, if it were linear?"

    def scores(self, prediction: Prediction) -> Scores:
        source, read = prediction.vectors
        (by_source,), (by_read,) = gradients(prediction, source[None], read[None])
        return Scores(join(by_source * source, by_read * read))


def gradients(prediction: Prediction, source: Tensor, read: Tensor) -> tuple[Tensor, Tensor]:
    """Return the gradients (P, T, S, source width) and (P, T, T, target width) of log P of each target token.

    They are taken at P points, where the embeddings are `source` (P, S, source width) and `read` (P, T, target width).
    Target token t has a copy of the sentence of its own for each point, so that one backward pass computes many
    gradients.
    """
    tokens = len(prediction.target)
    by_source, by_read = [], []
    for copies in prediction.copies(len(source) * tokens):
        points, rows = copies // tokens, copies % tokens
        inputs = [x[points].requires_grad_() for x in (source, read)]
        with torch.enable_grad():
            hidden = prediction.hidden(*inputs)[torch.arange(len(rows)), rows]
            total = prediction.log_probs(hidden, prediction.target[rows]).sum()
        found = torch.autograd.grad(total, inputs, materialize_grads=True)
        by_source.append(found[0])
        by_read.append(found[1])
    first, second = (torch.cat(each).view(len(source), tokens, *each[0].shape[1:]) for each in (by_source, by_read))
    return first, second


def join(by_source: Tensor, by_read: Tensor) -> Tensor:
    """Return scores (1, 1, T, S + T) from the components (T, S, source width) and (T, T, target width)."""
    return torch.cat((by_source.sum(-1), by_read.sum(-1)), dim=-1)[None, None]
