"""Fixed validation sentences: their translations as text, their attention as pictures."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

import pytorch_lightning as pl
from pytorch_lightning.loggers import TensorBoardLogger

from nmt.evaluation.split import Evaluation
from nmt.lab.attention.figure import card, draw, save_attention_maps, save_figure
from nmt.lab.attention.fonts import typeface
from nmt.lab.attention.view import attention_maps, view
from nmt.lab.attribution.base import AttributionView, attributions
from nmt.parameters import NonNegativeInt
from nmt.system.run_files import ATTENTION
from nmt.training.module import RunCallback, TranslationModule, translation_module


class Samples(RunCallback):
    """Logs the first `sentences` validation sentences to TensorBoard after each validation.

    At the end of the run, their attention maps are written to attention/ in the run's folder. The `views` are drawn
    beside the maps.
    """

    def __init__(
        self, *, sentences: NonNegativeInt = 3, views: Mapping[str, AttributionView] = MappingProxyType({})
    ) -> None:
        self.sentences = sentences
        self.views = views

    def on_fit_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Warn now, and not after the first validation, if the pictures need a font that is not installed."""
        module = translation_module(pl_module)
        if trainer.is_global_zero and (module.translator.attends or self.views):
            typeface([text for pair in module.val_pairs[: self.sentences] for text in (pair.source, pair.target)])

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Write `translations` (a table), `attention/<n>` (the cross attention, where the model has one) and
        `views/<name>/<n>`; of further pairs, `translations_<name>` and `attention_<name>/<n>`.
        """
        logger, module = trainer.logger, translation_module(pl_module)
        if not trainer.is_global_zero or not isinstance(logger, TensorBoardLogger):
            return
        writer, update = logger.experiment, trainer.global_step
        for key, scored in module.scored.items():
            ending = f"_{key}" if key else ""
            translations = module.validation.by_name[key][: self.sentences]
            rows = [
                f"| {_cell(pair.source)} | {_cell(pair.target)} | {_cell(translation.text)} |"
                for pair, translation in zip(scored.splits["val"], translations, strict=False)
            ]
            table = "\n".join(["| source | reference | translation |", "|---|---|---|", *rows])
            writer.add_text(f"translations{ending}", table, update)
            for number, attention_map in attention_maps(module.translator, translations).items():
                if attention_map.cross is not None:
                    writer.add_figure(f"attention{ending}/{number}", card(view(attention_map, words=True)), update)
        translations = module.validation.translations[: self.sentences]
        for number, named in attributions(self.views, module.translator, translations).items():
            for name, found in named.items():
                writer.add_figure(f"views/{name}/{number}", card(found.view(words=True)), update)

    def on_run_end(self, module: TranslationModule, evaluations: Mapping[str, Evaluation]) -> None:
        """Write the attention maps and views of the translations with the weights that are kept."""
        translations, folder = evaluations["val"].translations[: self.sentences], module.folder / ATTENTION
        save_attention_maps(module.translator, translations, folder)
        for number, named in attributions(self.views, module.translator, translations).items():
            for name, found in named.items():
                save_figure(draw([found.view()]), folder / f"{number}.{name}.png")


def _cell(text: str) -> str:
    """Return `text` as one cell of a Markdown table. TensorBoard shows its marks, such as `_` and `<`, as they are."""
    return re.sub(r"[^\w\s]|_", lambda mark: f"&#{ord(mark[0])};", " ".join(text.split()))
