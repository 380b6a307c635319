"""The encoded corpus: the token ids of all training pairs in one memory-mapped file.

Layout of a file, all numbers little-endian:

    magic (8 bytes), checksum of the header's JSON (4 bytes), JSON padded with spaces: HEADER_BYTES together
    ids             uint16 or int32: the source and the target of pair 0, then of pair 1, ...; padded to 8 bytes
    offsets         int64 (pairs + 1): pair i is ids[offsets[i] : offsets[i + 1]]
    source_lengths  int32 (pairs): how many ids of pair i are its source

The header holds the digests of the text and of the tokenizer, the filters, the counts, and the checksum of the rest.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import logging
import mmap
import tempfile
import zlib
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from nmt.atomic import lock_file, replacing
from nmt.cores import usable_cores
from nmt.data.filters import Filters
from nmt.data.pair import SentencePair, Split
from nmt.data.progress import PassProgress
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.lines import digest

MAGIC, VERSION = b"NMTIDS\r\n", 1
HEADER_BYTES = 1024
UINT16_IDS = 2**16
CHUNK_PAIRS = 2_000  # encoded by one call
COPY_BYTES = 1 << 20

Encoded = tuple[list[int], list[int]]

logger = logging.getLogger(__name__)


class EncodedCorpus(Sequence[Encoded]):
    """The kept pairs of a corpus as ids: `[i]` is (source ids, target ids), each with eos at its end.

    `dropped` counts the pairs that the filters left out, by reason.
    """

    def __init__(
        self,
        ids: NDArray[Any],
        offsets: NDArray[np.int64],
        source_lengths: NDArray[np.int32],
        dropped: dict[str, int],
    ) -> None:
        self._ids = ids
        self._offsets = offsets
        self.source_lengths = source_lengths
        self.dropped = dropped

    def __len__(self) -> int:
        return len(self.source_lengths)

    def __getitem__(self, index: int) -> Encoded:  # type: ignore[override]  # no slices
        """Return (source ids, target ids) of one pair as lists."""
        row = range(len(self))[index]
        ids = self._ids[self._offsets[row] : self._offsets[row + 1]].tolist()
        length = int(self.source_lengths[row])
        return ids[:length], ids[length:]

    @property
    def target_lengths(self) -> NDArray[np.int32]:
        """The number of target ids of each pair, computed at each access."""
        lengths = np.diff(self._offsets).astype(np.int32)
        lengths -= self.source_lengths
        return lengths


def counts(dropped: Mapping[str, int]) -> str:
    """Return the numbers of dropped pairs in words: "2 empty, 1 too long"."""
    return ", ".join(f"{count:,} {reason}" for reason, count in sorted(dropped.items()))


def encode(pairs: Sequence[SentencePair], tokenizer: Tokenizer) -> list[Encoded]:
    """Return the ids of every pair; both sides end with eos."""
    sources = tokenizer.encode_source([pair.source for pair in pairs])
    targets = tokenizer.encode_target([pair.target for pair in pairs])
    return list(zip(sources, targets, strict=True))


def encode_corpus(split: Split, tokenizer: Tokenizer, filters: Filters, *, folder: Path) -> EncodedCorpus:
    """Return the pairs that pass the filters, encoded. They are read from a file in `folder`, or written to it first.

    The name of the file follows from the texts, the tokenizer and the filters. A damaged file is replaced. If `folder`
    cannot be written, the file is a temporary one. If several processes need the same file, one writes it and the
    others wait.
    Raises UserError if every pair is dropped, OSError if the disk is full.
    """
    identity = {
        "version": VERSION,
        "text": split.digest,
        "tokenizer": tokenizer.digest(),
        "filters": digest(json.dumps(filters.identity())),
        "dtype": _dtype(tokenizer).str,
    }
    name = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:24]
    path = folder / f"corpus-{name}.ids"
    existed = path.is_file()
    corpus = _open(path, identity)
    if corpus is not None:
        logger.info(f"training pairs: {len(corpus):,} encoded, from {path}")
        return corpus
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = path.with_suffix(".lock").open("ab")
    except OSError as error:
        logger.info(f"training pairs: {folder} cannot be written ({error.strerror}); encoding into a temporary file")
        # The memory map stays valid after the file is deleted.
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as temporary:
            return _make(Path(temporary) / path.name, identity, split, tokenizer, filters)
    with lock:
        waited = lock_file(lock, waiting=f"training pairs: waiting for another process that writes {path}")
        if waited is not None:  # this process has the lock, so a half-written file is from a process that was killed
            for part in folder.glob(f".{path.name}.*.part"):
                part.unlink(missing_ok=True)
        # Another process may have written the file between the first look and the lock.
        corpus = _open(path, identity) if waited or not existed else None
        if corpus is None:
            corpus = _make(path, identity, split, tokenizer, filters)
            logger.info(f"training pairs: {len(corpus):,} encoded, kept in {path}")
        Path(lock.name).unlink(missing_ok=True)
    return corpus


def _make(path: Path, identity: dict[str, Any], split: Split, tokenizer: Tokenizer, filters: Filters) -> EncodedCorpus:
    with replacing(path) as file, PassProgress("encoding", len(split)) as progress:
        kept, dropped = _write(file, identity, _encode_chunks(split, tokenizer, filters, progress))
        if not kept:
            raise UserError(f"data: every training pair was dropped ({_why(dropped, filters)}")
    return _map(path)


def _why(dropped: Counter[str], filters: Filters) -> str:
    """Return why all pairs were dropped, and what to do."""
    total = dropped.total()
    if set(dropped) == {"empty"}:
        return f"{total:,} of {total:,} are empty on one side); check that the lines of both files belong together"
    remedy = "raise these limits" + " or use fewer filters" * bool(filters.defects)
    return f"{total:,} pairs: {counts(dropped)}; {filters.settings()}); {remedy}"


# Encoding


@dataclass(frozen=True)
class _Chunk:
    """The kept pairs of one chunk: the ids of all pairs in one array, and the lengths of both sides of each pair."""

    ids: NDArray[Any]
    source_lengths: NDArray[np.int32]
    target_lengths: NDArray[np.int32]
    dropped: Counter[str]


def _dtype(tokenizer: Tokenizer) -> np.dtype[Any]:
    largest = max(tokenizer.source_vocab_size, tokenizer.target_vocab_size)
    return np.dtype("<u2" if largest <= UINT16_IDS else "<i4")


def _encode_chunks(
    pairs: Iterable[SentencePair], tokenizer: Tokenizer, filters: Filters, progress: PassProgress
) -> Iterator[_Chunk]:
    """Yield the chunks in order. Threads encode them in parallel, because SentencePiece releases the GIL."""
    threads = usable_cores()
    rest = iter(pairs)
    pending: deque[Future[_Chunk]] = deque()
    with ThreadPoolExecutor(threads) as pool:
        while texts := list(itertools.islice(rest, CHUNK_PAIRS)):
            found = filters.found(progress.done, texts)
            sound = [pair for pair, name in zip(texts, found, strict=True) if not name]
            pending.append(pool.submit(_encode_chunk, sound, tokenizer, filters, Counter(filter(None, found))))
            progress.advance(len(texts))
            if len(pending) > 2 * threads:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()


def _encode_chunk(
    texts: Sequence[SentencePair], tokenizer: Tokenizer, filters: Filters, dropped: Counter[str]
) -> _Chunk:
    """Return the pairs that the limits keep. `dropped` counts those that other filters have left out before."""
    pairs = encode(texts, tokenizer)
    lengths = np.array([(len(source), len(target)) for source, target in pairs], np.int32).reshape(-1, 2)
    reasons = filters.reasons(lengths[:, 0], lengths[:, 1])
    keep = reasons == ""
    sides = itertools.chain.from_iterable(itertools.compress(pairs, keep))
    kept = lengths[keep]
    # Python's integers are checked against the range of the type here; a cast of an array would wrap them.
    ids = np.fromiter(itertools.chain.from_iterable(sides), _dtype(tokenizer), int(kept.sum()))
    return _Chunk(ids, kept[:, 0], kept[:, 1], dropped + Counter(reasons[~keep].tolist()))


# Files


def _write(file: IO[bytes], identity: dict[str, Any], chunks: Iterable[_Chunk]) -> tuple[int, Counter[str]]:
    """Write a whole file. Return the number of its pairs, and the number of dropped pairs for each reason."""
    checksum, pairs, total = 0, 0, 0
    dropped: Counter[str] = Counter()

    def write(content: bytes) -> None:
        nonlocal checksum
        checksum = zlib.crc32(content, checksum)
        file.write(content)

    file.write(bytes(HEADER_BYTES))
    folder = Path(file.name).parent
    with tempfile.TemporaryFile(dir=folder) as offsets, tempfile.TemporaryFile(dir=folder) as source_lengths:
        offsets.write(np.zeros(1, "<i8").tobytes())
        for chunk in chunks:
            write(chunk.ids.tobytes())
            ends = np.cumsum(chunk.source_lengths + chunk.target_lengths, dtype="<i8") + total
            offsets.write(ends.tobytes())
            source_lengths.write(chunk.source_lengths.astype("<i4").tobytes())
            pairs += len(ends)
            total += len(chunk.ids)
            dropped += chunk.dropped
        write(bytes(-total * np.dtype(identity["dtype"]).itemsize % 8))
        for part in (offsets, source_lengths):
            part.seek(0)
            while content := part.read(COPY_BYTES):
                write(content)
    header = json.dumps({**identity, "pairs": pairs, "ids": total, "dropped": dropped, "checksum": checksum}).encode()
    header = header.ljust(HEADER_BYTES - 12)
    assert len(header) == HEADER_BYTES - 12
    file.seek(0)
    file.write(MAGIC + zlib.crc32(header).to_bytes(4, "little") + header)
    return pairs, dropped


def _open(path: Path, identity: dict[str, Any]) -> EncodedCorpus | None:
    """Return the corpus in the file `path`, or None if the file is missing, damaged or of another corpus."""
    try:
        with path.open("rb") as file:
            header = _read_header(file)
            checksum = 0
            while content := file.read(COPY_BYTES):
                checksum = zlib.crc32(content, checksum)
        if checksum != header["checksum"] or any(header[key] != value for key, value in identity.items()):
            raise ValueError("wrong content")
        return _map(path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        logger.info(f"training pairs: {path} cannot be read ({error.strerror}); encoding again")
    except (ValueError, KeyError):
        logger.info(f"training pairs: {path} is damaged; encoding again")
    return None


def _read_header(file: IO[bytes]) -> dict[str, Any]:
    """Return the header's JSON. Raises ValueError if the header is damaged or incomplete."""
    start = file.read(HEADER_BYTES)
    magic, checksum, content = start[:8], start[8:12], start[12:]
    if magic != MAGIC or zlib.crc32(content).to_bytes(4, "little") != checksum:
        raise ValueError("not an encoded corpus")
    header: dict[str, Any] = json.loads(content)
    return header


def _map(path: Path) -> EncodedCorpus:
    with path.open("rb") as file:
        header = _read_header(file)
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    dtype, pairs, total = np.dtype(header["dtype"]), header["pairs"], header["ids"]
    offsets_start = HEADER_BYTES + -(-total * dtype.itemsize // 8) * 8
    lengths_start = offsets_start + 8 * (pairs + 1)
    return EncodedCorpus(
        np.frombuffer(content, dtype, total, HEADER_BYTES),
        np.frombuffer(content, "<i8", pairs + 1, offsets_start),
        np.frombuffer(content, "<i4", pairs, lengths_start),
        header["dropped"],
    )
