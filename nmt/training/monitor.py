"""The single definition of the best weights, used by every part of training."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from nmt.evaluation.metrics.base import Metric


@dataclass(frozen=True)
class Monitor:
    """The figure of validation that decides about best.safetensors, early stopping and averaged weights.

    `name` is the name of `metric`, or "loss" where that is None.
    """

    name: str
    metric: Metric | None

    @property
    def label(self) -> str:
        """The name of the figure in messages."""
        return "loss" if self.metric is None else self.metric.label

    def quality(self, scores: Mapping[str, float]) -> float:
        """Return a number that is higher for better weights, and -inf for a figure that is not finite.

        `scores` are the figures of one validation, with "loss" among them. Low values of some
        metrics are chance (BLEU below 1). Weights with such a value are worse than all weights above chance; among
        them, a lower loss is better.
        """
        quality = self._quality(scores)
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

    def _quality(self, scores: Mapping[str, float]) -> float:
        if self.metric is None or self._is_chance(scores):
            return -scores["loss"]
        value = scores[self.name]
        return value if self.metric.higher_is_better else -value
