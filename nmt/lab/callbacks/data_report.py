"""The data report in a few lines of the log, when training starts."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from pathlib import Path

import pytorch_lightning as pl
from pytorch_lightning.callbacks import Callback

from nmt.config.settings import DataConfig
from nmt.data.filters.base import make_filters
from nmt.data.pair import Split
from nmt.data.tokenizer import Tokenizer
from nmt.lab.corpus.defects import DEFECTS
from nmt.lab.corpus.inspection import inspect
from nmt.lab.corpus.tables import short_text, warnings
from nmt.system.cache import cache_folder, read_entry, write_entry
from nmt.system.lines import digest
from nmt.training.module import translation_module

logger = logging.getLogger(__name__)

VERSION = 6  # of the lines
MAX_PAIRS = 50_000  # about four seconds; more are sampled
DEFECTS_AT_START = [name for name in DEFECTS if name != "language"]  # which takes longer than all others together


class DataReport(Callback):
    """Logs facts about the training pairs: number, lengths, defects, and the validation pairs that they repeat."""

    def on_fit_start(self, trainer: pl.Trainer, pl_module: pl.LightningModule) -> None:
        """Log the lines, once for all processes."""
        if trainer.is_global_zero:
            module = translation_module(pl_module)
            tokenizer, data = module.translator.tokenizer, module.recipe.settings.data
            for line in report_lines(module.corpus, module.more, tokenizer, data, folder=cache_folder()):
                logger.info(line)


def report_lines(
    corpus: Mapping[str, Split],
    more: Mapping[str, Split],
    tokenizer: Tokenizer,
    config: DataConfig,
    *,
    folder: Path,
) -> list[str]:
    """Return the lines on the splits of `corpus` and the further training corpora `more`.

    They are cached in `folder` under the texts and settings that they depend on. Warnings name lines of a file, which
    the texts do not decide, so a report with one is made anew.
    """
    entry = folder / f"report-{_key(corpus, more, tokenizer, config)}.txt"
    if cached := read_entry(entry, "data report"):
        return cached.decode().split("\n")
    report = inspect(
        corpus, tokenizer, config, origin=str, more=more, defects=DEFECTS_AT_START, examples=0, most_pairs=MAX_PAIRS
    )
    lines = short_text(report)
    if not warnings(report):
        write_entry(entry, "\n".join(lines).encode(), "data report")
    return lines


def _key(corpus: Mapping[str, Split], more: Mapping[str, Split], tokenizer: Tokenizer, config: DataConfig) -> str:
    languages = config.source_lang, config.target_lang
    usable = {name: DEFECTS[name] for name in DEFECTS_AT_START if not DEFECTS[name].unavailable_reason(languages)}
    filters = make_filters(config, usable, corpus)
    texts = [{name: pairs.digest for name, pairs in each.items()} for each in (corpus, more)]
    return digest(json.dumps([VERSION, languages, *texts, tokenizer.digest(), filters.identity()]))[:24]
