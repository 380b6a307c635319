"""The attention maps of a validation, which all callbacks of the laboratory share."""

from __future__ import annotations

from typing import Any

import pytorch_lightning as pl

from nmt.attention_map import AttentionMap
from nmt.lab.attention.view import attention_maps
from nmt.training.module import RunCallback, translation_module


class MapsCallback(RunCallback):
    """A callback that looks at the attention maps of the first `sentences` translations of a validation.

    The maps of a validation are computed once, for the callback that needs the largest number.
    """

    def __init__(self, sentences: int) -> None:
        self.sentences = sentences
        self._maps: dict[int, AttentionMap] | None = None  # of this validation, where they are made already

    def on_validation_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Forget the maps of the last validation."""
        self._maps = None

    def maps(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> dict[int, AttentionMap]:
        """Return the maps of this validation by the numbers of their translations."""
        if self._maps is None:
            module = translation_module(pl_module)
            sharing: list[Any] = [each for each in trainer.callbacks if isinstance(each, MapsCallback)]  # type: ignore[attr-defined]
            most = max(callback.sentences for callback in sharing)
            maps = attention_maps(module.translator, module.validation.translations[:most])
            for callback in sharing:
                callback._maps = maps
        assert self._maps is not None
        return {number: found for number, found in self._maps.items() if number < self.sentences}
