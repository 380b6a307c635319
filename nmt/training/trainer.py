"""Lightning's trainer, as the settings describe it, and when it validates if they give no interval."""

from __future__ import annotations

import logging
import math
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from lightning_fabric.utilities.exceptions import MisconfigurationException
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.loggers import Logger, TensorBoardLogger

from nmt.config.recipe import Recipe
from nmt.config.settings import TrainerConfig
from nmt.errors import UserError, one_line
from nmt.system.place import place_of_process
from nmt.training.distributed import cluster_environment
from nmt.training.module import translation_module
from nmt.training.schedules import Limits
from nmt.training.state import StateFiles

logger = logging.getLogger(__name__)

MAX_INTERVAL = 2**62  # batches between two validations: more than any run has
MIN_VALIDATIONS, MAX_VALIDATIONS = 5, 30  # validations in a run
SOON = 50  # updates in which a model does not begin to translate


def make_trainer(
    recipe: Recipe,
    limits: Limits,
    callbacks: Sequence[Callback],
    loggers: Sequence[Logger] = (),
    *,
    first_step: int | None = None,
) -> pl.Trainer:
    """Return Lightning's trainer as the settings under `trainer` and `logger` describe it, with further `loggers`.

    `first_step` is the first update of a resumed session: TensorBoard drops later points of earlier sessions. Raises
    UserError for a device that this machine does not have.
    """
    settings, place = recipe.settings.trainer, place_of_process()
    interval, every_n_epoch = settings.val_check_interval, settings.check_val_every_n_epoch
    if validates_by_progress(settings):
        interval = MAX_INTERVAL  # between two validations, unless the callback Validations decides otherwise
    elif isinstance(interval, float) and every_n_epoch is None:
        every_n_epoch = 1
    for name in ("pytorch_lightning", "lightning_fabric"):  # without their general tips
        logging.getLogger(name).setLevel(logging.WARNING)
    warnings.filterwarnings("ignore", module=r"(pytorch_lightning|lightning_fabric|torch\.utils\._pytree)")
    try:
        trainer = pl.Trainer(
            max_epochs=limits.epochs if limits.epochs is not None else -1,
            max_steps=settings.max_steps,
            accelerator=settings.accelerator,
            devices=place.local_size,
            num_nodes=place.size // place.local_size,
            precision=settings.precision,
            gradient_clip_val=settings.gradient_clip_val,
            accumulate_grad_batches=settings.accumulate_grad_batches,
            val_check_interval=interval,
            check_val_every_n_epoch=every_n_epoch,
            log_every_n_steps=settings.log_every_n_steps,
            callbacks=list(callbacks),
            logger=[*([Curves(recipe.folder, first_step)] if recipe.settings.logger.tensorboard else []), *loggers],
            plugins=[StateFiles(), cluster_environment()],
            default_root_dir=recipe.folder,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=0,
            use_distributed_sampler=False,
        )
    except (ValueError, TypeError, ModuleNotFoundError, RuntimeError, MisconfigurationException) as error:
        raise UserError(
            f"trainer, callbacks: Lightning refuses accelerator={settings.accelerator} or a callback: {one_line(error)}"
        ) from error
    if trainer.precision != settings.precision:  # Lightning trains with another precision and only warns
        raise UserError(
            f"trainer.precision: got {settings.precision}, expected 32-true or bf16-mixed on a CPU, because 16-mixed "
            "needs a GPU"
        )
    return trainer


class Curves(TensorBoardLogger):
    """Writes only TensorBoard's curves, texts and pictures: config.yaml has the settings."""

    def __init__(self, folder: Path, first_step: int | None) -> None:
        super().__init__(folder, name="", version="", purge_step=first_step, flush_secs=10, default_hp_metric=False)

    def save(self) -> None:
        self.experiment.flush()


def check_batches(settings: TrainerConfig, batches: int, val_pairs: int, processes: int) -> None:
    """Raise UserError unless every process gets a batch and a validation pair, and every epoch has a validation.

    `batches` is the number of batches of all processes in an epoch.
    """
    if batches < processes or val_pairs < processes:
        raise UserError(
            f"got {processes} processes for {batches} training batches and {val_pairs} validation pairs, expected at "
            "least one of each for every process; start fewer"
        )
    interval, own = settings.val_check_interval, math.ceil(batches / processes)
    if isinstance(interval, int) and interval > own and settings.check_val_every_n_epoch is not None:
        raise UserError(
            f"trainer.val_check_interval: got {interval} batches, but an epoch has {own}; use at most that, or "
            "trainer.check_val_every_n_epoch=null to count over epochs"
        )


class Validations(Callback):
    """Validates at the ends of epochs, and `MIN_VALIDATIONS` to about `MAX_VALIDATIONS` times in a run.

    A run with many short epochs validates at the end of every n-th epoch. A run with few long epochs also validates
    inside them. The length of a run is measured by its progress, so that a limit on time works like a limit on epochs.
    The validation at the end of the run is not decided here. A validation is left out if the previous one was at most
    `SOON` updates ago and its score was only chance. Otherwise a short run would translate longer than it trains.
    """

    def __init__(self) -> None:
        self._share = 0.0  # the share of the run that was done when a validation was last due
        self._update = -1  # the update of the last validation

    def state_dict(self) -> dict[str, Any]:
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
        module = translation_module(pl_module)
        last_batch = trainer.fit_loop.epoch_loop.batch_progress.is_last_batch
        wanted = 0.9 / MAX_VALIDATIONS if last_batch else (1 - 1e-9) / MIN_VALIDATIONS  # shares are rounded
        due = not module.accumulating and module.share - self._share >= wanted
        if due:
            self._share = module.share
            name = module.monitor.name  # its last value is in the metrics of the trainer, also after a resume
            score = float(trainer.callback_metrics.get(f"val/{name}", math.inf))
            due = trainer.global_step - self._update > SOON or not module.monitor.is_chance({name: score})
        if due:
            self._update = trainer.global_step
        trainer.val_check_batch = 1 if due else MAX_INTERVAL


def validates_by_progress(settings: TrainerConfig) -> bool:
    """Return whether the callback decides when a run validates, because no setting does."""
    return settings.val_check_interval is None and settings.check_val_every_n_epoch is None
