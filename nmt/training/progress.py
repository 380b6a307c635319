"""What a person sees while a model trains: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.trainer.states import TrainerFn
from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, Task
from rich.table import Column
from rich.text import Text

PLAIN_SECONDS = 30.0  # between two plain lines


class Shown(ProgressColumn):
    """One line of figures: epoch, update, loss, the deciding metric, tokens a second, time left."""

    def render(self, task: Task) -> Text:
        """Return the task's `figures` field."""
        return Text(task.fields["figures"])


class TrainingProgress(Callback):
    """Shows progress, loss, the deciding metric, tokens a second and the time left, and a line for each validation."""

    def __init__(self, console: Console, say: Callable[[str], None]) -> None:
        self.console = console
        self.say = say
        self._bar: Progress | None = None
        self._begun = (0.0, 0.0)  # seconds and share of the run when training (re)started
        self._next_line = 0.0

    def on_train_start(self, trainer: pl.Trainer, pl_module: Any) -> None:
        """Begin the bar where the run begins, or goes on."""
        self._begun = (time.monotonic(), pl_module.progress())
        self._next_line = time.monotonic() + PLAIN_SECONDS
        if trainer.is_global_zero and self.console.is_terminal:
            self._bar = Progress(
                BarColumn(bar_width=None, table_column=Column(ratio=1)),  # what the figures leave
                Shown(table_column=Column(no_wrap=True)),
                console=self.console,
                transient=True,
                expand=True,
            )
            self._bar.add_task("training", total=1.0, figures="")
            self._bar.start()

    def on_train_batch_end(self, trainer: pl.Trainer, pl_module: Any, *_: Any) -> None:
        """Move the bar, or write a line now and then."""
        if not trainer.is_global_zero:
            return
        if self._bar is not None:
            task = self._bar.tasks[0].id
            self._bar.update(task, completed=pl_module.progress(), figures=self._figures(trainer, pl_module))
        elif time.monotonic() >= self._next_line:
            self._next_line = time.monotonic() + PLAIN_SECONDS
            self.say(self._figures(trainer, pl_module))

    def on_validation_end(self, trainer: pl.Trainer, pl_module: Any) -> None:
        """Say the scores of this validation."""
        if trainer.sanity_checking or not trainer.is_global_zero:
            return
        scores = pl_module.validation.scores
        values = [f"{metric.label} {scores[name]:.2f}" for name, metric in pl_module.metrics.items()]
        when = "at the end" if trainer.state.fn == TrainerFn.VALIDATING else f"epoch {trainer.current_epoch + 1}"
        self.say(
            f"{when}, update {trainer.global_step:,}: "
            f"train loss {pl_module.train_loss:.3f}, val loss {scores['loss']:.3f}, "
            f"perplexity {scores['perplexity']:.2f}, {', '.join(values)}"
        )

    def _figures(self, trainer: pl.Trainer, module: Any) -> str:
        parts = [f"epoch {trainer.current_epoch + 1}", f"update {trainer.global_step:,}"]
        if math.isfinite(module.train_loss):  # there are figures
            parts += [f"loss {module.train_loss:.3f}", f"{module.tokens_per_second:,.0f} tokens/s"]
        if module.validation.scores:
            label = module.metrics[module.monitor].label
            parts.append(f"{label} {module.validation.scores[module.monitor]:.2f}")
        return "  ".join([*parts, f"{self._left(module.progress())} left"])

    def _left(self, share: float) -> str:
        begun, first = self._begun
        if share <= first:
            return "-:--:--"
        seconds = int((time.monotonic() - begun) * (1 - share) / (share - first))
        return f"{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"

    def on_exception(self, trainer: pl.Trainer, pl_module: Any, exception: BaseException) -> None:
        """Leave the terminal as it was."""
        self._stop()

    def on_train_end(self, trainer: pl.Trainer, pl_module: Any) -> None:
        """Take the bar away."""
        self._stop()

    def _stop(self) -> None:
        if self._bar is not None:
            self._bar.stop()
            self._bar = None
