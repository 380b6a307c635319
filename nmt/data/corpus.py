"""Sentence pairs by split, wherever they come from: files, a folder, the Hub, or the generator.

A split comes from the first of these that is set:
1. `data.train`, `data.val`, `data.test`: one file or [source, target]. With `data.train` the corpus is these files and
   nothing else; `data.val` or `data.test` alone replaces that split of the corpus below.
2. `data.path`: a folder with a file for every split, in place of whatever `data.kind` names.
3. `data.kind`: hub, or cldr (generated); files says that one of the two above has to be given.

Where there is no validation split, `data.val_size` pairs are held out of train, drawn by `data.seed`: the same ones for
training and for evaluating. A test split is never made up.
"""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Sequence
from pathlib import Path

from nmt.config.settings import DataConfig
from nmt.data.pair import SentencePair
from nmt.data.sources.files import FileSpec, file_spec, find_splits, read_pairs, splits_to_read
from nmt.errors import UserError, did_you_mean

__all__ = ["SPLITS", "SentencePair", "load_corpus"]

SPLITS = ("train", "val", "test")

Say = Callable[[str], None]
Pairs = list[SentencePair]


def load_corpus(config: DataConfig, splits: Sequence[str] | None = None, *, say: Say) -> dict[str, Pairs]:
    """Return the sentence pairs of `splits`, none of them empty, each cut to its first `data.limit` pairs.

    Named splits must exist. None is what training asks for: train and val must exist (val may be held out of train),
    and test is there if the data has one. With `data.overfit` every split is the training split. `say` gets one line
    on the counts and one on a hold-out.
    Raises UserError for a split that there is not, and for whatever is wrong with the data.
    """
    _check(config, splits)
    required = ("train", "val") if splits is None else tuple(splits)
    wanted = SPLITS if splits is None else required
    needed = ("train", "val") if wanted == ("train",) else wanted  # what is held out of train is not train
    corpus = _load(config, ("train",) if config.overfit else needed, say)
    if config.overfit:
        say("data: data.overfit is set: every split is the training split")
        corpus = dict.fromkeys(needed, corpus["train"]) if "train" in corpus else {}
    if "val" in needed and "val" not in corpus:
        corpus["train"], corpus["val"] = _hold_out(corpus, config, say)
    for split in required:
        if split not in corpus:
            raise UserError(
                f"{origin(config)} has no {split} split; "
                f"name a file by data.{split}=, or a folder that has one by data.path="
            )
    corpus = {split: corpus[split][: config.limit] for split in wanted if split in corpus}
    counts = ", ".join(f"{split} {len(pairs):,}" for split, pairs in corpus.items())
    origins = ", ".join(dict.fromkeys(origin(config, split) for split in corpus))
    say(f"data: {counts} pairs, {config.source_lang} to {config.target_lang}, from {origins}")
    return corpus


def _check(config: DataConfig, splits: Sequence[str] | None) -> None:
    if config.source_lang == config.target_lang:
        raise UserError(
            f"data.source_lang and data.target_lang are both '{config.source_lang}'; expected two languages"
        )
    for split in splits or ():
        if split not in SPLITS:
            raise UserError(f"split: got '{split}', expected {', '.join(SPLITS)}{did_you_mean(split, SPLITS)}")


def origin(config: DataConfig, split: str = "train") -> str:
    """Return where the pairs of a split come from, in the words of the settings."""
    for name in ("train",) if config.overfit else (split, "train"):  # a split that is not named is held out of train
        if getattr(config, name) is not None:
            return f"data.{name}={_join(file_spec(getattr(config, name), f'data.{name}'))}"
    if config.path is not None:
        return f"data.path={config.path}"
    return {"hub": f"the Hub's {config.name}", "cldr": "CLDR", "files": "files"}[config.kind]


def _join(spec: FileSpec) -> str:
    return f"[{spec[0]},{spec[1]}]" if isinstance(spec, tuple) else str(spec)


def _load(config: DataConfig, wanted: Sequence[str], say: Say) -> dict[str, Pairs]:
    """Return what there is of the wanted splits, and train where a validation split has to be held out of it."""
    named = {split: getattr(config, split) for split in SPLITS}
    specs = {split: file_spec(value, f"data.{split}") for split, value in named.items() if value is not None}
    if config.train is not None or all(split in specs for split in wanted):
        return _read(specs, wanted, config, say)
    if config.path is not None:
        folder = find_splits(Path(os.path.expanduser(config.path)), config.source_lang, config.target_lang)
        return _read(folder | specs, wanted, config, say)
    given = _read(specs, [split for split in wanted if split in specs], config, say) if specs else {}
    return _load_kind(config, [split for split in wanted if split not in given], say) | given


def _read(specs: dict[str, FileSpec], wanted: Sequence[str], config: DataConfig, say: Say) -> dict[str, Pairs]:
    return {
        split: read_pairs(specs[split], config.source_lang, config.target_lang, say=say)
        for split in splits_to_read(wanted, specs)
    }


def _load_kind(config: DataConfig, wanted: Sequence[str], say: Say) -> dict[str, Pairs]:
    if config.kind == "hub":
        from nmt.data.sources.hub import load_hub

        return load_hub(config, wanted, say=say)
    if config.kind == "cldr":
        from nmt.data.sources.cldr import generate

        return generate(config, say=say)
    raise UserError("data.kind=files: no files are given; name a folder by data.path= or a file by data.train=")


def _hold_out(corpus: dict[str, Pairs], config: DataConfig, say: Say) -> tuple[Pairs, Pairs]:
    """Split train in two; sentences that occur on both sides stay in the held-out part only."""
    train = corpus.get("train")
    if train is None:
        raise UserError(f"{origin(config)} has neither a val nor a train split; name a file by data.val=")
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
        raise UserError(f"{origin(config)}: every training sentence is among the {len(held)} held out; use data.val=")
    repeated = len(train) - len(held) - len(rest)
    say(
        f"data: no validation split in {origin(config)}; held {len(held):,} pairs out of train "
        f"(data.seed={config.seed})" + (f" and left out {repeated:,} that repeat their sources" if repeated else "")
    )
    return rest, held
