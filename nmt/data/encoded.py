"""The encoded corpus: the token ids of all training pairs, and their links, in memory-mapped files of a cache.

A corpus is a folder of the cache with these files of plain numbers:

    ids.bin            the source and the target of pair 0, then of pair 1, ...
    ids_offsets.bin    int64 (2 * pairs + 1): side i, counted over all pairs, is ids[offsets[i] : offsets[i + 1]]
    links.bin          (links, 2), if linked: the position of a target piece, and of a source piece
    links_offsets.bin  int64 (pairs + 1), if linked: the links of pair i are links[offsets[i] : offsets[i + 1]]
    corpus.json        written last: what the pairs depend on, with the type of ids and links, the counts of dropped
                       pairs, and a checksum of each file
"""

from __future__ import annotations

import itertools
import json
import logging
import os
import zlib
from abc import abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence, Sized
from contextlib import ExitStack
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nmt.data.filters import Filters
from nmt.data.pair import SentencePair, Split
from nmt.data.progress import PassProgress
from nmt.data.tokenizer import Tokenizer
from nmt.data.word_links import PieceLinks, links_of_pair, piece_links, words_of_pieces
from nmt.errors import UserError, counted
from nmt.system.atomic import write_atomically
from nmt.system.lines import digest

VERSION = 3
CHUNK_PAIRS = 2_000  # encoded by one call
ABOUT = "corpus.json"
OFFSETS = "<i8"

Lengths = NDArray[np.int32]

logger = logging.getLogger(__name__)


class Encoded(NamedTuple):
    """The ids of a pair, each side with eos at its end. `links` is None unless links were asked for."""

    source: list[int]
    target: list[int]
    links: PieceLinks | None = None


def encode(pairs: Sequence[SentencePair], tokenizer: Tokenizer, *, linked: bool = False) -> list[Encoded]:
    """Return the ids of every pair, and if `linked` the links between its pieces. Both sides end with eos.

    Marks stand for the spans that both sides of a pair have. The end of a sentence has no links. Raises UserError for
    an alignment that does not fit its pair.
    """
    read = [tokenizer.spans.read_pair(pair.source, pair.target) for pair in pairs]
    sources = tokenizer.encode_source([source for source, _ in read])
    targets = tokenizer.encode_target([target for _, target in read])
    if not linked:
        return list(map(Encoded, sources, targets))
    encoded = []
    for pair, source, target in zip(pairs, sources, targets, strict=True):
        links = links_of_pair(pair, f"the alignment of '{pair.source}'")
        words = map(words_of_pieces, (source, target), tokenizer.word_starts)
        encoded.append(Encoded(source, target, piece_links(links, *words)))
    return encoded


class EncodedPairs(Sequence[Encoded]):
    """Encoded pairs with random access, and the lengths of all pairs."""

    @property
    @abstractmethod
    def lengths(self) -> tuple[Lengths, Lengths]:
        """The number of source ids and of target ids of each pair; it may be computed at each access."""


def lengths_of(pairs: Sequence[Encoded]) -> tuple[Lengths, Lengths]:
    """Return the number of source ids and of target ids of each pair."""
    if isinstance(pairs, EncodedPairs):
        return pairs.lengths
    lengths = np.array([(len(pair.source), len(pair.target)) for pair in pairs], np.int32).reshape(-1, 2)
    return lengths[:, 0], lengths[:, 1]


