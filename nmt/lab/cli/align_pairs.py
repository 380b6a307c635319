"""The pairs that align.py aligns, and their alignments made by people."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nmt.cli.evaluate import data_of
from nmt.cli.pair_files import read_pair_files
from nmt.errors import UserError, counted

if TYPE_CHECKING:
    from nmt.checkpoint import LoadedModel
    from nmt.data.sources.base import Pairs
    from nmt.data.word_links import Gold
    from nmt.lab.cli.align import AlignConfig


def pairs_of(config: AlignConfig, loaded: LoadedModel | None) -> tuple[Pairs, str, Pairs]:
    """Return the pairs to align, the name of their lines in messages, and the pairs of the training.

    The last are those of the data of `loaded`. They are read only for a statistical aligner. Raises UserError for data
    that cannot be read.
    """
    from nmt.build import build_source
    from nmt.data.corpus import load_corpus, origin
    from nmt.translation.loading import languages_of

    wanted = [config.split] if config.split is not None else []
    if "eflomal" in (config.aligner, config.yardstick) and config.split != "train" and loaded is not None:
        wanted.append("train")
    corpus: dict[str, Any] = {}
    if wanted and loaded is not None:
        if "source_lang" not in loaded.config.get("data", {}):
            raise UserError(f"{loaded.path}: saved from Python without data settings; give source= and target=")
        data = data_of(loaded, config.data)
        source = build_source(data, allow=config.allow)
        corpus = load_corpus(source, data, wanted)
    training = corpus["train"] if "train" in wanted and config.split != "train" else []
    if config.split is not None:
        return list(corpus[config.split]), f"{origin(source, data, config.split)} {config.split}", training
    assert config.source is not None and config.target is not None
    languages = None if loaded is None else languages_of(loaded.config)
    return read_pair_files(config.source, config.target, languages), config.source, training


def read_gold(config: AlignConfig, pairs: Pairs, name: str) -> Iterator[Gold]:
    """Yield the gold alignment of each pair: of gold=, or of the data if all pairs have one. Reads all pairs.

    Raises UserError for a mistake in a pair or in a link, and for a file with another number of lines.
    """
    from nmt.data.sources.files import read_lines
    from nmt.data.word_links import parse_pair

    if config.gold is None:
        name, texts = f"{name}, alignment", [pair.alignment for pair in pairs]
        if None in texts:
            return
        lines: Iterable[str] = (text or "" for text in texts)
    else:
        name = config.gold
        lines = read_lines(Path(os.path.expanduser(config.gold)))
        numbers = sum(1 for _ in pairs), sum(1 for _ in read_lines(Path(os.path.expanduser(config.gold))))
        if numbers[0] != numbers[1]:
            raise UserError(f"{name} has {counted(numbers[1], 'line')} but there are {counted(numbers[0], 'pair')}")
    for number, (pair, line) in enumerate(zip(pairs, lines, strict=True), start=1):
        yield parse_pair(line, pair, f"{name}:{number}")
