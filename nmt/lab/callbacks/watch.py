"""Watches each validation for common problems of a training, and gives advice."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from nmt.attention_map import AttentionMap
from nmt.data.normalization import normalized
from nmt.lab.attention.measures import measures, scalars
from nmt.lab.attention.view import attention_maps
from nmt.lab.report.errors import shares
from nmt.parameters import PositiveInt
from nmt.training.module import TranslationModule, translation_module

logger = logging.getLogger(__name__)

BEGUN, LEARNT = 0.5, 1_000  # before this share of the run or this update, outputs are expected to be bad
IGNORED = 1.2  # times the score with shuffled sources, below which the source is ignored
MANY = {"empty": 0.05, "copied": 0.1, "repeating": 0.1}  # shares of the translations
DRIFT = 0.05  # the share by which the validation loss is above its lowest value
SATURATED = 0.8  # the share of rows of attention that are sharp

ADVICE = {
    "ignores": "the translations fit other sources nearly as well as their own ({}), so the decoder ignores its "
    "source; try a lower optimizer.lr or a longer scheduler.warmup_updates, and check that source and target lines "
    "belong together",
    "empty": "{} of the translations are empty; train longer, as this is usual after few updates, or check the "
    "training pairs for empty or very short targets",
    "copied": "{} of the translations are copies of the source; check the training pairs for untranslated targets",
    "repeating": "{} of the translations repeat themselves; train longer, or try a lower optimizer.lr",
    "drift": "the validation loss rises while the training loss falls ({}), so the model learns the training pairs by "
    "heart; try more dropout, a smaller model or more training pairs",
    "saturated": "{} of the rows of attention give nearly all of their weight to one token, so attention learns "
    "little; try a lower optimizer.lr or another model/attention",
}


class Watch(Callback):
    """Writes figures about the translations, the losses and the attention of each validation to the loggers.

    `heads/<kind>/<figure>/layer1.head1` are the figures of `nmt.lab.attention.measures` for each kind of attention,
    layer and head, over the first `sentences` translations.

    `watch/empty`, `watch/copied` and `watch/repeating` are shares of the validation translations with a fault; see
    `nmt.lab.report.errors`. `watch/shuffled_<metric>` is the score of the translations of shuffled sources: each
    translation is scored against the reference of another sentence. `watch/nll_gap` is the negative log-likelihood of a
    target token in validation minus that in training, in nats. `watch/sharp_attention` is the share of rows of cross
    attention that give more than 0.99 of their weight to one token, over all layers and heads of the same translations.

    A figure that shows a problem is reported in one line with advice, once in a run.
    """

    def __init__(self, *, sentences: PositiveInt = 20) -> None:
        self.sentences = sentences
        self._told: set[str] = set()
        self._lowest = (math.inf, math.inf)  # validation and training loss where the validation loss was lowest

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Write the figures of this validation, and report new problems."""
        if not trainer.is_global_zero:
            return
        module = translation_module(pl_module)
        maps = list(attention_maps(module.translator, module.validation.translations[: self.sentences]).values())
        figures = self._figures(module, maps)
        heads = {f"heads/{name}": value for name, value in scalars(maps).items()}
        for each in trainer.loggers:
            each.log_metrics(
                {**{f"watch/{name}": value for name, value in figures.items()}, **heads}, step=trainer.global_step
            )
        self._lowest = min(self._lowest, (module.validation.scores["loss"], module.meter.train_loss))
        for name, seen in self._problems(module, figures):
            if name not in self._told:
                self._told.add(name)
                logger.warning(f"watch: update {trainer.global_step:,}: {ADVICE[name].format(seen)}")

    def _figures(self, module: TranslationModule, maps: list[AttentionMap]) -> dict[str, float]:
        pairs, translations = module.val_pairs, module.validation.translations
        texts = [normalized(translation.text) for translation in translations]
        sources, references = [pair.source for pair in pairs], [pair.target for pair in pairs]
        found = shares(sources, references, texts)
        figures = {name: found[name] for name in MANY}
        first = next(iter(module.metrics), None)
        if first is not None and len(texts) > 1:
            half = len(texts) // 2
            others = [*texts[half:], *texts[:half]]
            figures[f"shuffled_{first}"] = module.metrics[first].score(others, references, sources=sources).value
        if math.isfinite(module.meter.train_nll):  # before the first update it is not
            figures["nll_gap"] = math.log(module.validation.scores["perplexity"]) - module.meter.train_nll
        if maps and maps[0].cross is not None:
            figures["sharp_attention"] = float(measures(maps, "cross")["sharp"].mean())
        return figures

    def _problems(self, module: TranslationModule, figures: dict[str, float]) -> Iterator[tuple[str, str]]:
        """Yield the name of each problem, and its evidence for `ADVICE`."""
        if module.progress() < BEGUN:
            return
        (lowest, train_then), (loss, train) = self._lowest, (module.validation.scores["loss"], module.meter.train_loss)
        if loss > (1 + DRIFT) * lowest and train < train_then:
            yield (
                "drift",
                f"validation loss {loss:.3f} after {lowest:.3f}, training loss {train:.3f} after {train_then:.3f}",
            )
        if module.validation.update < LEARNT:
            return
        first = next(iter(module.metrics), None)
        if first is not None and f"shuffled_{first}" in figures:
            metric, own, other = module.metrics[first], module.validation.scores[first], figures[f"shuffled_{first}"]
            if metric.higher_is_better and own < IGNORED * other:
                yield "ignores", f"{metric.label} {own:.2f}, with shuffled sources {other:.2f}"
        for name, most in MANY.items():
            if figures[name] > most:
                yield name, f"{figures[name]:.0%}"
        if figures.get("sharp_attention", 0.0) > SATURATED:
            yield "saturated", f"{figures['sharp_attention']:.0%}"
