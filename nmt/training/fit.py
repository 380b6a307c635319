"""Trains the parts of a run with Lightning's trainer."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pytorch_lightning as pl
import torch
from lightning_fabric.utilities.exceptions import MisconfigurationException
from pytorch_lightning.callbacks import Callback, Timer
from pytorch_lightning.plugins.precision import Precision
from pytorch_lightning.utilities import rank_zero_only

from nmt.config.recipe import Recipe
from nmt.config.settings import TrainerConfig
from nmt.data.progress import clock
from nmt.errors import UserError, counted, one_line
from nmt.system.launch import launch
from nmt.system.run_files import last_checkpoint
from nmt.training.callbacks.checkpointing import Checkpointing
from nmt.training.callbacks.graceful_stop import GracefulStop
from nmt.training.callbacks.resuming import Generators, PlaceInEpoch, SaveResumedConfig
from nmt.training.callbacks.validations import (
    MAX_INTERVAL,
    MAX_VALIDATIONS,
    MIN_VALIDATIONS,
    Validations,
    validates_by_progress,
)
from nmt.training.interruption import interruptible
from nmt.training.lightning import AtomicCheckpointIO, EventLog, quiet_lightning
from nmt.training.limits import Limits
from nmt.training.meter import Counts
from nmt.training.module import Diverged, EndOfBatch, RunCallback, TranslationModule
from nmt.training.parts import Parts
from nmt.training.processes import cluster_environment, lost_process_named
from nmt.training.schedules import Schedule
from nmt.training.state import restoring

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Fitted:
    """The results of training that the end of a run needs, apart from the weights and the checkpoints.

    `seconds` is the time of training and its validations in all sessions; `session_seconds` is the time of Lightning's
    fit in this session. `counts` are the sums of all processes. `recent` lists the updates whose weights were kept for
    averaging, oldest first. `ema` is the moving average of the weights, by their names in the model, or None.
    `callbacks` are the callbacks that the end of the run calls. `peak_rate` is the configured peak learning rate, and
    `highest_factor` the largest share of it that an update used. `warmed_up` says whether the warm-up had ended before
    the last update.
    """

    updates: int
    seconds: float
    session_seconds: float
    counts: Counts
    peak_rate: float
    highest_factor: float
    warmed_up: bool
    recent: tuple[int, ...]
    ema: Mapping[str, torch.Tensor] | None
    callbacks: Sequence[RunCallback]
    device: torch.device
    precision: Precision
    processes: int
    first_process: bool


def fit(parts: Parts, checkpoints: AtomicCheckpointIO) -> Fitted:
    """Train the model of `parts`. If `checkpoints` holds the content of last.ckpt, training continues from it.

    Raises `Interrupted` after Ctrl-C or another signal if last.ckpt holds the state of the run.
    """
    recipe, resumed = parts.recipe, checkpoints.last is not None
    timer = Timer(recipe.settings.trainer.max_time, interval="step")
    checkpointing = parts.callbacks["checkpointing"]
    assert isinstance(checkpointing, Checkpointing)
    if checkpoints.last is not None:
        checkpointing.saved = checkpoints.last["nmt"]["update"]  # for a Ctrl-C before Lightning restores the state
    callbacks = _ordered(_own(recipe, timer, resumed=resumed), parts.callbacks, checkpointing)
    module = TranslationModule(parts, timer.time_elapsed)
    trainer = make_trainer(parts, callbacks, checkpoints)
    _check_shares(parts, trainer.world_size)
    _announce(parts, trainer.world_size)
    with interruptible(recipe.folder, lambda: checkpointing.saved):
        session_seconds = _run(trainer, module, checkpointing, resumed=resumed)
    return Fitted(
        updates=trainer.global_step,
        seconds=timer.time_elapsed(),
        session_seconds=session_seconds,
        counts=module.meter.totals,
        peak_rate=trainer.optimizers[0].param_groups[0]["peak_lr"],
        highest_factor=module.highest_factor,
        warmed_up=parts.schedule.warmup(trainer.global_step - 1, module.share) == 1.0,
        recent=tuple(checkpointing.recent),
        ema=checkpointing.ema,
        callbacks=[callback for callback in callbacks if isinstance(callback, RunCallback)],
        device=trainer.strategy.root_device,
        precision=trainer.precision_plugin,
        processes=trainer.world_size,
        first_process=trainer.is_global_zero,
    )


def _own(recipe: Recipe, timer: Timer, *, resumed: bool) -> dict[str, Callback]:
    """Return the callbacks that are not settings, with their names for messages."""
    own: dict[str, Callback] = {"the log": EndOfBatch(), "the timer": timer, "the random generators": Generators()}
    if resumed:
        own["the place in the epoch"] = PlaceInEpoch()
        own["the saving of changed settings"] = SaveResumedConfig(recipe)
    if validates_by_progress(recipe.settings.trainer):
        own["the validations"] = Validations()
    return own


def _announce(parts: Parts, ranks: int) -> None:
    """Log the model, the folder, and the plan of the run."""
    batches = len(parts.data.train_dataloader())
    logger.info(f"run folder: {parts.recipe.folder}")
    logger.info(
        f"model: {parts.parameters:,} parameters, vocabulary {parts.translator.tokenizer.target_vocab_size:,}, "
        f"{batches:,} batches an epoch{f', {ranks} processes' * (ranks > 1)}"
    )
    logger.info(plan(parts.recipe.settings.trainer, parts.limits, parts.schedule, math.ceil(batches / ranks)))


def _run(trainer: pl.Trainer, module: TranslationModule, checkpointing: Checkpointing, *, resumed: bool) -> float:
    """Train, validate the last weights, and return the seconds of Lightning's fit.

    Raises UserError for a device or precision that this machine does not have, and for training that diverges.
    """
    path = last_checkpoint(module.folder)
    before = time.monotonic()
    try:
        with restoring(module.folder, ended=lambda: module.began or not resumed), lost_process_named():
            trainer.fit(module, datamodule=module.parts.data, ckpt_path=path if resumed else None, weights_only=True)
        seconds = time.monotonic() - before
        if module.validation.update != trainer.global_step:
            with lost_process_named():
                trainer.validate(module, datamodule=module.parts.data, verbose=False)
    except MisconfigurationException as error:
        raise UserError(f"trainer: {one_line(error)}") from error
    except Diverged as error:
        kept = f"last.ckpt is from update {checkpointing.saved:,}; " if path.is_file() else ""
        raise Diverged(
            f"{error}; {kept}start a new run with a lower optimizer.lr or a longer scheduler.warmup_updates"
        ) from error
    return seconds


def _ordered(
    own: Mapping[str, Callback], configured: Mapping[str, Callback], checkpointing: Checkpointing
) -> list[Callback]:
    """Return all callbacks in the order in which Lightning gets them.

    Validations comes after the callbacks that draw and write when a validation ends, because it measures their time
    too. Checkpointing comes after all others that keep a state, so that last.ckpt holds their states after a
    validation. Raises UserError for two callbacks whose states would be saved under the same key.
    """
    keys: dict[str, str] = {}
    for name, callback in {**own, **configured}.items():
        if callback.state_dict() and keys.setdefault(callback.state_key, name) != name:
            raise UserError(
                f"callbacks.{name}: its state would be saved under the same key as that of {keys[callback.state_key]} "
                f"({callback.state_key}); give the class another name, or leave one of them out"
            )
    others = [callback for callback in (*own.values(), *configured.values()) if callback is not checkpointing]
    others.sort(key=lambda callback: isinstance(callback, Validations))
    return [*others, checkpointing, GracefulStop(checkpointing)]


def make_trainer(parts: Parts, callbacks: Sequence[Callback], checkpoints: AtomicCheckpointIO) -> pl.Trainer:
    """Return Lightning's trainer as the settings under `trainer` and `logger` describe it.

    Raises UserError for a device that this machine does not have.
    """
    recipe = parts.recipe
    settings, started, cluster = recipe.settings.trainer, launch(), cluster_environment()
    assert settings.precision != "auto", "`nmt.training.precision.decided` comes before"
    interval, every_n_epoch = settings.val_check_interval, settings.check_val_every_n_epoch
    if validates_by_progress(settings):
        interval = MAX_INTERVAL  # between two validations, unless the callback Validations decides otherwise
    elif isinstance(interval, float) and every_n_epoch is None:
        every_n_epoch = 1
    quiet_lightning()
    try:
        trainer = pl.Trainer(
            max_epochs=parts.limits.epochs if parts.limits.epochs is not None else -1,
            max_steps=settings.max_steps,
            accelerator=settings.accelerator,
            devices=started.local_size if started.several else settings.devices,
            num_nodes=started.nodes,
            strategy=settings.strategy,
            precision=settings.precision,
            gradient_clip_val=settings.gradient_clip_val,
            accumulate_grad_batches=settings.accumulate_grad_batches,
            val_check_interval=interval,
            check_val_every_n_epoch=every_n_epoch,
            log_every_n_steps=settings.log_every_n_steps,
            callbacks=list(callbacks),
            logger=EventLog(recipe.folder, name="", version="") if recipe.settings.logger.tensorboard else False,
            plugins=[checkpoints] if cluster is None else [checkpoints, cluster],
            default_root_dir=recipe.folder,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=0,
            use_distributed_sampler=False,
        )
    except (ValueError, TypeError, ModuleNotFoundError, MisconfigurationException) as error:
        raise UserError(
            f"trainer: got accelerator={settings.accelerator}, devices={settings.devices}, which this machine cannot "
            f"provide: {one_line(error)}"
        ) from error
    if trainer.precision != settings.precision:  # Lightning trains with another precision and only warns
        raise UserError(
            f"trainer.precision: got {settings.precision}, expected 32-true or bf16-mixed on a CPU, because 16-mixed "
            "needs a GPU"
        )
    # Lightning reads this number from RANK or SLURM_PROCID. A single process with RANK=1 would write no curves.
    rank_zero_only.rank = trainer.global_rank  # type: ignore[attr-defined]
    return trainer


def _check_shares(parts: Parts, ranks: int) -> None:
    """Raise UserError unless every process gets a batch and a validation pair, and every epoch has a validation."""
    settings = parts.recipe.settings.trainer
    total, val_pairs = len(parts.data.train_dataloader()), len(parts.val_pairs)
    batches, interval = math.ceil(total / ranks), settings.val_check_interval
    if total < ranks or val_pairs < ranks:
        raise UserError(
            f"trainer.devices: got {ranks} processes for {total} training batches and {val_pairs} validation pairs, "
            "expected at least one of each for every process; use fewer devices"
        )
    if isinstance(interval, int) and interval > batches and settings.check_val_every_n_epoch is not None:
        raise UserError(
            f"trainer.val_check_interval: got {interval} batches, but an epoch has {batches}; use at most that, or "
            "trainer.check_val_every_n_epoch=null to count over epochs"
        )


def plan(settings: TrainerConfig, limits: Limits, schedule: Schedule, batches: int) -> str:
    """Return a line on the plan of a run, with the keys that change it. An epoch has `batches` for one process."""
    lengths = {
        "trainer.max_epochs": limits.epochs and counted(limits.epochs, "epoch"),
        "trainer.max_steps": limits.updates and counted(limits.updates, "update"),
        "trainer.max_time": settings.max_time,
    }
    length = "at most " + " or ".join(f"{limit} ({key})" for key, limit in lengths.items() if limit is not None)
    warmup = _warmup(settings, limits, schedule, batches)
    return "run: " + ", ".join(filter(None, [length, _validations(settings, limits, batches), warmup]))


def _validations(settings: TrainerConfig, limits: Limits, batches: int) -> str:
    interval, every = settings.val_check_interval, settings.check_val_every_n_epoch
    if validates_by_progress(settings):
        fewest = "" if limits.seconds is None else ", fewer where they are slow"
        return f"{MIN_VALIDATIONS} to {MAX_VALIDATIONS} validations{fewest} (trainer.val_check_interval)"
    if interval is None:
        rhythm = "epoch" if every == 1 else f"{every:,} epochs"
        return f"a validation every {rhythm} and at the end (trainer.check_val_every_n_epoch)"
    number = interval if isinstance(interval, int) else max(1, int(batches * interval))
    rhythm = "batch" if number == 1 else f"{number:,} batches"
    if every is not None or isinstance(interval, float):
        rhythm += " of an epoch"
    return f"a validation every {rhythm} and at the end (trainer.val_check_interval)"


def _warmup(settings: TrainerConfig, limits: Limits, schedule: Schedule, batches: int) -> str:
    """Return the length of the warm-up: a number of updates, or less if its share of the run ends it earlier."""
    if not schedule.warmup_updates:
        return ""
    in_epochs = limits.epochs and limits.epochs * math.ceil(batches / settings.accumulate_grad_batches)
    known = [updates for updates in (limits.updates, in_epochs) if updates is not None]
    text = f"warm-up of {counted(schedule.warmup_updates, 'update')}"
    share = f", {schedule.warmup_share:.0%} of the run"
    limited = limits.seconds is not None
    if known and (most := math.ceil(schedule.warmup_share * min(known))) < schedule.warmup_updates:
        text, limited = f"warm-up of {counted(most, 'update')} instead of {schedule.warmup_updates:,}", True
    if limits.seconds is not None:
        text += f", but at most {clock(schedule.warmup_share * limits.seconds)}"
    return f"{text}{share * limited} (scheduler)"
