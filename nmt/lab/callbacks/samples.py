"""Fixed validation sentences in TensorBoard: their translations as text, their attention as pictures."""

from __future__ import annotations

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.loggers import TensorBoardLogger

from nmt.lab.attention.figure import card
from nmt.lab.attention.fonts import typeface
from nmt.lab.attention.pictures import attention_maps
from nmt.require import require_integer
from nmt.training.module import training


class Samples(Callback):
    """Logs the first `sentences` validation sentences to TensorBoard after each validation.

    At the end of the run, their attention maps are written to attention/ in the run's folder.
    """

    def __init__(self, *, sentences: int = 3) -> None:
        require_integer(at_least=0, sentences=sentences)
        self.sentences = sentences

    def on_fit_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Warn now, and not after the first validation, if the pictures need a font that is not installed."""
        view = training(pl_module)
        if trainer.is_global_zero and view.translator.attends:
            typeface([text for pair in view.val_pairs[: self.sentences] for text in (pair.source, pair.target)])

    def on_validation_end(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Write `translations` (a table) and `attention/<n>` (the cross attention, where the model has one)."""
        logger, view = trainer.logger, training(pl_module)
        if not trainer.is_global_zero or not isinstance(logger, TensorBoardLogger):
            return
        writer, update = logger.experiment, trainer.global_step
        pairs = view.val_pairs[: self.sentences]
        if not pairs:
            return
        rows = [
            f"| {_cell(pair.source)} | {_cell(pair.target)} | {_cell(translation.text)} |"
            for pair, translation in zip(pairs, view.validation.translations, strict=False)
        ]
        writer.add_text(
            "translations", "\n".join(["| source | reference | translation |", "|---|---|---|", *rows]), update
        )
        translations = view.validation.translations[: self.sentences]
        for number, attention_map in attention_maps(view.translator, translations).items():
            if attention_map.cross is not None:
                writer.add_figure(f"attention/{number}", card(attention_map), update)


def _cell(text: str) -> str:
    """Return `text` as one cell of a Markdown table."""
    return text.replace("|", "\\|").replace("\n", " ")
