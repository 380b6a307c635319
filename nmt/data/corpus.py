"""Loads the sentence pairs of each split from a source. Word alignments may come from files of their own."""

from __future__ import annotations

import hashlib
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

from nmt.config.settings import DataConfig
from nmt.data.pair import LINK, Reiterable, SentencePair, Split
from nmt.data.sources.base import SPLITS, Overlay, Pairs, Source, repeatable
from nmt.data.sources.files import read_lines, together
from nmt.data.word_links import links_of_pair
from nmt.errors import UserError, counted
from nmt.system.lines import digest
from nmt.tokens import MACHINE_MARK

logger = logging.getLogger(__name__)


def load_corpus(source: Source, config: DataConfig, splits: Sequence[str] | None = None) -> dict[str, Split]:
    """Return the pairs of each of `splits`, cut to the first `data.limit` pairs.

    Every split in `splits` must exist. If `splits` is None, as in training, train and val must exist, and test is
    included if the data has one. Without val, `data.val_size` pairs are held out of train. `data.seed` and the
    sentences decide which ones, so that training and evaluation use the same pairs. With `data.overfit` every split is
    the training split. Training pairs need not fit in memory, because the source may read them again at each iteration.
    Other pairs are in memory. Line N of the file `data.train_alignment` or `data.val_alignment` is the alignment of
    pair N, in the Pharaoh format, and replaces that of the source. The number of pairs in each split is logged. Raises
    UserError for a split that does not exist, and for data or alignments that are missing or malformed.
    """
    required = ("train", "val") if splits is None else tuple(splits)
    wanted = SPLITS if splits is None else required
    corpus = _read(source, config, wanted)
    for split in required:
        if split not in corpus:
            remedy = f"name a file by data.{split}=, or a folder that has one by data.path="
            raise UserError(f"{origin(source, config)} has no {split} split; {remedy}")
    counts = ", ".join(f"{split} {len(pairs):,}" for split, pairs in corpus.items())
    origins = ", ".join(dict.fromkeys(origin(source, config, split) for split in corpus))
    logger.info(f"data: {counts} pairs, {config.source_lang} to {config.target_lang}, from {origins}")
    return corpus


def load_more(sources: Mapping[str, Source], config: DataConfig) -> dict[str, Split]:
    """Return the further training corpora `data.more`, each cut to the first `data.limit` pairs.

    The number of pairs of each is logged. Raises UserError for data that is missing or malformed.
    """
    corpora = {}
    for name, entry in (config.more or {}).items():
        corpora[name] = Split.of(_first(sources[name].splits()["train"], config.limit))
        for pair in islice(corpora[name], 1):  # the mark has 4 characters
            if MACHINE_MARK in (pair.target[:4], config.both_directions and pair.source[:4]):
                raise UserError(f"data.more.{name}: targets would begin with {MACHINE_MARK}; write it without tag=true")
        logger.info(f"data.more.{name}: {len(corpora[name]):,} training pairs, weight {entry.weight:g}")
    return corpora


def load_more_val(sources: Mapping[str, Source], config: DataConfig) -> dict[str, list[SentencePair]]:
    """Return the further validation pairs `data.more_val`, each cut to the first `data.limit` pairs.

    The number of pairs of each is logged. Raises UserError for data that is missing or malformed.
    """
    found = {}
    for name, source in sources.items():
        if "val" not in (splits := source.splits()):
            raise UserError(f"data.more_val.{name}: {source.origin('val')} has no val split; name a file by val")
        found[name] = list(_first(splits["val"], config.limit))
        logger.info(f"data.more_val.{name}: {len(found[name]):,} pairs")
    return found


def digest_of(
    corpora: Mapping[str, Mapping[str, Split]], more: Mapping[str, Split], config: DataConfig, *, linked: bool
) -> str:
    """Return a digest of the training and validation pairs, and if `linked` of their alignments.

    `corpora` has the splits of each pair of languages, by the names of `pairs_of`.
    """
    splits = [corpus[split] for corpus in corpora.values() for split in ("train", "val")]
    links = [split.links or "" for split in splits if linked]
    added = [f"{more[name].digest} {entry.weight}" for name, entry in (config.more or {}).items()]
    for pair in (config.pairs or {}).values():
        added.append(f"{pair.source_lang} {pair.target_lang} {pair.weight} {config.temperature}")
    return digest(*(split.digest for split in splits), *links, *added, *["both directions"] * config.both_directions)


def origin(source: Source, config: DataConfig, split: str = "train") -> str:
    """Return where the pairs of a split come from, in the words of the settings."""
    return source.origin("train" if config.overfit else split)


