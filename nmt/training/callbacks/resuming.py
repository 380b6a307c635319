"""Lets a resumed run go on as if it had not stopped: its random generators and its place in the epoch."""

from __future__ import annotations

import logging
import random
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback

from nmt.data.batches import BatchLoader

logger = logging.getLogger(__name__)


class ExactResume(Callback):
    """Saves the states of the random generators in last.ckpt. Restores them, and the place in the epoch, on resume."""

    def __init__(self) -> None:
        self._loaded: list[dict[str, Any]] = []
        self._gpu: torch.device | None = None
        self._ranks = 1

    def state_dict(self) -> dict[str, Any]:
        """Return every rank's generator states: of Python, of torch, and of the GPU that trains."""
        mine = self._states()
        states = [mine] * self._ranks
        if self._ranks > 1:
            torch.distributed.all_gather_object(states, mine)
        return {"ranks": states}

    def _states(self) -> dict[str, Any]:
        version, words, gauss = random.getstate()
        return {
            "python": [version, list(words), gauss],
            "torch": torch.get_rng_state(),
            "cuda": None if self._gpu is None else torch.cuda.get_rng_state(self._gpu),
        }

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
            if len(self._loaded) != self._ranks:
                before = len(self._loaded)
                logger.info(f"processes: {self._ranks} (was {before}), so an update has other numbers of tokens")
        if rank < len(self._loaded):
            self._restore(self._loaded[rank])
        elif rank > 0:  # all ranks were seeded alike, so that they begin with equal weights
            torch.manual_seed(torch.initial_seed() + rank)
        self._loaded = []

    def _restore(self, state: dict[str, Any]) -> None:
        version, words, gauss = state["python"]
        random.setstate((version, tuple(words), gauss))
        torch.set_rng_state(state["torch"])
        if self._gpu is not None and state["cuda"] is not None:
            torch.cuda.set_rng_state(state["cuda"], self._gpu)


def _restore_place(trainer: pl.Trainer) -> None:
    """Tell Lightning how much of the epoch is done, and end an epoch that is complete.

    Lightning does not know the place if another number of processes has read the first part of the epoch. With
    `trainer.max_steps`, it also begins an epoch that is complete again, and then finds no batches for the next one.
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
