"""The LightningModule: one update, one validation."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, TypeVar, cast

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback, Timer
from torch import Tensor

from nmt.build import build_optimizer
from nmt.checkpoint import Checkpoint, non_finite, weights_of
from nmt.config.recipe import Recipe
from nmt.data.batches import Batch, BatchLoader
from nmt.errors import UserError
from nmt.evaluation.metrics.base import Metric
from nmt.evaluation.split import Evaluation
from nmt.system.process import return_freed_memory
from nmt.training.divided import Divided
from nmt.training.objectives.base import Objective
from nmt.training.prepare import Prepared
from nmt.training.schedules import Limits, Schedule
from nmt.training.scored import ScoredPairs
from nmt.training.state import state_entry
from nmt.training.validation import (
    Counts,
    Losses,
    Meter,
    Monitor,
    Validation,
    add_to_history,
    batch_sums,
    means_of,
    metric_scores,
    validation_scores,
    validation_search,
)
from nmt.translation.translation import Translation

T = TypeVar("T")

QUALITY = "quality"  # the name of `Monitor.quality` among the figures that callbacks find

SCALER_SKIPS = 50  # in a row: the scaler halves its scale at each skip; 50 halvings are enough for any starting scale


class Diverged(UserError):
    """The weights or gradients are not finite."""

    def __init__(self, problem: str) -> None:
        advice = "start a new run with a lower optimizer.lr or a longer scheduler.warmup_updates"
        super().__init__(f"training: {problem}; {advice}")


class TranslationModule(pl.LightningModule):
    """Trains a model: the loss of an update is Σ sums.loss / Σ sums.tokens over its batches and processes.

    `scored` are the pairs that are validated, those of the corpus under "". `metrics` are those that every validation
    computes. Callbacks may read the public members.
    """

    def __init__(
        self,
        recipe: Recipe,
        prepared: Prepared,
        *,
        scored: Mapping[str, ScoredPairs],
        objective: Objective,
        schedule: Schedule,
        metrics: Mapping[str, Metric],
        limits: Limits,
    ) -> None:
        super().__init__()
        self.recipe, self.folder = recipe, recipe.folder
        self.translator = prepared.translator  # its weights are those of the last update
        self.model = self.translator.model
        self.corpus, self.more, self.scored = prepared.corpora[""], prepared.more, scored
        self.val_pairs = scored[""].splits["val"]
        self.digest = prepared.digest
        self.objective, self.schedule = objective, schedule
        self._divided = Divided(self.model, objective)
        self.metrics = metrics
        name = recipe.settings.callbacks.monitor
        self.monitor = Monitor(name, metrics.get(name))
        self.limits = limits
        self.timer = Timer(recipe.settings.trainer.max_time, interval="step")  # a callback of the trainer
        self.meter = Meter(self._gathered)
        self.validation = Validation()
        self.share = 0.0  # of the run, before the current update; equal in all processes
        self._gradient_norm = math.nan
        self._update_tokens = 0  # real target tokens of the update that is being accumulated
        self._non_finite = 0  # updates in a row whose gradient is not finite
        self._val_losses = Losses()
        self._logged: dict[str, Tensor] = {}  # the figures that callbacks found when last.ckpt was written

    @property
    def accumulating(self) -> bool:
        """Whether the current update still waits for more batches."""
        return self._update_tokens > 0

    def progress(self) -> float:
        """Return the share of the run that is done, from 0 to 1, by the clock of this process."""
        trainer, epochs = self.trainer, 0.0
        if self.limits.epochs is not None and self.global_step:
            loop = trainer.fit_loop
            epoch = loop.epoch_progress.current
            # Between two epochs, as after a resume, the batches are still those of the epoch before.
            batches = loop.epoch_loop.batch_progress.current.completed if epoch.ready > epoch.completed else 0
            total, every = trainer.num_training_batches, trainer.accumulate_grad_batches
            updates = math.ceil(total / every)  # of an epoch; the last one can have fewer batches
            made = updates if batches == total else batches // every  # the update that is being made does not count
            epochs = trainer.current_epoch + made / updates
        return self.limits.share(updates=self.global_step, epochs=epochs, seconds=self.timer.time_elapsed())

    def checkpoint(self) -> Checkpoint:
        """Return the current weights, to translate with; they change with the next update."""
        scores = {"val": dict(self.validation.scores)}
        config, tokenizer = self.recipe.plain, self.translator.tokenizer
        return Checkpoint(weights_of(self.model), config, tokenizer, scores, self.global_step)

    # Training

    def training_step(self, batch: Batch, batch_index: int) -> Tensor:
        """Return the summed loss of one batch; the update divides its gradient by the tokens of all its batches."""
        loss, parts = self._divided(batch)
        if not batch.counts:
            return loss * 0.0
        for sums in parts:
            self._update_tokens += sums.tokens
            self.meter.count(sums, 1 / len(parts) / self.trainer.num_training_batches)
        return loss

    def on_train_start(self) -> None:
        """Start the clock, also for a run that is resumed inside an epoch, and restore figures and the peak rate."""
        self.trainer.callback_metrics.update(self._logged)  # Lightning does not save them
        for group, peak in zip(self.trainer.optimizers[0].param_groups, self._peaks, strict=True):
            group["peak_lr"] = peak  # a resumed run may have another rate than last.ckpt
        self.meter.resume_clock()

    def on_train_epoch_start(self) -> None:
        """Order the batches for this epoch; Lightning does so only for torch's own samplers."""
        loader = self.trainer.train_dataloader
        assert isinstance(loader, BatchLoader)
        loader.set_epoch(self.trainer.current_epoch)
        self.meter.resume_clock()

    def log_training(self) -> None:
        """Write the figures since the last call to the loggers, unless nothing was trained since."""
        figures = self.meter.take()
        if not figures:
            return
        rate = self.trainer.optimizers[0].param_groups[0]["lr"]
        figures |= {"learning_rate": rate, "gradient_norm": self._gradient_norm}
        self._write({f"train/{name}": value for name, value in figures.items()})

    def _write(self, figures: dict[str, float]) -> None:
        for logger in self.loggers:
            logger.log_metrics(figures, step=self.global_step)

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Return the optimizer of the recipe; its rate is set from the schedule before every update."""
        settings = self.recipe.settings
        matrices = [each for each in self.model.hidden_matrices() if each.requires_grad]
        trained = [each for each in self.parameters() if each.requires_grad]
        optimizer = build_optimizer(settings.optimizer, trained, matrices=matrices, allow=settings.allow)
        for group in optimizer.param_groups:
            group["lr"] = group["peak_lr"] = float(group["lr"])  # last.ckpt cannot hold a number of NumPy
        self._peaks = [group["peak_lr"] for group in optimizer.param_groups]
        return optimizer

    def on_before_optimizer_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Divide the summed gradients by the target tokens of the update, and set the learning rate."""
        trainer = self.trainer
        tokens = float(self._update_tokens)
        if trainer.world_size > 1:
            tokens = float(trainer.strategy.reduce(torch.tensor(tokens, device=self.device), reduce_op="sum"))
        # Lightning has divided by the batches of the update, and DDP by the ranks. Both divisions are undone here.
        scale = trainer.accumulate_grad_batches * trainer.world_size / tokens
        torch._foreach_mul_([p.grad for p in self.parameters() if p.grad is not None], scale)
        self._update_tokens = 0
        # The clocks of the processes differ, but all need the same learning rate.
        self.share = trainer.strategy.broadcast(self.progress())
        factor = float(self.schedule(self.global_step, self.share))  # a schedule of your own may return a tensor
        for group in optimizer.param_groups:
            group["lr"] = group["peak_lr"] * factor

    def configure_gradient_clipping(
        self,
        optimizer: torch.optim.Optimizer,
        gradient_clip_val: float | None = None,
        gradient_clip_algorithm: str | None = None,
    ) -> None:
        """Clip the joint norm of all gradients (arXiv:1211.5063, section 3.2).

        Raises Diverged if the norm is not finite; with a gradient scaler (16-mixed), if 51 in a row are not finite.
        """
        gradients = [p.grad for p in self.parameters() if p.grad is not None]
        norm = torch.nn.utils.get_total_norm(gradients)
        self._gradient_norm = float(norm)
        # A gradient scaler itself skips such updates while it searches for its scale.
        allowed = SCALER_SKIPS if getattr(self.trainer.precision_plugin, "scaler", None) is not None else 0
        self._non_finite = 0 if math.isfinite(self._gradient_norm) else self._non_finite + 1
        if self._non_finite > allowed:
            raise Diverged(
                f"the gradient's norm is {self._gradient_norm} at update {self.global_step + 1}, and the weights were "
                "not changed"
            )
        if gradient_clip_val:
            torch.nn.utils.clip_grads_with_norm_(self.parameters(), gradient_clip_val, norm)

    # Validation

    def on_validation_epoch_start(self) -> None:
        """Log the figures of training until now, and start new validation sums. Raises Diverged for broken weights."""
        check_finite(self.model, self.global_step)
        return_freed_memory()
        self.log_training()
        self._val_losses = Losses()

    def validation_step(self, batch: Batch, batch_index: int) -> None:
        self._val_losses.add(batch_sums(self.model, self.objective, batch))

    def on_validation_epoch_end(self) -> None:
        """Translate the validation pairs greedily, score those of each set as a corpus, and log."""
        self.translator.update = self.global_step
        means = means_of(self._gathered(self._val_losses.totals()))
        found = {name: self._translations(each) for name, each in self.scored.items()}
        scores = validation_scores(means, self.metrics, found[""], self.val_pairs)
        more = dict[str, dict[str, float]]()
        for name, each in list(self.scored.items())[1:]:
            metrics = {key: each.metrics[key] for key in self.metrics if key in each.metrics}
            more[name] = metric_scores(metrics, found[name], each.splits["val"])
        self.validation = Validation(self.global_step, scores, found, more)
        figures = {f"val/{name}": value for name, value in scores.items()}
        figures |= {f"val_{name}/{key}": value for name, found in more.items() for key, value in found.items()}
        logged = {**figures, QUALITY: self.monitor.quality(scores)}
        self.log_dict(logged, logger=False)  # for callbacks that monitor a figure by its name
        self._write(figures)
        if self.trainer.is_global_zero:
            loss = self.meter.train_loss if math.isfinite(self.meter.train_loss) else None
            row = {"update": self.global_step, "epochs": round(self.meter.before.epochs, 3), "train_loss": loss}
            add_to_history(self.folder, {**row, "val": scores, "more_val": more})

    def _translations(self, scored: ScoredPairs) -> list[Translation]:
        """Return the translations of the validation pairs' sources; every rank translates its share."""
        rank, ranks, pairs = self.trainer.global_rank, self.trainer.world_size, scored.splits["val"]
        translator = self.translator.in_direction(scored.languages)
        sources = [pair.source for pair in pairs[rank::ranks]]
        share = translator.translate(sources, search=validation_search(translator.search))
        by_place: dict[int, Translation] = {}
        for first, part in enumerate(self._gathered(share)):
            by_place.update(zip(range(first, len(pairs), ranks), part, strict=True))
        return [by_place[place] for place in range(len(pairs))]

    def on_validation_end(self) -> None:
        return_freed_memory()
        self.meter.resume_clock()

    def _gathered(self, value: T) -> list[T]:
        """Return every rank's value, in the order of the ranks."""
        if self.trainer.world_size == 1:
            return [value]
        gathered: list[Any] = [None] * self.trainer.world_size
        torch.distributed.all_gather_object(gathered, value)
        return gathered

    # Checkpoints

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Add the config and the tokenizer, the digest of the corpus, the sums of the run, and the latest figures."""
        checkpoint["nmt"] = state_entry(self.recipe.plain, self.translator.tokenizer)
        checkpoint["corpus_sha256"] = self.digest
        checkpoint["totals"] = vars(self.meter.totals())
        figures = self.trainer.callback_metrics  # a callback of one's own can have put anything there
        checkpoint["callback_metrics"] = {name: value for name, value in figures.items() if type(value) is Tensor}

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        self.meter.before = Counts(**checkpoint["totals"])
        self._logged = checkpoint["callback_metrics"]


def translation_module(pl_module: pl.LightningModule) -> TranslationModule:
    """Return the module that Lightning passes to callbacks, with its own type."""
    return cast(TranslationModule, pl_module)


class EndOfBatch(Callback):
    """Counts and logs a batch before the other callbacks run, because these may save the run or stop it.

    Lightning would call a hook of the module itself after all callbacks.
    """

    def on_train_batch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule, *_: Any) -> None:
        """Count the time since the last batch, which includes making this batch; log if a line is due."""
        module = translation_module(pl_module)
        module.meter.count_seconds()
        if trainer.global_step % module.recipe.settings.trainer.log_every_n_steps == 0 and not module.accumulating:
            module.log_training()


class RunCallback(Callback):
    """A callback that is also called when the run is over, in the first process."""

    def on_run_end(self, module: TranslationModule, evaluations: Mapping[str, Evaluation]) -> None:
        """Use the final weights, which are in `module.translator`, and their results by split."""


def check_finite(model: torch.nn.Module, update: int) -> None:
    """Raise Diverged if a weight of `model` is not finite after `update`."""
    name = non_finite(model.state_dict())
    if name is not None:
        raise Diverged(f"the weight {name} is not finite after update {update:,}")
