"""Watches each validation for the usual ways in which a training goes wrong, and says what to try."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import pytorch_lightning as pl
import torch
from pytorch_lightning.callbacks import Callback

from nmt.errors import ParameterError
from nmt.evaluation.faults import shares
from nmt.evaluation.pictures import attention_maps
from nmt.training.module import TranslationModule, training

logger = logging.getLogger(__name__)

BEGUN = 0.5  # the share of the run before which outputs are expected to be bad
IGNORED = 1.2  # times the score with shuffled sources, below which the source is ignored
MANY = {"empty": 0.05, "copied": 0.1, "repeating": 0.1}  # shares of the translations
DRIFT = 0.05  # the share by which the validation loss is above its lowest value
SHARP, SATURATED = 0.99, 0.8  # the weight of a sharp row of attention, and the share of such rows

TRY = {
    "ignores": "the translations fit other sources nearly as well as their own, so the decoder ignores its source; try "
    "a lower optimizer.lr or a longer scheduler.warmup_updates, and check that source and target lines belong together",
    "empty": "many translations are empty; check the training pairs for empty or very short targets",
    "copied": "many translations are copies of the source; check the training pairs for untranslated targets",
    "repeating": "many translations repeat themselves; train longer, or try a lower optimizer.lr",
    "drift": "the validation loss rises while the training loss falls, so the model learns the training pairs by "
    "heart; try more dropout, a smaller model or more training pairs",
    "saturated": "nearly every row of attention gives all of its weight to one token, so attention learns little; try "
    "a lower optimizer.lr or another model/attention",
}


@dataclass(frozen=True)
class _Losses:
    train: float
    val: float


class Watch(Callback):
    """Writes figures about the translations, the losses and the attention of each validation to the loggers.

    `watch/empty`, `watch/copied` and `watch/repeating` are shares of the validation translations with a fault; see
    `nmt.evaluation.faults`. `watch/shuffled_<metric>` is the score of the translations of shuffled sources: each
    translation is scored against the reference of another sentence. `watch/loss_gap` is the validation loss minus the
    training loss. `watch/sharp_attention` is the share of rows of cross attention that give more than 0.99 of their
    weight to one token, for the first `sentences` translations, over all layers and heads.

    A figure that shows a problem is told in one line with advice, once in a run.
    """

    def __init__(self, *, sentences: int = 20) -> None:
        if sentences < 1:
            raise ParameterError("sentences", f"got {sentences}, expected at least 1")
        self.sentences = sentences
        self._told: set[str] = set()
        self._losses: list[_Losses] = []

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Write the figures of this validation, and tell what is new."""
        if not trainer.is_global_zero:
            return
        view = training(pl_module)
        figures = self._figures(view)
        for each in trainer.loggers:
            each.log_metrics({f"watch/{name}": value for name, value in figures.items()}, step=trainer.global_step)
        self._losses.append(_Losses(view.train_loss, view.validation.scores["loss"]))
        for name, seen in self._problems(view, figures):
            if name not in self._told:
                self._told.add(name)
                logger.warning(f"watch: update {trainer.global_step:,}: {seen}: {TRY[name]}")

    def _figures(self, view: TranslationModule) -> dict[str, float]:
        pairs, translations = view.val_pairs, view.validation.translations
        texts = [translation.text for translation in translations]
        found = shares([pair.source for pair in pairs], [pair.target for pair in pairs], texts)
        figures = {name: found[name] for name in MANY}
        for name, metric in islice(view.metrics.items(), 1):
            figures[f"shuffled_{name}"] = metric.score(_shuffled(texts), [pair.target for pair in pairs]).value
        figures["loss_gap"] = view.validation.scores["loss"] - view.train_loss
        sharp = self._sharp_rows(view)
        return figures if sharp is None else {**figures, "sharp_attention": sharp}

    def _sharp_rows(self, view: TranslationModule) -> float | None:
        """Return the share of sharp rows of cross attention, None for a model without cross attention."""
        maps = attention_maps(view.translator, view.validation.translations[: self.sentences]).values()
        rows = [each.cross.amax(-1).flatten() for each in maps if each.cross is not None]
        return float((torch.cat(rows) > SHARP).float().mean()) if rows else None

    def _problems(self, view: TranslationModule, figures: dict[str, float]) -> Iterator[tuple[str, str]]:
        """Yield the name of each problem, and what was seen of it."""
        if view.progress() < BEGUN:
            return
        for name, metric in islice(view.metrics.items(), 1):
            own, other = view.validation.scores[name], figures[f"shuffled_{name}"]
            if metric.higher_is_better and own < IGNORED * other:
                yield "ignores", f"{metric.label} {own:.2f}, with shuffled sources {other:.2f}"
        for name, most in MANY.items():
            if figures[name] > most:
                yield name, f"{figures[name]:.0%} of the translations"
        lowest = min(self._losses, key=lambda losses: losses.val)
        last = self._losses[-1]
        if last.val > (1 + DRIFT) * lowest.val and last.train < lowest.train:
            yield "drift", f"validation loss {last.val:.3f} (lowest {lowest.val:.3f}), training loss {last.train:.3f}"
        if figures.get("sharp_attention", 0.0) > SATURATED:
            yield "saturated", f"{figures['sharp_attention']:.0%} of the rows of attention are sharper than {SHARP}"


def _shuffled(texts: Sequence[str]) -> list[str]:
    """Return `texts` in a fixed random order in which each text follows another than before."""
    order = torch.randperm(len(texts), generator=torch.Generator().manual_seed(1)).tolist()
    moved = dict(zip(order, [*order[1:], *order[:1]], strict=True))  # one cycle, so that none stays in its place
    return [texts[moved[place]] for place in range(len(texts))]
