"""The base class of metrics, and the scores of a corpus by several metrics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nmt.errors import UserError, printable

Lines = Sequence[str]  # one text for each sentence of the corpus

SEED = 12345  # of resamples: sacreBLEU's default


@dataclass(frozen=True)
class Interval:
    """A 95 % confidence interval by bootstrap resampling (Koehn 2004): `mean` ± `half_width`.

    `mean` is the mean of the resamples, as in sacreBLEU. For percentages, it is the middle of the interval.
    """

    mean: float
    half_width: float

    def __str__(self) -> str:
        return f"{self.mean - self.half_width:.2f} to {self.mean + self.half_width:.2f}"


@dataclass(frozen=True)
class Score:
    """The score of one corpus by one metric.

    `signature` names every setting that the value depends on, for metrics that have one (Post 2018, arXiv:1804.08771).
    `interval` is None unless a bootstrap was requested.
    """

    value: float
    signature: str | None = None
    interval: Interval | None = None

    def __post_init__(self) -> None:
        """Let the value be a plain number: the files of a run cannot hold those of NumPy or torch."""
        object.__setattr__(self, "value", float(self.value))


@dataclass(frozen=True, kw_only=True)
class Metric(ABC):
    """Compares the translations of a corpus with their references.

    A subclass is a frozen dataclass whose fields are the metric's settings. It defines `label`, and either `statistics`
    or `score`. It changes the class attributes below if they do not fit. No other code depends on the name of a metric.
    """

    unit: ClassVar[str] = "points"
    """Unit of the value; tables show it where there is no signature."""
    higher_is_better: ClassVar[bool | None] = True
    """None: neither higher nor lower values are better, so the metric cannot choose the best weights."""
    chance: ClassVar[float | None] = None
    """Values below this one are noise. Until it is reached, the validation loss decides which weights are the best."""

    reads_sources: ClassVar[bool] = False
    """Whether the score depends on the sources."""

    target_lang: str = ""
    """Code of the target language ("de"), given by the program; empty if it is not known."""
    in_training: bool = True
    """Whether each validation in training computes the metric.

    The monitored metric is always computed. At the end of a run, all metrics are computed.
    """

    @property
    @abstractmethod
    def label(self) -> str:
        """The name in tables, such as "BLEU"."""

    def statistics(self, hypotheses: Lines, references: Lines, *, sources: Lines = ()) -> ArrayLike | None:
        """Return numbers of each sentence, (sentences, K); `value_of` makes the score of the corpus from their sums.

        If the two numbers are the score of the sentence and 1, the score of the corpus is the mean of the sentences.
        None means that the metric scores only whole corpora. Then compare.py has no test for it.
        """
        return None

    def value_of(self, sums: NDArray[np.float64]) -> float:
        """Return the score of a corpus from the sums (K,) of its statistics.

        By default, the first sum is divided by the second. A second sum of 0 gives 100: there was nothing to count.
        """
        return float(sums[0] / sums[1]) if sums[1] else 100.0

    def signature_of(self, count: int) -> str | None:
        """Return the signature of a score. `count` is the second sum of the statistics."""
        return None

    def score(self, hypotheses: Lines, references: Lines, *, sources: Lines = (), bootstrap: int = 0) -> Score:
        """Return the score of the corpus.

        `hypotheses[i]` is the translation of `sources[i]`, and its reference is `references[i]`; there is at least one
        of each. `sources` is empty if they are not known; a metric that `reads_sources` needs them. `bootstrap` is the
        number of resamples for the interval; 0 means no interval.
        """
        rows = np.asarray(self.statistics(hypotheses, references, sources=sources), float)
        if rows.ndim != 2 or len(rows) != len(hypotheses) or rows.shape[1] < 2 or not np.isfinite(rows).all():
            raise UserError(f"scores: statistics of {self.label} must give two or more finite numbers a sentence")
        sums = rows.sum(0)
        return Score(self.value_of(sums), self.signature_of(int(sums[1])), bootstrap_interval(self, rows, bootstrap))

    @property
    def sacrebleu_arguments(self) -> tuple[str, ...] | None:
        """Arguments that make the sacrebleu program compute this metric; None if sacrebleu does not have it."""
        return None


class Scores(dict[str, Score]):
    """The scores of one corpus under the names of the `metrics`, in their order."""

    def __init__(self, metrics: Mapping[str, Metric], scores: Mapping[str, Score]) -> None:
        super().__init__(scores)
        self.metrics = metrics

    def to_dict(self) -> dict[str, dict[str, Any]]:
        """Return plain values, so that a reader of the JSON needs no metric to make a table.

        For each name: `label`, `value`, `unit`, `higher_is_better`, `signature` (or None) and `interval` (`mean` and
        `half_width`, or None).
        """
        shown = labels(self.metrics)
        return {
            name: {"label": shown[name], "value": self[name].value, "unit": metric.unit}
            | {"higher_is_better": metric.higher_is_better, **asdict(self[name])}
            for name, metric in self.metrics.items()
        }


def labels(metrics: Mapping[str, Metric]) -> dict[str, str]:
    """Return the label of each metric. If several have the same label, the name of the metric follows: "BLEU (char)".

    The name may be a stranger's, so it is escaped as `nmt.errors.printable` does.
    """
    counts = Counter(metric.label for metric in metrics.values())
    return {
        name: metric.label if counts[metric.label] == 1 else f"{metric.label} ({printable(name)})"
        for name, metric in metrics.items()
    }


def score(
    metrics: Mapping[str, Metric], hypotheses: Lines, references: Lines, *, sources: Lines, bootstrap: int = 0
) -> Scores:
    """Return the scores of a corpus by each of `metrics`; see `Metric.score`.

    Raises UserError unless there is one hypothesis and one source for each reference, and at least one of each.
    """
    if not len(hypotheses) == len(references) == len(sources) > 0:  # sacreBLEU would drop the rest silently
        raise UserError("scores: expected one hypothesis and one source for each reference, and at least one of each")
    scores = {
        name: metric.score(hypotheses, references, sources=sources, bootstrap=bootstrap)
        for name, metric in metrics.items()
    }
    return Scores(metrics, scores)


def bootstrap_interval(metric: Metric, statistics: NDArray[np.float64], bootstrap: int) -> Interval | None:
    """Return the interval of a score by `bootstrap` resamples of the sentences, given their `statistics`.

    Sentences in which there is nothing to count are left out. The interval has all resamples but the lowest 2.5 % and
    the highest 2.5 %. An interval of the same width around their mean could leave the range of the score, such as that
    of a percentage. Returns None for 0 resamples, and if there is nothing to count.
    """
    random, rows = np.random.default_rng(SEED), statistics[statistics.any(1)]
    if not bootstrap or not len(rows):
        return None
    draws = (rows[random.integers(len(rows), size=len(rows))].sum(0) for _ in range(bootstrap))
    low, high = map(float, np.percentile([metric.value_of(sums) for sums in draws], [2.5, 97.5]))
    return Interval((low + high) / 2, (high - low) / 2)
