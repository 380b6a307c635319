"""The sums and figures of training and of validation, and the figure that decides about the best weights."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from nmt.data.batches import Batch
from nmt.data.normalization import normalized
from nmt.data.pair import SentencePair
from nmt.evaluation.metrics.base import Metric, score
from nmt.models.seq2seq import Seq2Seq
from nmt.search.base import Search
from nmt.search.beam import BeamSearch
from nmt.system.atomic import write_atomically
from nmt.system.run_files import HISTORY
from nmt.training.objectives.base import Mean, Objective, Sums
from nmt.translation.translation import Translation


class Losses:
    """Adds the sums of batches. They stay on their device until a figure is read, so a GPU does not have to wait."""

    def __init__(self) -> None:
        self._figures: dict[str, list[Mean]] = {}

    def add(self, sums: Sums) -> None:
        own = {"loss": Mean(sums.loss.detach(), sums.tokens), "nll": Mean(sums.nll, sums.tokens)}
        for name, mean in (own | dict(sums.figures)).items():
            self._figures.setdefault(name, []).append(mean)

    def totals(self) -> dict[str, tuple[float, float]]:
        """Return the sum and the number of values of each figure, as plain numbers."""
        return {
            name: (sum(float(mean.total) for mean in means), float(sum(mean.count for mean in means)))
            for name, means in self._figures.items()
        }


def means_of(totals: Iterable[Mapping[str, tuple[float, float]]]) -> dict[str, float]:
    """Return the mean of each figure over the totals of all processes; a figure without values is left out."""
    sums: dict[str, tuple[float, float]] = {}
    for each in totals:
        for name, (total, count) in each.items():
            before = sums.get(name, (0.0, 0.0))
            sums[name] = (before[0] + total, before[1] + count)
    return {name: total / count for name, (total, count) in sums.items() if count}


@dataclass
class Counts:
    """Counts over batches. `seconds` and `epochs` are those of the first process."""

    target_tokens: int = 0
    epochs: float = 0.0
    seconds: float = 0.0

    @property
    def tokens_per_second(self) -> float:
        """Real target tokens per second of training; validation does not count."""
        return self.target_tokens / self.seconds if self.seconds else 0.0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, entry.name) + getattr(other, entry.name) for entry in fields(self)))


class Meter:
    """Counts batches and the seconds between them, since the last log line and over the complete run.

    `train_loss` and `train_nll` (both per target token) and `tokens_per_second` are the values of the last log line,
    and NaN before the first. `gathered` returns the values that all processes give, in the order of their ranks; all of
    them call the methods that need it at the same time: `take` and `totals`.
    """

    def __init__(self, gathered: Callable[[Any], list[Any]]) -> None:
        self._gathered = gathered
        self.train_loss = self.train_nll = self.tokens_per_second = math.nan
        self._resumed_at = time.perf_counter()
        self._losses, self._counts = Losses(), Counts()  # since the last log line
        self.before = Counts()  # from the start of the run, in all sessions, to the last log line

    def resume_clock(self) -> None:
        """Begin to count seconds: training starts, or continues after a validation."""
        self._resumed_at = time.perf_counter()

    def count(self, sums: Sums, epochs: float) -> None:
        """Count one batch by the sums of its objective. It is the share `epochs` of an epoch."""
        self._losses.add(sums)
        self._counts += Counts(sums.tokens, epochs)

    def count_seconds(self) -> None:
        """Count the time since the clock was last read."""
        now = time.perf_counter()
        self._counts.seconds += now - self._resumed_at
        self._resumed_at = now

    def take(self) -> dict[str, float]:
        """Return the figures of all processes since the last call (without a batch, none), and start new sums."""
        counts = self._counts_of_all()
        means = means_of(self._gathered(self._losses.totals()))
        self._losses, self._counts = Losses(), Counts()
        self.before += counts
        if not counts.target_tokens:
            return {}
        self.train_loss, self.train_nll, self.tokens_per_second = means["loss"], means["nll"], counts.tokens_per_second
        del means["nll"]
        return {**means, "target_tokens_per_second": self.tokens_per_second}

    def totals(self) -> Counts:
        """Return the counts of the run so far, over all processes."""
        return self.before + self._counts_of_all()

    def _counts_of_all(self) -> Counts:
        counts: list[Counts] = self._gathered(self._counts)
        return replace(counts[0], target_tokens=sum(each.target_tokens for each in counts))


@dataclass(frozen=True)
class Validation:
    """The validation after `update`: its figures by name (the losses, then the metrics), and the translations.

    `by_name` has the translations of the run's own pairs under "", and those of the further pairs, of which `more` has
    the metrics. Before the first validation `update` is -1, and there are no scores.
    """

    update: int = -1
    scores: Mapping[str, float] = field(default_factory=dict)
    by_name: Mapping[str, Sequence[Translation]] = field(default_factory=dict)
    more: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def translations(self) -> Sequence[Translation]:
        """The translations of the run's own pairs."""
        return self.by_name.get("", ())


