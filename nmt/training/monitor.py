"""The one notion of "best": which validation has better weights than another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from nmt.evaluation.metrics.base import Metric


@dataclass(frozen=True)
class Monitor:
    """The figure of validation that decides about best.ckpt, early stopping and averaged weights.

    `name` is the name of `metric`, or "loss" where that is None.
    """

    name: str
    metric: Metric | None

    @property
    def label(self) -> str:
        """What people read in front of the figure."""
        return "loss" if self.metric is None else self.metric.label

    def quality(self, scores: Mapping[str, float]) -> float:
        """Return a number that is higher for better weights, and -inf for a figure that is not finite.

        `scores` are the figures of one validation, with "loss" among them. Some metrics have a value below which they
        are chance (BLEU 1, say). Down there the loss decides: weights above chance are better than all those below it,
        and among the latter a lower loss is better.
        """
        quality = self._quality(scores)
        return quality if math.isfinite(quality) else -math.inf

    def _quality(self, scores: Mapping[str, float]) -> float:
        if self.metric is None:
            return -scores["loss"]
        value = scores[self.name]
        if self.metric.chance is not None and value < self.metric.chance:
            return -scores["loss"]
        return value if self.metric.higher_is_better else -value
