"""The LightningModule: one update, one validation."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Timer
from torch import Tensor

from nmt.checkpoint import describe
from nmt.config.settings import TrainConfig
from nmt.data.batch import Batch
from nmt.data.corpus import SentencePair
from nmt.data.loader import BatchLoader
from nmt.errors import UserError
from nmt.evaluation.metrics.base import Metric, Scores, score
from nmt.search.base import Search
from nmt.search.beam import BeamSearch
from nmt.training.objectives.base import Objective
from nmt.training.schedules import Schedule
from nmt.translate import Translation, Translator

SCALER_SKIPS = 50  # updates in a row: 2**50 is more than any scale that one begins with

OptimizerFactory = Callable[[Iterable[Tensor]], torch.optim.Optimizer]


@dataclass
class Window:
    """Sums since the last time they were logged, or over a run."""

    loss: float = 0.0
    target_tokens: int = 0
    batches: int = 0
    padded_tokens: int = 0
    real_tokens: int = 0
    seconds: float = 0.0

    @property
    def tokens_per_second(self) -> float:
        """Real target tokens a second of training, validation apart."""
        return self.target_tokens / self.seconds if self.seconds else 0.0

    @property
    def padding_share(self) -> float:
        """Share of padding among all source and target positions."""
        return 1 - self.real_tokens / self.padded_tokens if self.padded_tokens else 0.0

    def add(self, other: Window) -> None:
        """Add another window's sums to these."""
        for name in vars(other):
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass
class Validation:
    """The last validation's figures: `scores` has loss, perplexity, and the value of each metric under its name.

    `quality` is higher for better weights: it decides about best.ckpt and about the end of the run.
    """

    update: int = -1
    scores: dict[str, float] = field(default_factory=dict)
    quality: float = -math.inf
    translations: list[Translation] = field(default_factory=list)


def quality(metric: Metric, value: float, loss: float) -> float:
    """Return a number that is higher for better weights: the metric's value, or minus the loss while that is chance."""
    if metric.chance is not None and value < metric.chance:
        return -loss
    return value if metric.higher_is_better else -value


def validation_search(search: Search) -> BeamSearch:
    """Return the search of every validation: greedy, with the default limits of length, whatever `search` is.

    So validation scores are comparable between runs that differ in their search. Only the limit on memory is taken
    from `search`; it does not change results.
    """
    return BeamSearch(beam_size=1, batch_tokens=search.batch_tokens)


