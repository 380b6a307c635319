"""Encodes a corpus once and keeps it in the cache."""

from __future__ import annotations

import itertools
import json
import logging
import zlib
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from nmt.data.cache import read_entry, write_entry
from nmt.data.encoded import Encoded, EncodedCorpus, IdTypes, lengths_of, writing_corpus
from nmt.data.filters import Filters
from nmt.data.pair import SentencePair, Split, marked
from nmt.data.progress import PassProgress
from nmt.data.tokenizer import Tokenizer
from nmt.data.word_links import PieceLinks, links_of_pair, piece_links, words_of_pieces
from nmt.errors import UserError, counted
from nmt.system.atomic import lock_file, replacing
from nmt.system.cores import usable_cores
from nmt.system.lines import digest
from nmt.system.temporary import temporary_folder

VERSION = 2
CHUNK_PAIRS = 2_000  # encoded by one call
ABOUT = "corpus.json"  # of a corpus in the cache

Chunk = tuple[list[Encoded], Counter[str]]  # the kept pairs, and the number of the others by reason

logger = logging.getLogger(__name__)


def counts(dropped: Mapping[str, int]) -> str:
    """Return the numbers of dropped pairs in words: "2 empty, 1 too long"."""
    return ", ".join(f"{count:,} {reason}" for reason, count in sorted(dropped.items()))


def encode(pairs: Sequence[SentencePair], tokenizer: Tokenizer, *, linked: bool = False) -> list[Encoded]:
    """Return the ids of every pair, and if `linked` the links between them; both sides end with eos.

    Marks stand for the spans that both sides of a pair have. The end of a sentence has no links. Raises UserError for
    an alignment that does not fit its pair.
    """
    read = [marked(pair, tokenizer.spans) for pair in pairs]
    sources = tokenizer.encode_source([source for source, _ in read])
    targets = tokenizer.encode_target([target for _, target in read])
    if not linked:
        return list(map(Encoded, sources, targets))
    links = (_links(*each, tokenizer) for each in zip(pairs, sources, targets, strict=True))
    return list(map(Encoded, sources, targets, links))


def _links(pair: SentencePair, source: list[int], target: list[int], tokenizer: Tokenizer) -> PieceLinks:
    links = links_of_pair(pair, f"the alignment of '{pair.source}'")
    sides = zip((source, target), tokenizer.word_starts, strict=True)
    return piece_links(links, *(words_of_pieces(ids, starts) for ids, starts in sides))


def encode_corpus(
    split: Split, tokenizer: Tokenizer, filters: Filters, *, folder: Path, linked: bool = False
) -> EncodedCorpus:
    """Return the pairs that pass the filters, encoded. They are read from the cache `folder`, or written to it first.

    If `linked`, they have links. A damaged corpus is made again. If `folder` cannot be written, temporary files are
    used. If several processes need the same corpus, one makes it and the others wait.
    Raises UserError if every pair is dropped or an alignment does not fit its pair, OSError if the disk is full.
    """
    types = IdTypes.of(tokenizer, filters.max_length, linked=linked)
    identity = {
        "version": VERSION,
        "text": split.digest,
        "tokenizer": tokenizer.digest(),
        "filters": digest(json.dumps(filters.identity())),
        "types": list(types),
    }
    if linked:
        identity["links"] = str(split.links)
    name = digest(json.dumps(identity, sort_keys=True))[:24]
    entry = folder / f"corpus-{name}"
    existed = (entry / ABOUT).is_file()
    if (corpus := _open_corpus(entry, identity)) is not None:
        logger.info(f"training pairs: {len(corpus):,} encoded, from {entry}")
        return corpus
    encoder = _Encoder(tokenizer, filters, types)
    try:
        entry.mkdir(parents=True, exist_ok=True)
        lock = (entry / "lock").open("ab")
    except OSError as error:
        logger.info(f"training pairs: {folder} cannot be written ({error.strerror}); encoding into temporary files")
        with temporary_folder() as temporary:
            return EncodedCorpus(temporary, encoder.write(temporary, split), linked=linked)
    with lock:
        waited = lock_file(lock, waiting=f"training pairs: waiting for another process that writes {entry}")
        if waited is not None:  # this process has the lock, so a half-written file is from a process that was killed
            for part in entry.glob(".*.part"):
                part.unlink(missing_ok=True)
        # Another process may have made it between the first look and the lock.
        corpus = _open_corpus(entry, identity) if waited or not existed else None
        if corpus is None:
            dropped = encoder.write(entry, split)
            names = sorted(path.name for path in entry.glob("*.npy"))
            about = {"identity": identity, "dropped": dropped, "checksums": _checksums(entry, names)}
            kept = write_entry(entry / ABOUT, json.dumps(about).encode(), "training pairs")
            corpus = EncodedCorpus(entry, dropped, linked=linked)
            logger.info(f"training pairs: {len(corpus):,} encoded" + (f", kept in {entry}" if kept else ""))
        Path(lock.name).unlink(missing_ok=True)
    return corpus