class EncodedCorpus(EncodedPairs):
    """The kept pairs of a corpus as ids, in memory-mapped files, which may be closed and deleted afterwards.

    `dtype` is the type of ids and links. `dropped` counts the pairs that the filters left out, by reason.
    """

    def __init__(self, files: Mapping[str, IO[bytes]], dtype: str, dropped: Mapping[str, int]) -> None:
        self._ids, self._offsets = _mapped(files["ids"], dtype), _mapped(files["ids_offsets"], OFFSETS)
        self._links = _mapped(files["links"], dtype).reshape(-1, 2) if "links" in files else None
        self._link_offsets = _mapped(files["links_offsets"], OFFSETS) if "links" in files else None
        self.dropped = dropped

    def __len__(self) -> int:
        return len(self._offsets) // 2

    def __getitem__(self, index: int) -> Encoded:  # type: ignore[override]  # no slices
        row = range(len(self))[index]
        start, middle, end = self._offsets[2 * row : 2 * row + 3].tolist()
        links = None
        if self._links is not None and self._link_offsets is not None:
            links = self._links[self._link_offsets[row] : self._link_offsets[row + 1]]
        return Encoded(self._ids[start:middle].tolist(), self._ids[middle:end].tolist(), links)

    @property
    def lengths(self) -> tuple[Lengths, Lengths]:
        lengths = np.diff(self._offsets).astype(np.int32)
        return lengths[::2], lengths[1::2]


def _mapped(file: IO[bytes], dtype: str) -> NDArray[Any]:
    if not file.seek(0, os.SEEK_END):  # an empty file cannot be mapped
        return np.empty(0, dtype)
    return np.asarray(np.memmap(file, dtype, "r"))  # slices of np.memmap are slow


# Writing


def number_type(tokenizer: Tokenizer, max_length: int) -> str:
    """Return the smallest type for the ids of `tokenizer`, and for positions in texts of `max_length` pieces."""
    values = max(tokenizer.source_vocab_size, tokenizer.target_vocab_size, max_length)
    return "<u2" if values <= 2**16 else "<i4"


class CorpusWriter(ExitStack):
    """Writes encoded pairs, some at a time, to the files of a corpus in `folder`. It is used in a `with` block.

    `checksums` has the CRC-32 of each file by its name.
    """

    def __init__(self, folder: Path, dtype: str, *, linked: bool) -> None:
        super().__init__()
        self._dtype = dtype
        self._ends = {"ids": 0, "links": 0}
        self._files = dict[str, IO[bytes]]()
        self.checksums = dict.fromkeys(file_names(linked=linked), 0)
        for name in self.checksums:
            new = folder / f"{name}.{os.urandom(8).hex()}"
            self._files[name] = self.enter_context(new.open("x+b"))
            new.replace(folder / f"{name}.bin")  # a process that has opened the old file keeps it
            if name.endswith("_offsets"):
                self._write(name, np.zeros(1, OFFSETS))

    def add(self, pairs: Sequence[Encoded]) -> None:
        """Write pairs, which have links if the corpus has them. Raises OverflowError for an id outside its type."""
        sides = [side for pair in pairs for side in (pair.source, pair.target)]
        # NumPy checks the range of Python's integers; a cast of an array would wrap them.
        self._append("ids", sides, np.fromiter(itertools.chain.from_iterable(sides), self._dtype))
        if links := [pair.links for pair in pairs if pair.links is not None]:
            self._append("links", links, np.concatenate(links).astype(self._dtype))

    def finish(self, dropped: Mapping[str, int]) -> EncodedCorpus:
        """Complete the files, and return the corpus. `dropped` counts the pairs that were left out, by reason."""
        for file in self._files.values():
            file.flush()
        return EncodedCorpus(self._files, self._dtype, dropped)

    def _append(self, name: str, rows: Sequence[Sized], numbers: NDArray[Any]) -> None:
        ends = self._ends[name] + np.cumsum([len(row) for row in rows], dtype=OFFSETS)
        self._ends[name] = int(ends[-1]) if len(ends) else self._ends[name]
        self._write(name, numbers)
        self._write(f"{name}_offsets", ends)

    def _write(self, name: str, numbers: NDArray[Any]) -> None:
        content = numbers.tobytes()
        self._files[name].write(content)
        self.checksums[name] = zlib.crc32(content, self.checksums[name])


def file_names(*, linked: bool) -> list[str]:
    """Return the names of the files of a corpus, without their ending."""
    return ["ids", "ids_offsets", *(["links", "links_offsets"] if linked else [])]


# The cache


