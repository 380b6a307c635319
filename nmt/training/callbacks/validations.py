"""Decides when a run validates, if the settings give no interval."""

from __future__ import annotations

from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from nmt.config.settings import TrainerConfig
from nmt.training.module import translation_module

MAX_INTERVAL = 2**62  # batches between two validations: more than any run has
MIN_VALIDATIONS, MAX_VALIDATIONS = 5, 30  # validations in a run


class Validations(Callback):
    """Validates at the ends of epochs, and `MIN_VALIDATIONS` to about `MAX_VALIDATIONS` times in a run.

    A run with many short epochs validates at the end of every n-th epoch. A run with few long epochs also validates
    inside them. The length of a run is measured by its progress, so that a limit on time works like a limit on epochs.
    The validation at the end of the run is not decided here.
    """

    def __init__(self) -> None:
        self._share = 0.0  # the share of the run that was done at the last validation
        self._update = -1  # the update of the last validation

    def state_dict(self) -> dict[str, Any]:
        """Return the place of the last validation."""
        return {"share": self._share, "update": self._update}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self._share, self._update = state_dict["share"], state_dict["update"]

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Continue from the finished share of the run, which is smaller than the saved share after a limit was raised.

        Tell Lightning whether the state was saved after a validation, so that it repeats none.
        """
        self._share = min(self._share, trainer.strategy.broadcast(translation_module(pl_module).progress()))
        trainer.val_check_batch = 1 if self._update == trainer.global_step else MAX_INTERVAL

    def on_train_batch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule, *_: Any) -> None:
        """Tell Lightning whether a validation follows this batch."""
        module = translation_module(pl_module)
        last_batch = trainer.fit_loop.epoch_loop.batch_progress.is_last_batch
        wanted = (1 - 1e-9) / MIN_VALIDATIONS  # shares are rounded, and one update behind
        if last_batch:
            wanted = min(wanted, 0.9 / MAX_VALIDATIONS)
        due = not module.accumulating and module.share - self._share >= wanted
        trainer.val_check_batch = 1 if due else MAX_INTERVAL
        if due:
            self._share, self._update = module.share, trainer.global_step


def validates_by_progress(settings: TrainerConfig) -> bool:
    """Return whether the callback decides when a run validates, because no setting does."""
    return settings.val_check_interval is None and settings.check_val_every_n_epoch is None
