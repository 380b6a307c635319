"""Decides when a run validates, if the settings give no interval."""

from __future__ import annotations

from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from nmt.training.module import training

NEVER = 2**62  # batches between two validations: more than any run has
LEAST, MOST = 5, 30  # validations in a run


class Validations(Callback):
    """Validates at the ends of epochs, and `LEAST` to about `MOST` times in a run.

    A run with many short epochs validates at the end of every n-th epoch. A run with few long epochs also validates
    inside them. How long a run is, is measured by its progress, so that a limit on time works like one on epochs. The
    validation at the end of the run is not decided here.
    """

    def __init__(self) -> None:
        self._share = 0.0  # the share of the run that was done at the last validation
        self._update = -1  # the update of the last validation

    def state_dict(self) -> dict[str, Any]:
        """Return where the last validation was."""
        return {"share": self._share, "update": self._update}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from a saved state."""
        self._share, self._update = state_dict["share"], state_dict["update"]

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Continue from the share of the run that is done now; it is smaller than the saved one after a higher limit.

        Tell Lightning whether the state was saved after a validation, so that it repeats none.
        """
        self._share = min(self._share, trainer.strategy.broadcast(training(pl_module).progress()))
        trainer.val_check_batch = 1 if self._update == trainer.global_step else NEVER

    def on_train_batch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule, *_: Any) -> None:
        """Tell Lightning whether a validation follows this batch."""
        view = training(pl_module)
        last_batch = trainer.fit_loop.epoch_loop.batch_progress.is_last_batch
        wanted = 0.9 / MOST if last_batch else (1 - 1e-9) / LEAST  # shares are rounded, and one update behind
        due = not view.accumulating and view.share - self._share >= wanted
        trainer.val_check_batch = 1 if due else NEVER
        if due:
            self._share, self._update = view.share, trainer.global_step
