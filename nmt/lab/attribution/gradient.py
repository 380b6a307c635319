"""Input times gradient (Denil et al. 2014, arXiv:1412.6815; Shrikumar et al. 2016, arXiv:1605.01713)."""

from __future__ import annotations

import torch
from torch import Tensor

from nmt.lab.attribution.base import AttributionView, Scores
from nmt.lab.attribution.prediction import Prediction


class InputXGradient(AttributionView):
    """The product of the embedding of each input token with the gradient of log P of the target token.

    It is how much log P would change, if log P were a linear function of the embedding, and the embedding were zero.
    """

    title = "Input times gradient"
    question = "How would log P of the token change without an embedding, if it were linear?"
    signed = True

    def scores(self, prediction: Prediction) -> Scores:
        source, read = prediction.vectors
        by_source, by_read = gradients(prediction, source, read)
        return Scores(join(by_source * source, by_read * read))


def gradients(prediction: Prediction, source: Tensor, read: Tensor) -> tuple[Tensor, Tensor]:
    """Return the gradients (T, S, source width) and (T, T, target width) of log P of each target token.

    They are taken where the embeddings are `source` (S, source width) and `read` (T, target width). Target token t has
    a copy of the sentence of its own, so that one backward pass computes the gradients of many tokens.
    """
    by_source, by_read = [], []
    for rows in prediction.copies(len(prediction.target)):
        inputs = [x.expand(len(rows), -1, -1).clone().requires_grad_() for x in (source, read)]
        with torch.enable_grad():
            hidden = prediction.hidden(*inputs)[torch.arange(len(rows)), rows]
            total = prediction.log_probs(hidden, prediction.target[rows]).sum()
        found = torch.autograd.grad(total, inputs, materialize_grads=True)
        by_source.append(found[0])
        by_read.append(found[1])
    return torch.cat(by_source), torch.cat(by_read)


def join(by_source: Tensor, by_read: Tensor) -> Tensor:
    """Return scores (1, 1, T, S + T) from the components (T, S, source width) and (T, T, target width)."""
    return torch.cat((by_source.sum(-1), by_read.sum(-1)), dim=-1)[None, None]
