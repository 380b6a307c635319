"""Saving, resuming and stopping: callbacks that leave a run so that it goes on as if it had never stopped."""

from __future__ import annotations

import math
import random
import signal
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import pytorch_lightning as pl
import torch
from lightning_fabric.plugins import TorchCheckpointIO
from pytorch_lightning.callbacks import Callback, EarlyStopping
from pytorch_lightning.trainer.states import TrainerFn

from nmt.checkpoint import describe, load, save, with_prefix
from nmt.config.settings import CallbacksConfig
from nmt.training.module import TranslationModule


class AtomicCheckpointIO(TorchCheckpointIO):
    """Lets Lightning write and read checkpoints the way `nmt.checkpoint` does: whole, checked, nothing executed."""

    def save_checkpoint(self, checkpoint: Mapping[str, Any], path: Any, storage_options: Any = None) -> None:
        """Write a checkpoint whole or not at all."""
        save(checkpoint, Path(path))

    def load_checkpoint(self, path: Any, map_location: Any = None, weights_only: bool | None = None) -> dict[str, Any]:
        """Return a checkpoint's payload on the CPU."""
        return load(Path(path))


class Generators(Callback):
    """Carries the states of the random generators through a checkpoint."""

    def __init__(self) -> None:
        self._loaded: list[dict[str, Any]] = []
        self._at_the_end: dict[str, Any] | None = None
        self._gpu: torch.device | None = None
        self._ranks = 1

    def state_dict(self) -> dict[str, Any]:
        """Return, for every rank, the states of Python's and torch's generators, and of the GPU's that trains."""
        mine = self._at_the_end or self._states()
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

    def on_train_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Keep the states: Lightning seeds several processes anew for the validation that may follow."""
        self._at_the_end = self._states()

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Keep the states until training begins, so that nothing draws from them before."""
        self._loaded = state_dict["ranks"]

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Restore what was loaded; without it, let every rank draw numbers of its own."""
        device, rank = trainer.strategy.root_device, trainer.global_rank
        self._gpu = device if device.type == "cuda" else None
        self._ranks = trainer.world_size
        if rank >= len(self._loaded):
            if rank > 0:  # all ranks were seeded alike, for equal weights
                torch.manual_seed(torch.initial_seed() + rank)
            return
        state = self._loaded[rank]
        version, words, gauss = state["python"]
        random.setstate((version, tuple(words), gauss))
        torch.set_rng_state(state["torch"])
        if self._gpu is not None and state["cuda"] is not None:
            torch.cuda.set_rng_state(state["cuda"], self._gpu)
        self._loaded = []


class Checkpointing(Callback):
    """Writes last.ckpt (the whole training state), best.ckpt (by validation quality) and the recent weights to average.

    Stands last among the callbacks, so that what it saves holds what they made of the same validation.
    """

    def __init__(self, folder: Path, config: CallbacksConfig) -> None:
        self.folder = folder
        self.config = config
        self.best_quality = -math.inf
        self.best_scores: dict[str, float] = {}  # of the validation that best.ckpt is from
        self.best_update = -1
        self.recent: list[int] = []
        self.saved = 0  # the update that last.ckpt is from
        self._overdue = False

    @property
    def last(self) -> Path:
        """Where the whole training state is."""
        return self.folder / "last.ckpt"

    @property
    def best(self) -> Path:
        """Where the weights to translate with are."""
        return self.folder / "best.ckpt"

    def recent_paths(self) -> list[Path]:
        """Return the files of the last validated weights, oldest first."""
        return [self._recent_path(update) for update in self.recent]

    def _recent_path(self, update: int) -> Path:
        return self.folder / f"recent-{update}.ckpt"

    def state_dict(self) -> dict[str, Any]:
        """Return the best score so far, and which weights are kept."""
        return {
            "best_quality": self.best_quality,
            "best_scores": dict(self.best_scores),
            "best_update": self.best_update,
            "recent": list(self.recent),
            "saved": self.saved,
        }

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Go on from there; weights written after the state was saved are written again."""
        self.best_quality, self.best_scores = state_dict["best_quality"], dict(state_dict["best_scores"])
        self.best_update = state_dict["best_update"]
        self.recent = list(state_dict["recent"])
        self.saved = state_dict["saved"]

    def on_train_batch_end(self, trainer: pl.Trainer, pl_module: Any, *_: Any) -> None:
        """Save when it is time, where Lightning can go on exactly."""
        if self._due(trainer) and resumable(trainer, pl_module):
            self.save_last(trainer)

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: Any) -> None:
        """Save when it is time."""
        if self._due(trainer):
            self.save_last(trainer)

    def _due(self, trainer: pl.Trainer) -> bool:
        return self._overdue or trainer.global_step - self.saved >= self.config.save_every_updates

    def on_validation_end(self, trainer: pl.Trainer, pl_module: Any) -> None:
        """Keep the weights if they are the best, keep them for the average, and save the state."""
        if trainer.sanity_checking:
            return
        quality = pl_module.validation.quality
        if quality > self.best_quality:
            self.best_quality, self.best_scores = quality, dict(pl_module.validation.scores)
            self.best_update = trainer.global_step
            self.save_weights(trainer, pl_module, self.best)
        if self.config.average_last and trainer.global_step not in self.recent:
            self.save_weights(trainer, pl_module, self._recent_path(trainer.global_step))
            self.recent.append(trainer.global_step)
            for update in self.recent[: -self.config.average_last]:
                self._recent_path(update).unlink(missing_ok=True)
            self.recent = self.recent[-self.config.average_last :]
        if pl_module.accumulating and trainer.state.fn == TrainerFn.FITTING:
            self._overdue = True  # until this update is whole; at the end of the run it will never be
        else:
            self.save_last(trainer)

    def save_last(self, trainer: pl.Trainer) -> None:
        """Write last.ckpt."""
        before = self.saved
        self.saved, self._overdue = trainer.global_step, False  # as the state itself says
        try:
            trainer.save_checkpoint(self.last)
        except BaseException:  # a full disk, a second Ctrl-C: the old file is still there
            self.saved = before
            raise

    def save_weights(self, trainer: pl.Trainer, module: TranslationModule, path: Path) -> None:
        """Write the current weights, without training state."""
        if not trainer.is_global_zero:
            return
        about = describe(
            module.plain, module.translator.tokenizer, {"val": module.validation.scores}, trainer.global_step
        )
        save({"state_dict": with_prefix(module.model.state_dict()), "nmt": about}, path)