class TranslationModule(pl.LightningModule):
    """Trains a `Translator`'s model on batches of pairs; the loss is per real target token of the whole update."""

    def __init__(
        self,
        translator: Translator,
        val: Sequence[SentencePair],
        config: TrainConfig,
        plain: dict[str, Any],
        *,
        objective: Objective,
        optimizer: OptimizerFactory,
        schedule: Schedule,
        metrics: Mapping[str, Metric],
        timer: Timer | None,
        corpus_sha256: str,
    ) -> None:
        super().__init__()
        self.translator = translator
        self.model = translator.model
        self.val = val
        self.config = config
        self.plain = plain
        self.objective = objective
        self.make_optimizer = optimizer
        self.schedule = schedule
        self.timer = timer
        self.monitor = next(iter(metrics))  # the name of the metric that decides about the best weights
        self.metrics = {key: metric for key, metric in metrics.items() if metric.in_training or key == self.monitor}
        self.corpus_sha256 = corpus_sha256
        self.window = Window()  # since the last line of figures
        self.total = Window()  # of the whole run, over interruptions
        self.validation = Validation()
        self.train_loss = self.gradient_norm = self.learning_rate = self.tokens_per_second = math.nan
        self._update_tokens = 0  # real target tokens of the update being accumulated
        self._clock = 0.0  # until when the seconds of training are counted
        self._non_finite = 0  # updates in a row whose gradient is not finite
        self._val_sums = [0.0, 0.0, 0.0]

    # Training

    def training_step(self, batch: Batch, batch_index: int) -> Tensor:
        """Return the summed loss of one batch; the update divides its gradient by the tokens of all its batches."""
        objective, passes = self.objective, self.objective.passes
        hidden, weights = self.model(
            _repeated(batch.source, passes),
            _repeated(batch.source_mask, passes),
            _repeated(batch.target_in, passes),
            need_weights=objective.needs_weights,
        )
        sums = objective(hidden, self.model.decoder.output, batch.target_out, batch.target_mask, weights)
        tokens = sums.tokens
        self._update_tokens += tokens
        self.window.batches += 1
        self.window.loss += float(sums.loss.detach())
        self.window.target_tokens += tokens
        self.window.real_tokens += tokens + int(batch.source_mask.sum())
        self.window.padded_tokens += batch.source.numel() + batch.target_in.numel()
        return sums.loss

    def on_train_start(self) -> None:
        """Start the clock, also of a run that goes on inside an epoch."""
        self._clock = time.perf_counter()

    def on_train_epoch_start(self) -> None:
        """Order the batches for this epoch; Lightning does so only for torch's own samplers."""
        loader = self.trainer.train_dataloader
        assert isinstance(loader, BatchLoader)
        loader.set_epoch(self.trainer.current_epoch)
        self._clock = time.perf_counter()

    def on_train_batch_end(self, outputs: Any, batch: Batch, batch_index: int) -> None:
        """Add the time since the last batch, the making of this one included; log when it is time."""
        now = time.perf_counter()
        self.window.seconds += now - self._clock
        self._clock = now
        if self.global_step % self.config.trainer.log_every_n_steps == 0 and not self.accumulating:
            self.log_window()

    @property
    def accumulating(self) -> bool:
        """Whether the current update still waits for more batches."""
        return self._update_tokens > 0

    def log_window(self) -> None:
        """Write the figures since the last call to the logger and begin anew."""
        window = self.window
        if not window.target_tokens:
            return
        figures = {
            "train/loss": window.loss / window.target_tokens,
            "train/learning_rate": self.learning_rate,
            "train/gradient_norm": self.gradient_norm,
            "train/target_tokens_per_second": window.tokens_per_second * self.trainer.world_size,
            "train/padding_share": window.padding_share,
        }
        for logger in self.loggers:
            logger.log_metrics(figures, step=self.global_step)
        self.train_loss = figures["train/loss"]
        self.tokens_per_second = figures["train/target_tokens_per_second"]
        self.total.add(window)
        self.window = Window()

    def run_totals(self) -> Window:
        """Return the sums of the whole run so far."""
        totals = Window(**vars(self.total))
        totals.add(self.window)
        return totals

    def configure_optimizers(self) -> torch.optim.Optimizer:
        """Return the optimizer of the config; its rate is set before every update from the schedule."""
        optimizer = self.make_optimizer(self.parameters())
        for group in optimizer.param_groups:
            group["peak_lr"] = group["lr"]
        return optimizer

    def on_before_optimizer_step(self, optimizer: torch.optim.Optimizer) -> None:
        """Turn summed into mean gradients, and set the learning rate."""
        trainer = self.trainer
        tokens = float(self._update_tokens)
        if trainer.world_size > 1:
            tokens = float(trainer.strategy.reduce(torch.tensor(tokens, device=self.device), reduce_op="sum"))
        # Lightning divided by the batches of the update, DDP by the ranks.
        scale = trainer.accumulate_grad_batches * trainer.world_size / tokens
        torch._foreach_mul_([p.grad for p in self.parameters() if p.grad is not None], scale)
        self._update_tokens = 0
        # Each process has a clock of its own, but all of them one learning rate.
        factor = self.schedule(self.global_step, trainer.strategy.broadcast(self.progress()))
        for group in optimizer.param_groups:
            group["lr"] = group["peak_lr"] * factor
        self.learning_rate = optimizer.param_groups[0]["lr"]

    def configure_gradient_clipping(
        self,
        optimizer: torch.optim.Optimizer,
        gradient_clip_val: float | None = None,
        gradient_clip_algorithm: str | None = None,
    ) -> None:
        """Clip by the norm of all gradients together (arXiv:1211.5063); end the run where the norm is not finite."""
        gradients = [p.grad for p in self.parameters() if p.grad is not None]
        norm = torch.nn.utils.get_total_norm(gradients)
        self.gradient_norm = float(norm)
        # A gradient scaler skips such updates itself while it looks for its scale, but not for ever.
        allowed = SCALER_SKIPS if getattr(self.trainer.precision_plugin, "scaler", None) is not None else 0
        self._non_finite = 0 if math.isfinite(self.gradient_norm) else self._non_finite + 1
        if self._non_finite > allowed:
            raise UserError(
                f"training: the gradient's norm is {self.gradient_norm} at update {self.global_step + 1}; the weights "
                "were not changed, last.ckpt is from before; try a lower optimizer.lr or trainer.gradient_clip_val=1"
            )
        if gradient_clip_val:
            torch.nn.utils.clip_grads_with_norm_(self.parameters(), gradient_clip_val, norm)

    def progress(self) -> float:
        """Return the share of the run that is done by this process' clock: of updates, epochs or time, the furthest."""
        trainer, limits = self.trainer, self.config.trainer
        shares = [0.0]
        if limits.max_steps > 0:
            shares.append(self.global_step / limits.max_steps)
        if limits.max_epochs:
            batches = trainer.fit_loop.epoch_loop.batch_progress.current.ready - 1
            shares.append((trainer.current_epoch + batches / trainer.num_training_batches) / limits.max_epochs)
        if self.timer is not None and limits.max_time:
            spent, left = self.timer.time_elapsed(), self.timer.time_remaining()
            shares.append(spent / max(spent + (left or 0.0), 1e-9))
        return min(1.0, max(shares))

    # Validation

    def on_validation_epoch_start(self) -> None:
        """Begin the sums of this validation; what training did until now is logged before it."""
        self.log_window()
        self._val_sums = [0.0, 0.0, 0.0]

    def validation_step(self, batch: Batch, batch_index: int) -> None:
        """Add a batch's smoothed loss, likelihood and tokens."""
        hidden, _ = self.model(batch.source, batch.source_mask, batch.target_in)
        sums = self.objective.validate(hidden, self.model.decoder.output, batch.target_out, batch.target_mask)
        for place, value in enumerate((float(sums.loss), float(sums.nll), float(sums.tokens))):
            self._val_sums[place] += value

    def on_validation_epoch_end(self) -> None:
        """Translate the whole validation split greedily, score it as one corpus, and log."""
        loss, likelihood, tokens = (sum(values) for values in zip(*self._gather(self._val_sums), strict=True))
        rank, ranks = self.trainer.global_rank, self.trainer.world_size
        sources = [pair.source for pair in self.val[rank::ranks]]
        mine = self.translator.translate(sources, search=validation_search(self.translator.search))
        translations: list[Translation] = [mine[0]] * len(self.val) if mine else []
        for other, part in enumerate(self._gather(mine)):
            translations[other::ranks] = part
        values = {name: found.value for name, found in self.score(translations).items()}
        mean_loss, perplexity = loss / tokens, math.exp(min(likelihood / tokens, 700.0))
        self.validation = Validation(
            update=self.global_step,
            scores={"loss": mean_loss, "perplexity": perplexity, **values},
            quality=quality(self.metrics[self.monitor], values[self.monitor], mean_loss),
            translations=translations,
        )
        figures = {f"val/{name}": value for name, value in self.validation.scores.items()}
        self.log("val/quality", self.validation.quality, logger=False)  # for EarlyStop
        for logger in self.loggers:
            logger.log_metrics(figures, step=self.global_step)

    def on_validation_end(self) -> None:
        """Let the clock of training go on."""
        self._clock = time.perf_counter()

    def score(self, translations: Sequence[Translation]) -> Scores:
        """Return the scores of translations of the validation split, as one corpus."""
        return score(self.metrics, [t.text for t in translations], [pair.target for pair in self.val])

    def _gather(self, value: Any) -> list[Any]:
        """Return every rank's value, in the order of the ranks."""
        if self.trainer.world_size == 1:
            return [value]
        gathered: list[Any] = [None] * self.trainer.world_size
        torch.distributed.all_gather_object(gathered, value)
        return gathered

    # Checkpoints

    def on_save_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Add what makes a checkpoint usable by itself, and this module's sums."""
        checkpoint["nmt"] = describe(
            self.plain, self.translator.tokenizer, {"val": self.validation.scores}, self.global_step
        )
        checkpoint["corpus_sha256"] = self.corpus_sha256
        checkpoint["totals"] = {name: float(value) for name, value in vars(self.run_totals()).items()}

    def on_load_checkpoint(self, checkpoint: dict[str, Any]) -> None:
        """Go on with the saved sums."""
        saved = checkpoint["totals"]
        self.total = Window(
            loss=saved["loss"],
            batches=int(saved["batches"]),
            target_tokens=int(saved["target_tokens"]),
            padded_tokens=int(saved["padded_tokens"]),
            real_tokens=int(saved["real_tokens"]),
            seconds=saved["seconds"],
        )


def _repeated(rows: Tensor, times: int) -> Tensor:
    """Return `rows` (B, ...) the given number of times, one copy after another."""
    return rows if times == 1 else rows.repeat(times, *[1] * (rows.dim() - 1))
