"""Ends a run that no longer improves."""

from __future__ import annotations

import logging
import sys
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning import callbacks

from nmt.errors import counted
from nmt.parameters import NonNegative, PositiveInt
from nmt.training.module import QUALITY

logger = logging.getLogger(__name__)


class EarlyStopping(callbacks.EarlyStopping):
    """Ends a run after `patience` validations in a row without an improvement; None never ends it.

    An improvement is a quality above the best by more than `min_delta`. `Monitor.quality` computes it from
    `callbacks.monitor`, as for best.safetensors.
    """

    def __init__(self, *, patience: PositiveInt | None = 10, min_delta: NonNegative = 0.001) -> None:
        most = sys.maxsize if patience is None else patience
        super().__init__(QUALITY, min_delta, most, mode="max", check_finite=False, check_on_train_epoch_end=False)

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue with the saved counts, but with the patience of the settings."""
        super().load_state_dict({**state_dict, "patience": self.patience})

    def on_fit_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """End a resumed run at once if its patience was used up: Lightning does not save that it was stopping."""
        trainer.should_stop |= self.wait_count >= self.patience

    def on_fit_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        if self.wait_count >= self.patience:
            logger.info(
                f"training ends early, after {counted(self.wait_count, 'validation')} without an improvement; "
                "resume=RUN_FOLDER callbacks.early_stopping.patience=null continues it"
            )
