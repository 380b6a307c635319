"""Callbacks for resuming a run: they restore its place and its random generators, and write the changed settings."""

from __future__ import annotations

import random
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback

from nmt.config.recipe import Recipe
from nmt.data.batches import BatchLoader
from nmt.system.atomic import write_atomically
from nmt.system.run_files import CONFIG


class Generators(Callback):
    """Saves the states of the random generators in a checkpoint, and restores them."""

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
        if rank >= len(self._loaded):
            if rank > 0:  # all ranks were seeded alike, so that they begin with equal weights
                torch.manual_seed(torch.initial_seed() + rank)
            return
        state = self._loaded[rank]
        version, words, gauss = state["python"]
        random.setstate((version, tuple(words), gauss))
        torch.set_rng_state(state["torch"])
        if self._gpu is not None and state["cuda"] is not None:
            torch.cuda.set_rng_state(state["cuda"], self._gpu)
        self._loaded = []


class PlaceInEpoch(Callback):
    """Tells Lightning how much of an epoch is done.

    Lightning does not know it if another number of processes has read the first part of the epoch. With
    `trainer.max_steps`, it also begins an epoch that is complete again, and then finds no batches for the next one.
    """

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Count the batches as if the present number of processes had read them, and end an epoch that is complete."""
        loader, done = trainer.train_dataloader, trainer.fit_loop.epoch_loop.batch_progress.current
        assert isinstance(loader, BatchLoader)
        if loader.done and loader.left:
            moved = len(loader) - loader.left - done.ready
            for name in ("ready", "started", "processed", "completed"):
                setattr(done, name, getattr(done, name) + moved)
        _end_complete_epoch(trainer)


def _end_complete_epoch(trainer: pl.Trainer) -> None:
    loop = trainer.fit_loop
    epochs: Any = loop.epoch_progress  # Lightning's annotation lacks the counts `started` and `processed`
    if loop.restarting and epochs.current.processed == epochs.current.started:
        for count in (epochs.total, epochs.current):
            count.completed = count.processed
        loop.on_iteration_done()
        loop.epoch_loop.restarting = False  # not `loop.restarting`: that stays true with max_steps
        loop.update_restart_stage()


class SaveResumedConfig(Callback):
    """Writes the settings of a resumed run to its config.yaml, once the complete state of the run is restored.

    Before that, an error could still stop the run, whose files must then stay unchanged.
    """

    def __init__(self, recipe: Recipe) -> None:
        self._recipe: Recipe | None = recipe

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Write the settings before the first batch."""
        self._write(trainer)

    def on_fit_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Write the settings if there was nothing left to train."""
        self._write(trainer)

    def _write(self, trainer: pl.Trainer) -> None:
        if self._recipe is not None and trainer.is_global_zero:
            write_atomically(self._recipe.folder / CONFIG, self._recipe.to_yaml().encode())
        self._recipe = None
