"""After Ctrl-C, SIGTERM, SIGHUP or SIGUSR1, a run is saved and ends after a complete update."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.trainer.states import TrainerFn

from nmt.training.callbacks.checkpointing import Checkpointing, resumable
from nmt.training.interruption import Interrupted, Stopped, handled, is_another, stop
from nmt.training.module import TranslationModule, translation_module


class GracefulStop(Callback):
    """Saves and ends a run after the next complete update when it gets Ctrl-C, SIGTERM, SIGHUP or SIGUSR1.

    A second Ctrl-C ends the run at once. Signals that arrive together count as one, and the exit status is that of the
    first signal.
    """

    def __init__(self, checkpointing: Checkpointing) -> None:
        self.checkpointing = checkpointing
        self._received: int | None = None
        self._before: dict[int, Any] = {}

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Install the handlers, after Lightning has installed its own."""
        self._before = {number: signal.signal(number, self._receive) for number in (signal.SIGINT, *handled())}

    def _receive(self, number: int, frame: FrameType | None) -> None:
        if not is_another():
            return
        if self._received is None:
            self._received = number
        elif number == signal.SIGINT:
            raise Stopped(number)

    def on_train_batch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule, *_: Any) -> None:
        if resumable(trainer, translation_module(pl_module)):
            self._stop(trainer, translation_module(pl_module))

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Save and stop if a signal came. If every batch validates, this is the only place inside an epoch."""
        after_training = trainer.state.fn == TrainerFn.VALIDATING and trainer.world_size > 1
        if after_training or (trainer.state.fn == TrainerFn.FITTING and not translation_module(pl_module).accumulating):
            self._stop(trainer, translation_module(pl_module))

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self._stop(trainer, translation_module(pl_module))

    def _stop(self, trainer: pl.Trainer, module: TranslationModule) -> None:
        received = self._received or 0
        if trainer.world_size > 1:  # all processes stop, or the others would wait for this one
            mine = torch.tensor(float(received), device=module.device)
            received = int(trainer.strategy.reduce(mine, reduce_op="max"))
        if received:
            if self.checkpointing.saved != trainer.global_step:
                self.checkpointing.save_last(trainer, module)
            raise Interrupted(received, trainer.global_step, module.folder)

    def on_validation_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Let a signal stop the validation after training: at once, as everything is saved, or at its end.

        Several processes end together, or the others would wait for the one that got the signal. Lightning's own
        handler of SIGTERM would wait for the other processes.
        """
        if trainer.state.fn == TrainerFn.VALIDATING:
            for number in handled():
                signal.signal(number, stop if trainer.world_size == 1 else self._receive)

    def on_train_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Restore Lightning's handlers. After this, Lightning restores the handlers that were there before its own."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}

    def on_exception(self, trainer: pl.Trainer, pl_module: pl.LightningModule, exception: BaseException) -> None:
        self.on_train_end(trainer, pl_module)
