"""Saving: last.ckpt to continue from, best.safetensors to translate with, recent weights to average."""

from __future__ import annotations

from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.trainer.states import TrainerFn

from nmt.checkpoint import load, save
from nmt.parameters import NonNegativeInt, PositiveInt
from nmt.system.run_files import METRICS, best_checkpoint, last_checkpoint, recent_checkpoint, recent_updates
from nmt.training.module import TranslationModule, check_finite, translation_module


class Checkpointing(Callback):
    """Writes last.ckpt (the complete state of training), best.safetensors and the weights of the last validations.

    The weights of the last `average_last` validations are kept for averaging at the end of the run; 0 keeps none. At
    the end of the run, the best weights on validation are kept: the best single weights or the average. last.ckpt is
    written every `save_every_updates` updates, after each validation of training, and at the end of training, so that
    training can go on exactly from there.
    """

    def __init__(
        self,
        *,
        average_last: NonNegativeInt = 5,
        save_every_updates: PositiveInt = 500,
    ) -> None:
        self.average_last = average_last
        self.save_every_updates = save_every_updates
        self.recent: list[int] = []  # updates whose weights are kept, oldest first
        self.saved = 0  # the update of the last save
        self._quality: float | None = None  # of the best checkpoint
        self._overdue = False
        self._stopping = False

    def state_dict(self) -> dict[str, Any]:
        """Return the update that is saved."""
        return {"saved": self.saved}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        self.saved = state_dict["saved"]

    def on_fit_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Continue with the run's files: its best checkpoint, and the recent weights that are not after last.ckpt."""
        module = translation_module(pl_module)
        if best_checkpoint(module.folder).is_file():
            self._quality = module.monitor.quality(load(best_checkpoint(module.folder)).scores["val"])
        kept = []
        for update in recent_updates(module.folder):
            if update <= self.saved:
                kept.append(update)
            elif trainer.is_global_zero:  # training goes on from an earlier update, and may not reach this one again
                recent_checkpoint(module.folder, update).unlink(missing_ok=True)
        self.recent = kept[-self.average_last :] if self.average_last else []  # a resumed run may keep fewer

    def on_train_batch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule, *_: Any) -> None:
        """Save if a save is due or training ends here, provided that the run can be continued exactly from here."""
        module = translation_module(pl_module)
        self._stop_after_update(trainer, module)
        ends = trainer.should_stop or trainer.global_step == trainer.max_steps
        if (ends or self._due(trainer)) and resumable(trainer, module):
            self.save_last(trainer, module)

    def _stop_after_update(self, trainer: pl.Trainer, module: TranslationModule) -> None:
        """Delay a stop that another callback requests until the update is complete, because no gradient is saved."""
        self._stopping = self._stopping or trainer.should_stop
        trainer.should_stop = self._stopping and not module.accumulating

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        if self._due(trainer):
            self.save_last(trainer, translation_module(pl_module))

    def on_train_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        if self.saved != trainer.global_step:
            self.save_last(trainer, translation_module(pl_module))

    def _due(self, trainer: pl.Trainer) -> bool:
        return self._overdue or trainer.global_step - self.saved >= self.save_every_updates

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Keep the weights if they are the best, keep them for averaging, and save the state."""
        module, update = translation_module(pl_module), trainer.global_step
        quality = module.monitor.quality(module.validation.scores)
        if self._quality is None or quality > self._quality:  # the first is always the best so far
            self._quality = quality
            if trainer.is_global_zero:
                save(module.checkpoint(), best_checkpoint(module.folder))
        if self.average_last and update and update not in self.recent:
            self._keep(trainer, module, update)
        if trainer.state.fn != TrainerFn.FITTING:
            return  # last.ckpt is from the last batch; a save now would lose the place in the epoch
        self._stop_after_update(trainer, module)
        if module.accumulating:
            self._overdue = True  # save after the last batch of this update
        else:
            self.save_last(trainer, module)

    def _keep(self, trainer: pl.Trainer, module: TranslationModule, update: int) -> None:
        if trainer.is_global_zero:
            save(module.checkpoint(), recent_checkpoint(module.folder, update))
        self.recent.append(update)
        for outdated in self.recent[: -self.average_last]:
            recent_checkpoint(module.folder, outdated).unlink(missing_ok=True)
        self.recent = self.recent[-self.average_last :]

    def save_last(self, trainer: pl.Trainer, module: TranslationModule) -> None:
        """Write last.ckpt. If a finished run is continued, it is then no longer finished.

        Raises Diverged instead if a weight is not finite.
        """
        check_finite(module.translator.model, trainer.global_step)
        self.saved, self._overdue = trainer.global_step, False  # part of the state that is saved now
        trainer.save_checkpoint(last_checkpoint(module.folder))
        if trainer.is_global_zero:
            (module.folder / METRICS).unlink(missing_ok=True)


def resumable(trainer: pl.Trainer, module: TranslationModule) -> bool:
    """Return whether a run that is saved at the end of this batch can be continued exactly.

    Inside an update it cannot, because accumulated gradients are not saved. After the last batch of an epoch it cannot,
    because Lightning would skip the end of the epoch; `on_train_epoch_end` saves instead. Before a validation it
    cannot, because Lightning would skip the validation; `on_validation_end` saves instead.
    """
    last_batch = trainer.fit_loop.epoch_loop.batch_progress.is_last_batch
    return not module.accumulating and not last_batch and not _validation_follows(trainer)


def _validation_follows(trainer: pl.Trainer) -> bool:
    """Return whether Lightning validates after this batch, which is not the last of its epoch."""
    progress, every = trainer.fit_loop.epoch_loop.batch_progress, trainer.check_val_every_n_epoch
    if every is not None and (trainer.current_epoch + 1) % every:
        return False
    assert trainer.val_check_batch is not None  # Lightning sets it before training
    batches = progress.total.ready if every is None else progress.current.ready
    return batches % trainer.val_check_batch == 0