def encode_corpus(
    split: Split, tokenizer: Tokenizer, filters: Filters, *, folder: Path, linked: bool = False, backwards: bool = False
) -> EncodedCorpus:
    """Return the pairs that pass the filters, encoded. They are read from the cache `folder`, or written to it first.

    If `linked`, they have links, and if `backwards`, their sides are exchanged. A damaged corpus is made again. What
    the filters leave out is logged. Raises UserError if every pair is dropped or an alignment does not fit its pair,
    OSError if `folder` cannot be written.
    """
    identity = {
        "version": VERSION,
        "text": split.digest,
        "linked": linked,
        "backwards": backwards,
        "links": split.links if linked else None,
        "tokenizer": tokenizer.digest(),
        "filters": filters.identity(),
        "dtype": number_type(tokenizer, filters.max_length),
    }
    entry = folder / f"corpus-{digest(json.dumps(identity, sort_keys=True))[:24]}"
    if (corpus := _open_corpus(entry, identity)) is not None:
        return _logged(corpus, f"from {entry}")
    entry.mkdir(parents=True, exist_ok=True)
    return _logged(_make_corpus(entry, identity, split, tokenizer, filters), f"kept in {entry}")


def _open_corpus(folder: Path, identity: Mapping[str, Any]) -> EncodedCorpus | None:
    """Return the corpus in `folder`, or None if it is missing or damaged. A damaged one is logged."""
    try:
        about = json.loads((folder / ABOUT).read_bytes())
        with ExitStack() as stack:
            paths = {name: folder / f"{name}.bin" for name in file_names(linked=identity["linked"])}
            files = {name: stack.enter_context(path.open("rb")) for name, path in paths.items()}
            checksums = {name: zlib.crc32(_mapped(file, "u1").data) for name, file in files.items()}
            if (about["identity"], about["checksums"]) == (identity, checksums):
                return EncodedCorpus(files, identity["dtype"], about["dropped"])
    except (OSError, ValueError, LookupError, TypeError):
        pass
    if (folder / ABOUT).exists():
        logger.info(f"training pairs: {folder} is damaged or cannot be read; making it again")
    return None


def _logged(corpus: EncodedCorpus, where: str) -> EncodedCorpus:
    dropped = f", {sum(corpus.dropped.values()):,} dropped ({_counts(corpus.dropped)})" if corpus.dropped else ""
    logger.info(f"training pairs: {len(corpus):,} encoded{dropped}, {where}")
    return corpus


def _make_corpus(
    folder: Path, identity: Mapping[str, Any], split: Split, tokenizer: Tokenizer, filters: Filters
) -> EncodedCorpus:
    """Write the files of a corpus to `folder`, and return it.

    Several processes may write the same corpus at once. Each reads the files that it has written itself.
    """
    dropped, linked, rest = Counter[str](), identity["linked"], iter(split)
    with (
        CorpusWriter(folder, identity["dtype"], linked=linked) as writer,
        PassProgress("encoding", len(split)) as progress,
    ):
        while texts := list(itertools.islice(rest, CHUNK_PAIRS)):
            names = filters.dropped_by(progress.done, texts)
            kept = [pair for pair, name in zip(texts, names, strict=True) if not name]
            turned = [pair.swapped() for pair in kept] if identity["backwards"] else kept
            pairs = encode(turned, tokenizer, linked=linked)
            reasons = filters.reasons(*lengths_of(pairs))
            writer.add(list(itertools.compress(pairs, reasons == "")))
            dropped.update(filter(None, [*names, *reasons.tolist()]))
            progress.advance(len(texts))
        corpus = writer.finish(dropped)
    if not len(corpus):
        raise UserError(
            f"data: every training pair was dropped ({counted(dropped.total(), 'pair')}: {_counts(dropped)}; "
            f"{filters.settings()}); check that the lines of both sides belong together, or drop less"
        )
    about = {"identity": identity, "dropped": dropped, "checksums": writer.checksums}
    write_atomically(folder / ABOUT, json.dumps(about).encode())
    return corpus


def _counts(dropped: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {reason}" for reason, count in sorted(dropped.items()))
