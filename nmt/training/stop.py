"""Ctrl-C, SIGTERM, SIGHUP and SIGUSR1 stop a run after its current update, and its state is saved."""

from __future__ import annotations

import logging
import signal
import time
from types import FrameType
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.trainer.states import TrainerFn

from nmt.training.callbacks.checkpointing import Checkpointing, resumable
from nmt.training.module import TranslationModule, translation_module

logger = logging.getLogger(__name__)

# SLURM sends SIGUSR1 before the end of a job if it was told so. Windows lacks the last two.
SIGNALS = [getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1") if hasattr(signal, n)]
TOGETHER = 0.5  # seconds; signals from a terminal and from a parent process in this time are one


class Interrupted(Exception):
    """The signal `number` has stopped the run."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


class Stop(Callback):
    """Handles the signals while its `with` block lasts. A signal that is ignored, as by nohup, stays ignored.

    In training, a signal is noted, and after the next complete update the run is saved and `Interrupted` is raised. At
    another time, and for a second Ctrl-C, it is raised at once: last.ckpt holds the state of the last save.
    """

    def __init__(self, checkpointing: Checkpointing) -> None:
        self._checkpointing = checkpointing
        self._number, self._since = 0, 0.0
        self._training = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Stop:
        self._before = {number: signal.getsignal(number) for number in SIGNALS}
        self._install()
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _install(self) -> None:
        for number, handler in self._before.items():
            if handler != signal.SIG_IGN:
                signal.signal(number, self._receive)

    def _receive(self, number: int, frame: FrameType | None) -> None:
        first, now = not self._number, time.monotonic()
        if not first and (now - self._since < TOGETHER or number != signal.SIGINT):
            return
        self._number, self._since = number, now
        if not (first and self._training):
            raise Interrupted(number)

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Replace the handler that Lightning has installed: it waits for the other processes."""
        self._install()
        self._training = True

    def on_validation_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        if trainer.state.fn == TrainerFn.VALIDATING:  # after training
            self._install()

    def on_train_batch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule, *_: Any) -> None:
        """Save and stop if a signal has come, provided that the run can be continued exactly from here."""
        if resumable(trainer, translation_module(pl_module)):
            self._stop(trainer, translation_module(pl_module))

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Save and stop if a signal has come. If every batch validates, this is the only place inside an epoch."""
        module = translation_module(pl_module)
        if trainer.state.fn == TrainerFn.FITTING and not module.accumulating:
            self._stop(trainer, module)

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self._stop(trainer, translation_module(pl_module))

    def _stop(self, trainer: pl.Trainer, module: TranslationModule) -> None:
        number = self._number
        if trainer.world_size > 1:  # all processes stop, or the others would wait for this one
            number = int(trainer.strategy.reduce(torch.tensor(float(number), device=module.device), reduce_op="max"))
        if number:
            if self._checkpointing.saved != trainer.global_step:
                self._checkpointing.save_last(trainer, module)
            logger.info(f"stopped; update {trainer.global_step:,} is saved")
            raise Interrupted(number)

    def on_train_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self._training = False
