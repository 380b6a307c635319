"""The members of the training module that callbacks may read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol, cast

import pytorch_lightning as pl

from nmt.data.pair import SentencePair
from nmt.evaluation.metrics.base import Metric
from nmt.training.monitor import Monitor
from nmt.training.validation import Validation
from nmt.translate import Translator


class Training(Protocol):
    """A run that is training, as callbacks see it."""

    @property
    def folder(self) -> Path:
        """The run's folder."""

    @property
    def translator(self) -> Translator:
        """Model, tokenizer and search; the weights are those of the last update."""

    @property
    def val_pairs(self) -> Sequence[SentencePair]:
        """The whole validation split."""

    @property
    def metrics(self) -> Mapping[str, Metric]:
        """The metrics that every validation computes."""

    @property
    def monitor(self) -> Monitor:
        """The figure that decides which weights are the best."""

    @property
    def validation(self) -> Validation:
        """The last validation."""

    @property
    def train_loss(self) -> float:
        """The training loss per target token at the last log line; NaN before the first."""

    @property
    def tokens_per_second(self) -> float:
        """Real target tokens per second at the last log line, over all processes; NaN before the first."""

    @property
    def share(self) -> float:
        """The share of the run that was done before the current update, equal in all processes."""

    @property
    def accumulating(self) -> bool:
        """Whether the current update still waits for more batches."""

    def progress(self) -> float:
        """Return the share of the run that is done, from 0 to 1, by the clock of this process."""

    def weights(self) -> dict[str, Any]:
        """Return the current weights as a checkpoint to translate with, without the state of training."""


def training(module: pl.LightningModule) -> Training:
    """Return the module that Lightning passes to callbacks, with the type `Training`."""
    return cast(Training, module)
