"""The pairs of each split: read from a source, held out of train where there is no validation split, and cut.

Where there is no validation split, `data.val_size` pairs are held out of train. `data.seed` draws them, so they are the
same for training and for evaluating. A test split is never made up.
"""

from __future__ import annotations

import logging
import random
from collections.abc import Mapping, Sequence
from itertools import islice

from nmt.config.settings import DataConfig
from nmt.data.pair import SentencePair
from nmt.data.sources.base import SPLITS, Pairs, Source
from nmt.errors import UserError, did_you_mean

__all__ = ["SPLITS", "SentencePair", "load_corpus", "origin"]

logger = logging.getLogger(__name__)


def load_corpus(
    source: Source, config: DataConfig, splits: Sequence[str] | None = None
) -> dict[str, list[SentencePair]]:
    """Return the sentence pairs of `splits`, none of them empty, each cut to its first `data.limit` pairs.

    Named splits must exist. None is what training asks for: train and val must exist (val may be held out of train),
    and test is included if the data has one. With `data.overfit` every split is the training split. The counts and a
    hold-out are logged. Raises UserError for a split that does not exist, and for whatever is wrong with the data.
    """
    for split in splits or ():
        if split not in SPLITS:
            raise UserError(f"split: got '{split}', expected {', '.join(SPLITS)}{did_you_mean(split, SPLITS)}")
    required = ("train", "val") if splits is None else tuple(splits)
    wanted = SPLITS if splits is None else required
    corpus = _read(source, config, wanted)
    for split in required:
        if split not in corpus:
            raise UserError(
                f"{origin(source, config)} has no {split} split; "
                f"name a file by data.{split}=, or a folder that has one by data.path="
            )
    counts = ", ".join(f"{split} {len(pairs):,}" for split, pairs in corpus.items())
    origins = ", ".join(dict.fromkeys(origin(source, config, split) for split in corpus))
    logger.info(f"data: {counts} pairs, {config.source_lang} to {config.target_lang}, from {origins}")
    return corpus


def origin(source: Source, config: DataConfig, split: str = "train") -> str:
    """Return where the pairs of a split come from, in the words of the settings."""
    return source.origin("train" if config.overfit else split)


def _read(source: Source, config: DataConfig, wanted: Sequence[str]) -> dict[str, list[SentencePair]]:
    """Return those of the wanted splits that exist."""
    there = source.splits()
    if config.overfit:
        logger.info("data: data.overfit is set: every split is the training split")
        train = list(islice(there["train"], config.limit)) if "train" in there else None
        return dict.fromkeys(wanted, train) if train is not None else {}
    held_out: Mapping[str, Pairs] = {}
    if {"train", "val"} & set(wanted) and "val" not in there:
        train, val = _hold_out(there, source, config)
        held_out = {"train": train, "val": val}
    return {
        split: list(islice(held_out.get(split) or there[split], config.limit))
        for split in wanted
        if split in held_out or split in there
    }


def _hold_out(
    there: Mapping[str, Pairs], source: Source, config: DataConfig
) -> tuple[list[SentencePair], list[SentencePair]]:
    """Split train in two; a source sentence that occurs in both parts stays in the held-out part only."""
    if "train" not in there:
        raise UserError(f"{origin(source, config)} has neither a val nor a train split; name a file by data.val=")
    train = list(there["train"])
    if config.val_size >= len(train):
        raise UserError(
            f"data.val_size: got {config.val_size}, expected fewer than the {len(train)} training pairs that the "
            "validation split is held out of; lower it or name a file by data.val="
        )
    chosen = set(random.Random(config.seed).sample(range(len(train)), config.val_size))
    held = [pair for index, pair in enumerate(train) if index in chosen]
    sources = {pair.source for pair in held}
    rest = [pair for pair in train if pair.source not in sources]
    if not rest:
        raise UserError(
            f"{origin(source, config)}: every training sentence is among the {len(held)} held out; use data.val="
        )
    repeated = len(train) - len(held) - len(rest)
    logger.info(
        f"data: no validation split in {origin(source, config)}; held {len(held):,} pairs out of train "
        f"(data.seed={config.seed})" + (f" and left out {repeated:,} that repeat their sources" if repeated else "")
    )
    return rest, held