def add_to_history(folder: Path, row: Mapping[str, Any]) -> None:
    """Add the figures of a validation to history.jsonl. They replace those of this and of later updates.

    So a resumed run has each validation once, although it may have begun again before the last one.
    """
    path = folder / HISTORY
    before = path.read_text("utf-8").splitlines() if path.is_file() else []
    kept = [line for line in before if json.loads(line)["update"] < row["update"]]
    write_atomically(path, "".join(f"{line}\n" for line in [*kept, json.dumps(row)]).encode())


def batch_sums(model: Seq2Seq, objective: Objective, batch: Batch) -> Sums:
    """Return the sums of one validation batch; the model must be in evaluation mode."""
    hidden, weights = model(batch.source, batch.source_mask, batch.target_in, need_weights=objective.needs_weights)
    return objective.validate(hidden, model.decoder.output, batch, weights)


def validation_search(search: Search) -> BeamSearch:
    """Return the search of every validation: greedy search with the default length limits.

    Only `batch_tokens` is taken from `search`; it limits memory and does not change results. So validation scores are
    comparable between runs with different searches.
    """
    return BeamSearch(beam_size=1, batch_tokens=search.batch_tokens)


def validation_scores(
    means: Mapping[str, float],
    metrics: Mapping[str, Metric],
    translations: Sequence[Translation],
    pairs: Sequence[SentencePair],
) -> dict[str, float]:
    """Return the loss, the perplexity, the figures of the objective, and every metric's score.

    `means` are the means of the sums of all batches, and `translations` those of `pairs`.
    """
    figures = {"loss": means["loss"], "perplexity": math.exp(min(means["nll"], 700.0))}
    others = {name: value for name, value in means.items() if name not in ("loss", "nll")}
    return {**figures, **others, **metric_scores(metrics, translations, pairs)}


def metric_scores(
    metrics: Mapping[str, Metric], translations: Sequence[Translation], pairs: Sequence[SentencePair]
) -> dict[str, float]:
    """Return the score of each metric, by its name, for the translations of `pairs` as one corpus."""
    sources, texts = zip(*((each.source, normalized(each.text)) for each in translations), strict=True)
    found = score(metrics, texts, [pair.target for pair in pairs], sources=sources)
    return {name: each.value for name, each in found.items()}


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
        if self.metric is None or self.is_chance(scores):
            quality = -scores["loss"]
        else:
            quality = scores[self.name] if self.metric.higher_is_better else -scores[self.name]
        return quality if math.isfinite(quality) else -math.inf

    def is_chance(self, scores: Mapping[str, float]) -> bool:
        """Return whether the metric of a validation is so low that it is chance."""
        chance = None if self.metric is None else self.metric.chance
        return chance is not None and scores[self.name] < chance
