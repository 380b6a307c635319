"""The figures of one validation, and the figure that decides about the best weights."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from nmt.data.batches import Batch
from nmt.data.normalization import normalized
from nmt.data.pair import SentencePair
from nmt.evaluation.metrics.base import Metric, score
from nmt.models.seq2seq import Seq2Seq
from nmt.search.base import Search
from nmt.search.beam import BeamSearch
from nmt.training.objectives.base import Objective
from nmt.training.objectives.chunked import Mean, added
from nmt.translation.translation import Translation


@dataclass(frozen=True)
class Losses:
    """The sums of a validation over its target tokens.

    `loss` is the label-smoothed cross entropy of one pass and `nll` the negative log-likelihood, both in nats. `tokens`
    is the number of target tokens. `figures` are the figures of the objective.
    """

    loss: float = 0.0
    nll: float = 0.0
    tokens: float = 0.0
    figures: Mapping[str, Mean] = field(default_factory=dict)

    def __add__(self, other: Losses) -> Losses:
        figures = added(self.figures, other.figures)
        return Losses(self.loss + other.loss, self.nll + other.nll, self.tokens + other.tokens, figures)

    @property
    def scores(self) -> dict[str, float]:
        """The loss per token, the perplexity, and the figures of the objective."""
        return {
            "loss": self.loss / self.tokens,
            "perplexity": math.exp(min(self.nll / self.tokens, 700.0)),
            **{name: mean.value for name, mean in self.figures.items()},
        }


@dataclass(frozen=True)
class Validation:
    """The validation after `update`: its figures by name (the losses, then the metrics), and the translations.

    Before the first validation `update` is -1, and there are no scores.
    """

    update: int = -1
    scores: Mapping[str, float] = field(default_factory=dict)
    translations: Sequence[Translation] = ()


def batch_losses(model: Seq2Seq, objective: Objective, batch: Batch) -> Losses:
    """Return the sums of one validation batch; the model must be in evaluation mode."""
    hidden, weights = model(batch.source, batch.source_mask, batch.target_in, need_weights=objective.needs_weights)
    sums = objective.validate(hidden, model.decoder.output, batch, weights)
    return Losses(float(sums.loss), float(sums.nll), float(sums.tokens), sums.figures)


def validation_search(search: Search) -> BeamSearch:
    """Return the search of every validation: greedy search with the default length limits.

    Only `batch_tokens` is taken from `search`; it limits memory and does not change results. So validation scores are
    comparable between runs with different searches.
    """
    return BeamSearch(beam_size=1, batch_tokens=search.batch_tokens)


def validation_scores(
    losses: Losses,
    metrics: Mapping[str, Metric],
    translations: Sequence[Translation],
    pairs: Sequence[SentencePair],
) -> dict[str, float]:
    """Return the loss, the perplexity, the figures of the objective, and every metric's score.

    A metric scores the translations of `pairs` as one corpus.
    """
    references = [pair.target for pair in pairs]
    sources, texts = zip(*((each.source, normalized(each.text)) for each in translations), strict=True)
    scores = score(metrics, texts, references, sources=sources)
    return {**losses.scores, **{name: found.value for name, found in scores.items()}}


@dataclass(frozen=True)
class Monitor:
    """The figure of validation that decides about best.safetensors, early stopping and averaged weights.

    `name` is the name of `metric`, or "loss" if that is None.
    """

    name: str
    metric: Metric | None

    @property
    def label(self) -> str:
        """The name of the figure in messages."""
        return "loss" if self.metric is None else self.metric.label

    def quality(self, scores: Mapping[str, float]) -> float:
        """Return a number that is higher for better weights, and -inf for a figure that is not finite.

        `scores` are the figures of one validation, with "loss" among them. Low values of some metrics are chance (BLEU
        below 1). Weights with such a value are worse than all weights above chance; among them, a lower loss is better.
        """
        if self.metric is None or self._is_chance(scores):
            quality = -scores["loss"]
        else:
            quality = scores[self.name] if self.metric.higher_is_better else -scores[self.name]
        return quality if math.isfinite(quality) else -math.inf

    def why(self, *validations: Mapping[str, float]) -> str:
        """Return why the loss decides between validations, as the beginning of a sentence; empty if it does not."""
        if self.metric is None or not all(map(self._is_chance, validations)):
            return ""
        losses = ", ".join(f"{each['loss']:.3f}" for each in validations)
        return f"because {self.label} is below {self.metric.chance:g}, the loss decides ({losses}): "

    def _is_chance(self, scores: Mapping[str, float]) -> bool:
        chance = None if self.metric is None else self.metric.chance
        return chance is not None and scores[self.name] < chance
