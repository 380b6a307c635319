"""Metrics that sacreBLEU computes."""

from __future__ import annotations

import logging
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import sacrebleu.metrics.base

from nmt.errors import missing_packages
from nmt.evaluation.metrics.base import Interval, Lines, Metric, Score


@dataclass(frozen=True, kw_only=True)
class SacreBleuMetric(Metric):
    """A metric that sacreBLEU computes.

    Score, signature and interval equal those of the sacrebleu program for the same lines; its default seed is 12345.
    """

    @abstractmethod
    def scorer(self) -> sacrebleu.metrics.base.Metric:
        """Return sacreBLEU's own object; its class derives from `PlainFloats` too."""

    def score(self, hypotheses: Lines, references: Lines, *, sources: Lines = (), bootstrap: int = 0) -> Score:
        """Return the corpus score with its signature; the number of resamples is part of the signature."""
        scorer = self.scorer()
        with quiet():
            found = scorer.corpus_score(list(hypotheses), [list(references)], n_bootstrap=bootstrap or 1)
        interval = Interval(float(found._mean), float(found._ci)) if bootstrap else None
        return Score(float(found.score), str(scorer.get_signature()), interval)


class PlainFloats:
    """Makes the scores of a sacreBLEU metric Python floats.

    Otherwise sacreBLEU 2.6 cannot average resampled scores of which some are exactly 0: a score of 0 is a Python float,
    and all others are NumPy's float32.
    """

    def _compute_score_from_stats(self, stats: Any) -> Any:
        result = super()._compute_score_from_stats(stats)  # type: ignore[misc]
        result.score = float(result.score)
        return result


@contextmanager
def quiet() -> Iterator[None]:
    """Keep sacreBLEU's log off the terminal: it reports every bootstrap and every corpus with few n-grams."""
    logger = logging.getLogger("sacrebleu")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(level)


def require_packages(*modules: str, extra: str) -> None:
    """Raise RuntimeError unless the optional packages with these modules, which the extra installs, are installed."""
    if note := missing_packages(*modules, extra=extra):
        raise RuntimeError(note)
