"""Whether a view is faithful to the model: how log P of the last target token falls without the tokens it names first.

Deletion curves: Petsiuk et al. 2018, arXiv:1806.07421; of text: DeYoung et al. 2020, arXiv:1911.03429. The tokens are
really left out, so the source becomes shorter, and no view is judged by its own rule. `</s>`, the last token, stays.

Legend: N orders, S source tokens with `</s>`, W = S - 1 tokens that can be left out.
"""

from __future__ import annotations

import torch
from torch import Tensor

from nmt.data.batches import pad
from nmt.lab.attribution.base import AttributionView, Scores
from nmt.lab.attribution.prediction import Prediction
from nmt.models.seq2seq import evaluating


class Attention(AttributionView):
    """The weights of cross attention, of a model that has it."""

    title = "Attention"
    columns = "source"

    def scores(self, prediction: Prediction) -> Scores:
        with torch.no_grad():
            _, weights = prediction.attend()
        assert weights.cross is not None
        return Scores(weights.cross[0])


def source_scores(view: AttributionView, prediction: Prediction) -> Tensor:
    """Return the score (W,) of each source token for the last target token: the mean of all layers and heads.

    A view that rolls has it in its last layer. Scores keep their signs.
    """
    with evaluating([prediction.model]):
        found = view.scores(prediction).values.detach()
    layers = found[-1:] if view.rolls else found
    return layers.mean((0, 1))[-1, : len(prediction.source) - 1].float()


def deletion(prediction: Prediction, orders: Tensor) -> Tensor:
    """Return log P (N, W + 1) of the last target token without the first 0 to W tokens of each of the `orders` (N, W).

    In a faithful order it falls at once, so its mean is low.
    """
    steps = torch.arange(orders.shape[1] + 1).unsqueeze(1)
    kept = (orders.argsort(1).unsqueeze(1) >= steps).flatten(0, 1).tolist()
    *tokens, end = prediction.source.tolist()
    sources = [[token for token, stays in zip(tokens, each, strict=True) if stays] + [end] for each in kept]
    found = []
    with evaluating([prediction.model]), torch.no_grad():
        for part in prediction.copies(len(sources)):
            source, mask = pad([sources[number] for number in part.tolist()])
            hidden, _ = prediction.model(source, mask, prediction.read.expand(len(part), -1))
            found.append(prediction.log_probs(hidden[:, -1], prediction.target[-1].expand(len(part))))
    return torch.cat(found).view(len(orders), -1)


def kendall(one: Tensor, other: Tensor) -> float:
    """Return Kendall's rank correlation tau-b of two scores (W,), from -1 to 1; 0 if all scores of one are equal."""
    first, second = (torch.sign(scores.unsqueeze(0) - scores.unsqueeze(1)) for scores in (one, other))
    total = (first.square().sum() * second.square().sum()).sqrt()
    return float((first * second).sum() / total) if total else 0.0
