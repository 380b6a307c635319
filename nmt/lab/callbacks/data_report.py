"""The data report in a few lines of the log, when training starts."""

from __future__ import annotations

import logging
from collections.abc import Mapping

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from nmt.config.settings import DataConfig
from nmt.data.pair import Split
from nmt.data.tokenizer import Tokenizer
from nmt.lab.corpus.defects import DEFECTS
from nmt.lab.corpus.inspection import inspect
from nmt.lab.corpus.report import short_text
from nmt.training.module import translation_module

logger = logging.getLogger(__name__)

MAX_PAIRS = 20_000  # of a larger corpus, a sample of this size is examined, which takes about two seconds
DEFECTS_AT_START = [name for name in DEFECTS if name != "language"]  # its check is slower than all others together


class DataReport(Callback):
    """Logs facts about the training pairs: number, lengths, defects, and the validation pairs that they repeat."""

    def on_fit_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Log the lines, once for all processes."""
        if trainer.is_global_zero:
            module = translation_module(pl_module)
            tokenizer, data = module.translator.tokenizer, module.recipe.settings.data
            for line in report_lines(module.corpus, module.more, tokenizer, data):
                logger.info(line)


def report_lines(
    corpus: Mapping[str, Split], more: Mapping[str, Split], tokenizer: Tokenizer, config: DataConfig
) -> list[str]:
    """Return the lines on the splits of `corpus` and the further training corpora `more`."""
    report = inspect(
        corpus, tokenizer, config, origin=str, more=more, defects=DEFECTS_AT_START, examples=0, most_pairs=MAX_PAIRS
    )
    return short_text(report)