def resumable(trainer: pl.Trainer, module: TranslationModule) -> bool:
    """Whether a state saved at the end of a batch goes on exactly.

    Not inside an update, as a half accumulated gradient is not saved, nor after the last batch of an epoch, where
    Lightning would skip what ends the epoch; the end of the epoch itself will do.
    """
    return not module.accumulating and not trainer.fit_loop.epoch_loop.batch_progress.is_last_batch


class Interrupted(Exception):
    """The run was asked to stop, and last.ckpt holds an update from which it goes on."""

    def __init__(self, number: int) -> None:
        super().__init__(signal.Signals(number).name)
        self.number = number


class EarlyStop(EarlyStopping):
    """Ends a run after `patience` validations of no better quality, also one that is resumed after that."""

    def __init__(self, patience: int) -> None:
        super().__init__("val/quality", mode="max", min_delta=1e-3, patience=patience, check_on_train_epoch_end=False)

    def on_fit_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Stop at once where the patience is used up: Lightning does not save that it was."""
        if self.wait_count >= self.patience:
            trainer.should_stop = True


class GracefulStop(Callback):
    """Ends a run at the next whole update after Ctrl-C or SIGTERM; a second Ctrl-C ends it at once."""

    def __init__(self, checkpointing: Checkpointing) -> None:
        self.checkpointing = checkpointing
        self._received: int | None = None
        self._before: dict[int, Any] = {}

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Listen, after Lightning has set its own handlers."""
        self._before = {number: signal.signal(number, self._receive) for number in (signal.SIGINT, signal.SIGTERM)}

    def _receive(self, number: int, frame: FrameType | None) -> None:
        self._received = number
        signal.signal(signal.SIGINT, signal.default_int_handler)

    def on_train_batch_end(self, trainer: pl.Trainer, pl_module: Any, *_: Any) -> None:
        """Save and stop if asked to."""
        if resumable(trainer, pl_module):
            self._stop(trainer)

    def on_train_epoch_end(self, trainer: pl.Trainer, pl_module: Any) -> None:
        """Save and stop if asked to."""
        self._stop(trainer)

    def _stop(self, trainer: pl.Trainer) -> None:
        received = self._received is not None
        if trainer.world_size > 1:  # all stop, or the others would wait for this one
            received = trainer.strategy.reduce_boolean_decision(received, all=False)
        if received:
            self.checkpointing.save_last(trainer)
            raise Interrupted(self._received or signal.SIGTERM)

    def on_train_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Listen no more."""
        self._leave()

    def on_exception(self, trainer: pl.Trainer, pl_module: pl.LightningModule, exception: BaseException) -> None:
        """Listen no more."""
        self._leave()

    def _leave(self) -> None:
        """Put Lightning's handlers back, before it puts those back that it found."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before = {}