def _why(dropped: Counter[str], filters: Filters) -> str:
    """Return the reason why all pairs were dropped, with advice."""
    total = dropped.total()
    if set(dropped) == {"empty"}:
        return f"{total:,} of {total:,} are empty on one side); check that the lines of both files belong together"
    remedy = "raise these limits" + " or use fewer filters" * bool(filters.defects)
    return f"{counted(total, 'pair')}: {counts(dropped)}; {filters.settings()}); {remedy}"


def _open_corpus(folder: Path, identity: Mapping[str, Any]) -> EncodedCorpus | None:
    """Return the corpus in `folder`, or None if it is missing, damaged (which is logged), or a different corpus."""

    def parse(content: bytes) -> EncodedCorpus:
        about = json.loads(content)
        try:
            if about["identity"] != identity or about["checksums"] != _checksums(folder, about["checksums"]):
                raise ValueError("wrong content")
            return EncodedCorpus(folder, about["dropped"], linked="links" in identity)
        except OSError as error:  # a file is missing
            raise ValueError from error

    return read_entry(folder / ABOUT, "training pairs", parse)


def _checksums(folder: Path, names: Iterable[str]) -> dict[str, int]:
    return {name: zlib.crc32(np.memmap(folder / name, np.uint8, "r").data) for name in names}


@dataclass(frozen=True)
class _Encoder:
    """Encodes the pairs that the filters keep."""

    tokenizer: Tokenizer
    filters: Filters
    types: IdTypes

    def write(self, folder: Path, split: Split) -> Counter[str]:
        """Write the files of a corpus to `folder`; return the number of dropped pairs, by reason.

        If files cannot be locked, two processes may write at once. Each then replaces a file by an equal file.
        """
        kept, dropped = 0, Counter[str]()
        with writing_corpus(folder, self.types, replacing) as writer, PassProgress("encoding", len(split)) as progress:
            for pairs, left_out in self._chunks(split, progress):
                writer.add(pairs)
                kept += len(pairs)
                dropped += left_out
            if not kept:
                raise UserError(f"data: every training pair was dropped ({_why(dropped, self.filters)}")
        return dropped

    def _chunks(self, pairs: Iterable[SentencePair], progress: PassProgress) -> Iterator[Chunk]:
        """Yield the chunks in order. Threads encode them in parallel, because SentencePiece releases the GIL."""
        threads = usable_cores()
        rest = iter(pairs)
        pending: deque[Future[Chunk]] = deque()
        with ThreadPoolExecutor(threads) as pool:
            while texts := list(itertools.islice(rest, CHUNK_PAIRS)):
                found = self.filters.found(progress.done, texts)
                sound = [pair for pair, name in zip(texts, found, strict=True) if not name]
                pending.append(pool.submit(self._chunk, sound, Counter(filter(None, found))))
                progress.advance(len(texts))
                if len(pending) > 2 * threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()

    def _chunk(self, texts: Sequence[SentencePair], dropped: Counter[str]) -> Chunk:
        """Encode pairs and apply the limits. `dropped` counts those that other filters have left out before."""
        pairs = encode(texts, self.tokenizer, linked=self.types.positions is not None)
        reasons = self.filters.reasons(*lengths_of(pairs))
        keep = reasons == ""
        return list(itertools.compress(pairs, keep)), dropped + Counter(reasons[~keep].tolist())
