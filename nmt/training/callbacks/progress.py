"""The progress of training on the screen: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import logging
import math
import sys
import time
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.trainer.states import TrainerFn
from tqdm import tqdm

from nmt.data.progress import clock
from nmt.evaluation.metrics.base import labels
from nmt.parameters import NonNegative
from nmt.training.module import TranslationModule, translation_module

logger = logging.getLogger(__name__)


class TrainingProgress(Callback):
    """Shows progress, loss, learning rate, tokens per second, the monitored score and the time left.

    On a terminal this is a bar; elsewhere a line every `plain_seconds` seconds. Every validation adds a line.
    """

    def __init__(self, *, plain_seconds: NonNegative = 30.0) -> None:
        self.plain_seconds = plain_seconds
        self._bar: tqdm[Any] | None = None
        self._start = (0.0, 0.0)  # seconds and share of the run when training started or was resumed
        self._next_line = 0.0

    def on_train_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        self._start = (time.monotonic(), translation_module(pl_module).progress())
        self._next_line = time.monotonic() + self.plain_seconds
        if trainer.is_global_zero and sys.stdout.isatty():
            form = "{percentage:3.0f}% |{bar}| {desc}"
            self._bar = tqdm(total=1.0, bar_format=form, file=sys.stdout, leave=False, dynamic_ncols=True, miniters=0)

    def on_train_batch_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule, *_: Any) -> None:
        if not trainer.is_global_zero:
            return
        module = translation_module(pl_module)
        if self._bar is not None and not self._bar.disable:
            self._bar.set_description_str(self._figures(trainer, module), refresh=False)
            self._bar.update(module.progress() - self._bar.n)
        elif time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + self.plain_seconds
            logger.info(f"training: {self._figures(trainer, module)}")

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        if not trainer.is_global_zero:
            return
        module = translation_module(pl_module)
        scores, more = module.validation.scores, module.validation.more
        ends = "at the end" if trainer.global_step else "before the first update"
        when = ends if trainer.state.fn == TrainerFn.VALIDATING else f"epoch {trainer.current_epoch + 1}"
        named = labels(module.metrics)
        figures = [
            *([f"train loss {module.meter.train_loss:.3f}"] if math.isfinite(module.meter.train_loss) else []),
            f"val loss {scores['loss']:.3f}",
            *(f"{label} {scores[name]:.2f}" for name, label in named.items()),
            *(
                f"{each} {named[name]} {found[name]:.2f}"
                for each, found in more.items()
                for name in named
                if name in found
            ),
        ]
        logger.info(f"validation: {when}, update {trainer.global_step:,}: {', '.join(figures)}")

    def _figures(self, trainer: pl.Trainer, module: TranslationModule) -> str:
        meter, scores, monitor = module.meter, module.validation.scores, module.monitor
        figures = [f"epoch {trainer.current_epoch + 1}", f"update {trainer.global_step:,}"]
        if math.isfinite(meter.train_loss):
            figures += [f"loss {meter.train_loss:.3f}", f"{meter.tokens_per_second:,.0f} tokens/s"]
        figures.append(f"lr {trainer.optimizers[0].param_groups[0]['lr']:.1e}")
        if scores:
            label = "val loss" if monitor.metric is None else monitor.label
            figures.append(f"{label} {scores[monitor.name]:.2f}")
        start, first_share = self._start
        if (share := module.progress()) > first_share:
            figures.append(f"{clock((time.monotonic() - start) * (1 - share) / (share - first_share))} left")
        return "  ".join(figures)

    def on_train_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        if self._bar is not None:
            self._bar.close()

    def on_exception(self, trainer: pl.Trainer, pl_module: pl.LightningModule, exception: BaseException) -> None:
        self.on_train_end(trainer, pl_module)
