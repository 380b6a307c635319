"""The changed settings of a resumed run."""

from __future__ import annotations

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from nmt.config.recipe import Recipe
from nmt.system.atomic import write_atomically
from nmt.system.run_files import CONFIG


class Adoption(Callback):
    """Writes the settings of a resumed run to its config.yaml, once the whole state of the run is restored.

    Earlier, an error could still refuse them, and the run has to stay as it was.
    """

    def __init__(self, recipe: Recipe) -> None:
        self._recipe: Recipe | None = recipe

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Write them before the first batch."""
        self._adopt(trainer)

    def on_fit_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Write them if there was nothing left to train."""
        self._adopt(trainer)

    def _adopt(self, trainer: pl.Trainer) -> None:
        if self._recipe is not None and trainer.is_global_zero:
            write_atomically(self._recipe.folder / CONFIG, self._recipe.to_yaml().encode())
        self._recipe = None
