"""Saving: last.ckpt to continue from, best.ckpt to translate with, recent weights to average."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.trainer.states import TrainerFn

from nmt.checkpoint import load, save
from nmt.errors import ParameterError
from nmt.run_files import best_checkpoint, last_checkpoint, recent_checkpoint
from nmt.training.finite import require_finite
from nmt.training.module import TranslationModule, training


@dataclass(frozen=True)
class Best:
    """The best validation so far: its update, its quality (see `Monitor.quality`) and its figures."""

    update: int = -1
    quality: float = -math.inf
    scores: dict[str, float] = field(default_factory=dict)


class Checkpointing(Callback):
    """Writes last.ckpt (the whole state of training), best.ckpt and the weights of the last validations.

    The weights of the last `average_last` validations are kept for averaging at the end of the run; 0 keeps none.
    last.ckpt is written every `save_every_updates` updates and after each validation. The program calls this callback
    after all others that keep a state, so that last.ckpt holds their states after the same validation.
    """

    def __init__(self, *, average_last: int = 5, save_every_updates: int = 500) -> None:
        if average_last < 0:
            raise ParameterError("average_last", f"got {average_last}, expected at least 0 (0: no averaging)")
        if save_every_updates < 1:
            raise ParameterError("save_every_updates", f"got {save_every_updates}, expected at least 1")
        self.average_last = average_last
        self.save_every_updates = save_every_updates
        self.best = Best()
        self.recent: list[int] = []  # updates whose weights are kept, oldest first
        self.saved = 0  # the update that last.ckpt is from
        self._overdue = False

    def state_dict(self) -> dict[str, Any]:
        """Return the best validation so far, and which weights are kept."""
        return {"best": dict(vars(self.best)), "recent": list(self.recent), "saved": self.saved}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Continue from a saved state; weights that were written after it are written again."""
        self.best = Best(**state_dict["best"])
        self.recent = list(state_dict["recent"])
        self.saved = state_dict["saved"]

    def on_fit_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Continue from the files of a finished run that is extended: a best.ckpt that may be an average, no others."""
        view = training(pl_module)
        self.recent = [update for update in self.recent if recent_checkpoint(view.folder, update).is_file()]
        if self.best.update >= 0 and best_checkpoint(view.folder).is_file():
            about = load(best_checkpoint(view.folder))["nmt"]
            if "averaged_updates" in about["scores"]:
                scores = about["scores"]["val"]
                self.best = Best(about["update"], view.monitor.quality(scores), dict(scores))

    def on_train_batch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule, *_: Any) -> None:
        """Save when it is time and the run can be continued exactly from here."""
        if self._due(trainer) and resumable(trainer, training(pl_module)):
            self.save_last(trainer, training(pl_module))

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Save when it is time."""
        if self._due(trainer):
            self.save_last(trainer, training(pl_module))

    def _due(self, trainer: pl.Trainer) -> bool:
        return self._overdue or trainer.global_step - self.saved >= self.save_every_updates

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Keep the weights if they are the best, keep them for averaging, and save the state."""
        view, update = training(pl_module), trainer.global_step
        quality = view.monitor.quality(view.validation.scores)
        if quality > self.best.quality or self.best.update < 0:  # the first, whatever it is
            self.best = Best(update, quality, dict(view.validation.scores))
            if trainer.is_global_zero:
                save(view.weights(), best_checkpoint(view.folder))
        if self.average_last and update not in self.recent:
            self._keep(trainer, view, update)
        if view.accumulating and trainer.state.fn == TrainerFn.FITTING:
            self._overdue = True  # save after the last batch of this update
        else:
            self.save_last(trainer, view)

    def _keep(self, trainer: pl.Trainer, view: TranslationModule, update: int) -> None:
        if trainer.is_global_zero:
            save(view.weights(), recent_checkpoint(view.folder, update))
        self.recent.append(update)
        for outdated in self.recent[: -self.average_last]:
            recent_checkpoint(view.folder, outdated).unlink(missing_ok=True)
        self.recent = self.recent[-self.average_last :]

    def save_last(self, trainer: pl.Trainer, view: TranslationModule) -> None:
        """Write last.ckpt. Raises Diverged instead if a weight is not finite."""
        require_finite(view.translator.model, trainer.global_step)
        before = self.saved
        self.saved, self._overdue = trainer.global_step, False  # part of the state that is saved now
        try:
            trainer.save_checkpoint(last_checkpoint(view.folder))
        except BaseException:  # a full disk, a second Ctrl-C: the old file is still there
            self.saved = before
            raise


def resumable(trainer: pl.Trainer, view: TranslationModule) -> bool:
    """Return whether a run that is saved at the end of this batch can be continued exactly.

    Inside an update it cannot, because accumulated gradients are not saved. After the last batch of an epoch it cannot
    either, because Lightning would skip the end of the epoch; `on_train_epoch_end` saves there. The same holds before a
    validation that follows this batch; `on_validation_end` saves after it.
    """
    last_batch = trainer.fit_loop.epoch_loop.batch_progress.is_last_batch
    return not view.accumulating and not last_batch and trainer.val_check_batch != 1
