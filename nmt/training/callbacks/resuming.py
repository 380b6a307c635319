"""A run stops when a signal comes, after a complete update, and a resumed run goes on as if it had not stopped."""

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

from nmt.data.batches import BatchLoader
from nmt.training.callbacks.checkpointing import Checkpointing, resumable
from nmt.training.module import TranslationModule, translation_module

logger = logging.getLogger(__name__)

# SLURM sends SIGUSR1 before the end of a job if the job asks for it. Windows lacks the last two.
SIGNALS = [getattr(signal, n) for n in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1") if hasattr(signal, n)]
TOGETHER = 0.5  # seconds; signals from a terminal and from a parent process in this time are one


class Interrupted(Exception):
    """The signal `number` has stopped the run."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


class StopOnSignal(Callback):
    """Handles the signals while its `with` block lasts. A signal that is ignored, as by nohup, stays ignored.

    In training, a signal is noted, and after the next complete update the run is saved and `Interrupted` is raised.
    Before and after training, and for a second Ctrl-C, `Interrupted` is raised at once. Then last.ckpt stays as it was
    last saved.
    """

    def __init__(self, checkpointing: Checkpointing) -> None:
        self._checkpointing = checkpointing
        self._number, self._since = 0, 0.0
        self._training = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> StopOnSignal:
        before = {number: signal.getsignal(number) for number in SIGNALS}
        self._before = {number: handler for number, handler in before.items() if handler != signal.SIG_IGN}
        self._install()
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _install(self) -> None:
        for number in self._before:
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


class ExactResume(Callback):
    """Saves the states of torch's random generators, and restores them and the place in the epoch on resume."""

    def __init__(self) -> None:
        self._loaded: list[dict[str, Any]] = []
        self._gpu: torch.device | None = None
        self._ranks = 1

    def state_dict(self) -> dict[str, Any]:
        """Return every rank's states of torch's generators: that of the CPU, and that of the GPU that trains."""
        gpu = None if self._gpu is None else torch.cuda.get_rng_state(self._gpu)
        mine = {"torch": torch.get_rng_state(), "cuda": gpu}
        states = [mine] * self._ranks
        if self._ranks > 1:
            torch.distributed.all_gather_object(states, mine)
        return {"ranks": states}

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Keep the states until training begins, so that nothing draws from them before."""
        self._loaded = state_dict["ranks"]

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Restore the loaded states; in a new run, let every rank draw different random numbers."""
        device, rank = trainer.strategy.root_device, trainer.global_rank
        self._gpu = device if device.type == "cuda" else None
        self._ranks = trainer.world_size
        if self._loaded:
            _restore_place(trainer)
        if rank < len(self._loaded):
            state = self._loaded[rank]
            torch.set_rng_state(state["torch"])
            if self._gpu is not None and state["cuda"] is not None:
                torch.cuda.set_rng_state(state["cuda"], self._gpu)
        elif rank > 0:  # all ranks were seeded alike, so that they begin with equal weights
            torch.manual_seed(torch.initial_seed() + rank)
        self._loaded = []


def _restore_place(trainer: pl.Trainer) -> None:
    """Tell Lightning how much of the epoch is done, and end an epoch that is complete.

    Lightning does not know the place if another number of processes has read the first part of the epoch. With
    `trainer.max_steps`, it also begins a complete epoch a second time, and then finds no batches for the next one.
    """
    loop, loader = trainer.fit_loop, trainer.train_dataloader
    done = loop.epoch_loop.batch_progress.current
    assert isinstance(loader, BatchLoader)
    if loader.done and loader.left:
        moved = len(loader) - loader.left - done.ready
        for name in ("ready", "started", "processed", "completed"):
            setattr(done, name, getattr(done, name) + moved)
    epochs: Any = loop.epoch_progress  # Lightning's annotation lacks the counts `started` and `processed`
    if loop.restarting and epochs.current.processed == epochs.current.started:
        for count in (epochs.total, epochs.current):
            count.completed = count.processed
        loop.on_iteration_done()
        loop.epoch_loop.restarting = False  # not `loop.restarting`: that stays true with max_steps
        loop.update_restart_stage()
