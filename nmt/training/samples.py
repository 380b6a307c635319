"""Fixed validation sentences in TensorBoard: their translations as text, their attention as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback
from pytorch_lightning.loggers import TensorBoardLogger

from nmt.analysis.figure import figure, save
from nmt.attention_map import AttentionMap
from nmt.translate import Translation, Translator


class Samples(Callback):
    """After each validation, logs the first `count` validation sentences."""

    def __init__(self, count: int) -> None:
        self.count = count

    def on_validation_end(self, trainer: pl.Trainer, pl_module: Any) -> None:
        """Write `translations` (a table) and `attention/<n>` (the cross attention, where the model has one)."""
        logger = trainer.logger
        if trainer.sanity_checking or not trainer.is_global_zero or not isinstance(logger, TensorBoardLogger):
            return
        writer, update = logger.experiment, trainer.global_step
        pairs = pl_module.val[: self.count]
        if not pairs:
            return
        rows = [
            f"| {cell(pair.source)} | {cell(pair.target)} | {cell(translation.text)} |"
            for pair, translation in zip(pairs, pl_module.validation.translations, strict=False)
        ]
        writer.add_text(
            "translations", "\n".join(["| source | reference | translation |", "|---|---|---|", *rows]), update
        )
        for number, drawn in maps(pl_module.translator, pl_module.validation.translations[: self.count]).items():
            if drawn.cross is not None:
                writer.add_figure(f"attention/{number}", figure(drawn), update)


def maps(translator: Translator, translations: Sequence[Translation]) -> dict[int, AttentionMap]:
    """Return the map of every translation that has one, by its number; a model without attention has none."""
    numbers = [number for number, found in enumerate(translations) if found.tokens and translator.attends]
    drawn = translator.attention_maps([translations[number] for number in numbers]) if numbers else []
    return dict(zip(numbers, drawn, strict=True))


def cell(text: str) -> str:
    """Return `text` as it can stand in a Markdown table."""
    return text.replace("|", "\\|").replace("\n", " ")


def save_maps(translator: Translator, translations: Sequence[Translation], folder: Path) -> None:
    """Write the attention map of each translation as `<n>.json` and `<n>.png`."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, drawn in maps(translator, translations).items():
        save(drawn, folder / f"{number}.json")
        if drawn.cross is not None:
            save(drawn, folder / f"{number}.png")
