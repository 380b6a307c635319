"""Metrics that sacreBLEU computes."""

from __future__ import annotations

import logging
from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import sacrebleu.metrics.base
from numpy.typing import ArrayLike, NDArray

from nmt.evaluation.metrics.base import Interval, Lines, Metric, Score

# Otherwise sacreBLEU would report every bootstrap, and every corpus with few n-grams.
logging.getLogger("sacrebleu").setLevel(logging.ERROR)


@dataclass(frozen=True, kw_only=True)
class SacreBleuMetric(Metric):
    """A metric that sacreBLEU computes.

    Score, signature and interval equal those of the sacrebleu program for the same lines; its default seed is 12345.
    """

    @abstractmethod
    def scorer(self) -> sacrebleu.metrics.base.Metric:
        """Return sacreBLEU's own object."""

    @cached_property
    def _scorer(self) -> sacrebleu.metrics.base.Metric:
        return self.scorer()

    def statistics(self, hypotheses: Lines, references: Lines, *, sources: Lines = ()) -> ArrayLike:
        found: ArrayLike = self._scorer._extract_corpus_statistics(list(hypotheses), [list(references)])
        return found

    def value_of(self, sums: NDArray[np.float64]) -> float:
        return float(self._scorer._compute_score_from_stats(list(sums)).score)

    def score(self, hypotheses: Lines, references: Lines, *, sources: Lines = (), bootstrap: int = 0) -> Score:
        """Return the corpus score with its signature; the number of resamples is part of the signature."""
        scorer = self.scorer()
        compute = scorer._compute_score_from_stats
        # sacreBLEU 2.6 cannot average resampled scores if some are 0, a float of Python, and the others NumPy's float32
        scorer._compute_score_from_stats = lambda stats: _plain(compute(stats))  # type: ignore[method-assign]
        result = scorer.corpus_score(list(hypotheses), [list(references)], n_bootstrap=bootstrap or 1)
        interval = Interval(float(result._mean), float(result._ci)) if bootstrap else None
        return Score(float(result.score), str(scorer.get_signature()), interval)


def _plain(result: Any) -> Any:
    result.score = float(result.score)
    return result
