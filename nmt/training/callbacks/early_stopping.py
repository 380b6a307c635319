"""Ends a run that no longer improves."""

from __future__ import annotations

import logging
import math
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.trainer.states import TrainerFn

from nmt.errors import counted
from nmt.parameters import NonNegative, PositiveInt, checked
from nmt.training.module import translation_module

logger = logging.getLogger(__name__)


@checked
class EarlyStopping(Callback):
    """Ends a run after `patience` validations in a row without an improvement; None never ends it.

    An improvement is a quality above the best by more than `min_delta`. `Monitor.quality` computes it from
    `callbacks.monitor`, as for best.safetensors.
    """

    def __init__(self, *, patience: PositiveInt | None = 10, min_delta: NonNegative = 0.001) -> None:
        self.patience = patience
        self.min_delta = min_delta
        self._best = -math.inf
        self._waited = 0  # validations in a row that were not better
        self._update = -1  # of the last validation

    def state_dict(self) -> dict[str, Any]:
        """Return the best quality, the number of validations since, and the update of the last one."""
        return {"best": self._best, "waited": self._waited, "update": self._update}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self._best, self._waited, self._update = (state_dict[name] for name in ("best", "waited", "update"))

    def on_fit_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """End a resumed run at once if its patience was used up: Lightning does not save that it was stopping."""
        self._stop_if_exhausted(trainer)

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Compare this validation with the best one, unless the weights have not changed since the last."""
        if trainer.state.fn != TrainerFn.FITTING or trainer.global_step == self._update:
            return
        self._update = trainer.global_step
        module = translation_module(pl_module)
        quality = module.monitor.quality(module.validation.scores)
        if quality - self.min_delta > self._best:
            self._best, self._waited = quality, 0
        else:
            self._waited += 1
        self._stop_if_exhausted(trainer)

    def _stop_if_exhausted(self, trainer: pl.Trainer) -> None:
        if self.patience is not None and self._waited >= self.patience:
            trainer.should_stop = True
            logger.info(
                f"training ends early, after {counted(self._waited, 'validation')} without an improvement; "
                "resume=RUN_FOLDER callbacks.early_stopping.patience=null continues it"
            )