def _read(source: Source, config: DataConfig, wanted: Sequence[str]) -> dict[str, Split]:
    """Return those of the wanted splits that exist. Their pairs are counted after `data.limit` is applied."""
    needed = ("train",) if config.overfit else wanted
    there = (source.enough_for(needed) if isinstance(source, Overlay) else source).splits()
    held_out, corpus = dict[str, Pairs](), dict[str, Split]()
    if config.overfit:
        logger.info("data: data.overfit is set: every split is the training split")
    elif {"train", "val"} & set(wanted) and "val" not in there:
        if "train" not in there:
            raise UserError(f"{origin(source, config)} has neither a val nor a train split; name a file by data.val=")
        held_out = _hold_out(_pairs_of("train", there, source, config), config, origin(source, config))
    for split in needed:
        if split in held_out or split in there:
            pairs = held_out[split] if split in held_out else _pairs_of(split, there, source, config)
            kept = _first(pairs, config.limit)
            corpus[split] = Split.of(kept if split == "train" else list(kept))
    return dict.fromkeys(wanted, corpus["train"]) if config.overfit and corpus else corpus


def _pairs_of(split: str, there: Mapping[str, Pairs], source: Source, config: DataConfig) -> Pairs:
    """Return the pairs of a split, with the alignments of the file that the settings name for it, if there is one."""
    named = {"train": config.train_alignment, "val": config.val_alignment}
    files = {split: Path(os.path.expanduser(name)) for split, name in named.items() if name is not None}
    if split == "train" and "val" in files and "val" not in there:
        raise UserError(f"data.val_alignment: got {files['val']}, but there is no val split of its own; leave it out")
    pairs = repeatable(there[split], split, source)
    return Reiterable(lambda: _aligned(pairs, files[split], split, config.swapped)) if split in files else pairs


def _first(pairs: Pairs, limit: int | None) -> Pairs:
    return pairs if limit is None else Reiterable(lambda: islice(iter(pairs), limit))


def _hold_out(train: Pairs, config: DataConfig, where: str) -> dict[str, Pairs]:
    """Split train in two; a source sentence that occurs in both parts stays in the held-out part only.

    Train is read several times, so that only the held-out pairs must fit in memory.
    """
    remedy = "lower data.val_size, or name a file by data.val="
    count, held = _with_smallest_digests(train, config)
    if config.val_size >= count:
        few = f"has {counted(count, 'training pair')}, so {config.val_size:,} cannot be held out for validation"
        raise UserError(f"data.val_size: {where} {few}; {remedy}")
    sources = {pair.source for pair in held}
    rest = Reiterable(lambda: (pair for pair in train if pair.source not in sources))
    kept = sum(1 for _ in rest)
    if not kept:
        raise UserError(f"{where}: every training sentence is among the {len(held):,} held out; {remedy}")
    repeated = count - len(held) - kept
    logger.info(
        f"data: no validation split in {where}; held {len(held):,} pairs out of train (data.seed={config.seed})"
        + (f" and left out {repeated:,} that repeat their sources" if repeated else "")
    )
    return {"train": rest, "val": held}


def _with_smallest_digests(train: Pairs, config: DataConfig) -> tuple[int, list[SentencePair]]:
    """Return the number of pairs, and the `data.val_size` pairs whose digests with the seed are the smallest.

    Equal pairs count as one. The choice depends on the sentences, not on their number or on the direction. So if the
    corpus grows, the pairs that are held out later were held out before or are new, and no model has learned from them.
    """
    count, held = 0, dict[bytes, SentencePair]()
    last = b"\xff" * 17  # larger than any digest
    for count, pair in enumerate(train, 1):  # noqa: B007
        sides = sorted([(config.source_lang, pair.source), (config.target_lang, pair.target)])
        text = "\0".join([str(config.seed), *(text for _, text in sides)])
        key = hashlib.blake2b(text.encode(), digest_size=16).digest()
        if key < last and key not in held:
            held[key] = pair
        if len(held) == 2 * config.val_size:
            last = sorted(held)[config.val_size]
            held = {key: pair for key, pair in held.items() if key < last}
    chosen = set(sorted(held)[: config.val_size])
    return count, [pair for key, pair in held.items() if key in chosen]


def _aligned(pairs: Pairs, path: Path, split: str, swapped: bool) -> Iterator[SentencePair]:
    lines = together(read_lines(path), pairs, names=(f"data.{split}_alignment: {path}", f"the {split} split"))
    for number, (line, pair) in enumerate(lines, 1):
        aligned = SentencePair(pair.source, pair.target, pair.line, LINK.sub(r"\3\2\1", line) if swapped else line)
        links_of_pair(aligned, f"{path}:{number}")
        yield aligned
