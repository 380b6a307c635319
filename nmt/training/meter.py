"""Sums over the tokens and seconds of training, and the figures of its log lines."""

from __future__ import annotations

import functools
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass, fields, replace
from typing import Any, cast

from nmt.data.batches import Batch
from nmt.training.objectives.chunked import Mean, Sums, added


@dataclass
class Counts:
    """Sums over batches. `seconds` and `epochs` are those of the first process."""

    loss: float = 0.0
    nll: float = 0.0
    target_tokens: int = 0
    epochs: float = 0.0
    padded_tokens: int = 0
    real_tokens: int = 0
    seconds: float = 0.0

    @classmethod
    def of(cls, values: Mapping[str, Any]) -> Counts:
        """Return the counts in `values`. Raises ValueError or TypeError for a value that is not a number."""
        return cls(**{name: type(zero)(values[name]) for name, zero in vars(cls()).items()})

    @property
    def tokens_per_second(self) -> float:
        """Real target tokens per second of training; validation does not count."""
        return self.target_tokens / self.seconds if self.seconds else 0.0

    @property
    def padding_share(self) -> float:
        """Share of padding among all source and target positions."""
        return 1 - self.real_tokens / self.padded_tokens if self.padded_tokens else 0.0

    def __add__(self, other: Counts) -> Counts:
        return Counts(*(getattr(self, entry.name) + getattr(other, entry.name) for entry in fields(self)))


class Meter:
    """Counts batches and the seconds between them, since the last log line and over the complete run.

    `train_loss` and `train_nll` (both per target token) and `tokens_per_second` are the values of the last log line,
    and NaN before the first. `gathered` returns the values that all processes give, in the order of their ranks; all of
    them call the methods that need it at the same time: `take`, `totals` and `state_dict`.
    """

    def __init__(self, gathered: Callable[[Any], list[Any]]) -> None:
        self._gathered = gathered
        self.train_loss = self.train_nll = self.tokens_per_second = math.nan
        self._resumed_at = time.perf_counter()
        self._window = Counts()  # since the last log line
        self._figures: dict[str, Mean] = {}  # figures of the objective, since the last log line
        self._before = Counts()  # from the start of the run, in all sessions, to the last log line

    def resume_clock(self) -> None:
        """Begin to count seconds: training starts, or continues after a validation."""
        self._resumed_at = time.perf_counter()

    def count(self, batch: Batch, sums: Sums, epochs: float) -> None:
        """Count one batch with the sums of its objective. It is the share `epochs` of an epoch."""
        self._figures = added(self._figures, sums.figures)
        self._window += Counts(
            loss=float(sums.loss.detach()),
            nll=float(sums.nll),
            target_tokens=sums.tokens,
            epochs=epochs,
            padded_tokens=batch.source.numel() + batch.target_in.numel(),
            real_tokens=sums.tokens + int(batch.source_mask.sum()),
        )

    def count_seconds(self) -> None:
        """Count the time since the clock was last read."""
        now = time.perf_counter()
        self._window.seconds += now - self._resumed_at
        self._resumed_at = now

    def take(self) -> dict[str, float]:
        """Return the figures of all processes since the last call, and start new sums. Without a batch, return none."""
        window, self._window = self._of_all(self._window), Counts()
        figures, self._figures = self._figures_of_all(), {}
        self._before += window
        if not window.target_tokens:
            return {}
        self.train_loss = window.loss / window.target_tokens
        self.train_nll = window.nll / window.target_tokens
        self.tokens_per_second = window.tokens_per_second
        return {
            "loss": self.train_loss,
            **{name: mean.value for name, mean in figures.items()},
            "target_tokens_per_second": self.tokens_per_second,
            "padding_share": window.padding_share,
        }

    def _of_all(self, window: Counts) -> Counts:
        total, *others = self._gathered(window)
        for each in others:
            total += replace(each, seconds=0.0, epochs=0.0)
        return cast(Counts, total)

    def _figures_of_all(self) -> dict[str, Mean]:
        return functools.reduce(added, self._gathered(self._figures))

    @property
    def totals(self) -> Counts:
        """The sums of the run so far, over all processes."""
        return self._before + self._of_all(self._window)

    def state_dict(self) -> dict[str, Any]:
        """Return all sums and the values of the last log line, as plain values for a checkpoint."""
        return {
            **vars(self._before),
            "window": dict(vars(self._of_all(self._window))),
            "figures": {name: astuple(mean) for name, mean in self._figures_of_all().items()},
            "last": (self.train_loss, self.train_nll, self.tokens_per_second),
        }

    def load_state_dict(self, state: Mapping[str, Any], *, first: bool = True) -> None:
        """Continue from a checkpoint. Only the first process takes the sums since the last log line, which are of all.

        Raises ValueError or TypeError for a value that is not a number.
        """
        self._before = Counts.of(state)
        if "last" in state:  # not in older states
            self._window = Counts.of(state["window"]) if first else Counts()
            self._figures = {name: Mean(*sums) for name, sums in state["figures"].items()} if first else {}
            self.train_loss, self.train_nll, self.tokens_per_second = map(float, state["last"])
