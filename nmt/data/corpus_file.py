"""The file of an encoded corpus, which is written as a stream and read as a memory map.

Its layout, all numbers little-endian; the parts in brackets exist only in a corpus with links:

    magic (8 bytes), checksum of the header's JSON (4 bytes), JSON padded with spaces: HEADER_BYTES together
    ids             uint16 or int32: the source and the target of pair 0, then of pair 1, ...; padded to 8 bytes
    offsets         int64 (pairs + 1): pair i is ids[offsets[i] : offsets[i + 1]]
    [link_offsets]  int64 (pairs + 1): the links of pair i are links[link_offsets[i] : link_offsets[i + 1]]
    source_lengths  int32 (pairs): how many ids of pair i are its source
    [links]         uint16 or int32 (links, 2): the position of a target piece, and of a source piece

The header holds the digests of the texts, of the tokenizer and of the links, the filters, the counts, and the checksum
of the rest.
"""

from __future__ import annotations

import json
import logging
import mmap
import tempfile
import zlib
from collections import Counter
from collections.abc import Iterable
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

MAGIC = b"NMTIDS\r\n"
HEADER_BYTES = 1024
COPY_BYTES = 1 << 20
CHECKED_PAIRS = 100_000  # checked at once: their arrays take a few megabytes

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class LinkChunk:
    """The links (links, 2) of all pairs of a chunk, and the number of links of each pair."""

    links: NDArray[np.integer]
    counts: NDArray[np.int32]


@dataclass(frozen=True)
class Chunk:
    """The kept pairs of one chunk: the ids of all pairs in one array, the lengths of both sides, and the links."""

    ids: NDArray[Any]
    source_lengths: NDArray[np.int32]
    target_lengths: NDArray[np.int32]
    dropped: Counter[str]
    links: LinkChunk | None = None


@dataclass(frozen=True)
class Contents:
    """The arrays of a file; `dropped` counts the pairs that are not in it, by reason."""

    ids: NDArray[Any]
    offsets: NDArray[np.int64]
    source_lengths: NDArray[np.int32]
    dropped: dict[str, int]
    links: NDArray[np.integer] | None
    link_offsets: NDArray[np.int64] | None


def write_corpus(file: IO[bytes], identity: dict[str, Any], chunks: Iterable[Chunk]) -> tuple[int, Counter[str]]:
    """Write a whole file. Return the number of its pairs, and the number of dropped pairs for each reason.

    `identity` has at least the type of the ids (`dtype`), and that of the links if the chunks have them (`link_dtype`).
    """
    checksum, pairs, total, all_links = 0, 0, 0, 0
    dropped: Counter[str] = Counter()

    def write(content: bytes) -> None:
        nonlocal checksum
        checksum = zlib.crc32(content, checksum)
        file.write(content)

    file.write(bytes(HEADER_BYTES))
    folder = Path(file.name).parent
    with ExitStack() as stack:
        parts = [stack.enter_context(tempfile.TemporaryFile(dir=folder)) for _ in range(4)]
        offsets, link_offsets, source_lengths, links = parts
        offsets.write(_ends([0], 0))
        link_offsets.write(_ends([0], 0) if "link_dtype" in identity else b"")
        for chunk in chunks:
            write(chunk.ids.tobytes())
            offsets.write(_ends(chunk.source_lengths + chunk.target_lengths, total))
            source_lengths.write(chunk.source_lengths.astype("<i4").tobytes())
            if chunk.links is not None:
                links.write(chunk.links.links.tobytes())
                link_offsets.write(_ends(chunk.links.counts, all_links))
                all_links += len(chunk.links.links)
            pairs += len(chunk.source_lengths)
            total += len(chunk.ids)
            dropped += chunk.dropped
        write(bytes(-total * np.dtype(identity["dtype"]).itemsize % 8))
        for part in parts:
            part.seek(0)
            while content := part.read(COPY_BYTES):
                write(content)
    counts = {"pairs": pairs, "ids": total} | ({"all_links": all_links} if "link_dtype" in identity else {})
    header = json.dumps({**identity, **counts, "dropped": dropped, "checksum": checksum}).encode()
    header = header.ljust(HEADER_BYTES - 12)
    assert len(header) == HEADER_BYTES - 12
    file.seek(0)
    file.write(MAGIC + zlib.crc32(header).to_bytes(4, "little") + header)
    return pairs, dropped


def _ends(lengths: NDArray[np.int32] | list[int], start: int) -> bytes:
    """Return where consecutive parts of these lengths end if the first one begins at `start`."""
    return (np.cumsum(lengths, dtype="<i8") + start).tobytes()


def open_corpus(path: Path, identity: dict[str, Any], vocab_sizes: tuple[int, int]) -> Contents | None:
    """Return the contents of the file `path`, or None if the file is missing, damaged or of another corpus.

    A file whose checksums are right but that no program wrote is damaged too: its numbers must fit together, and its
    ids must be smaller than the `vocab_sizes` of source and target. The last two cases are logged.
    """
    try:
        with path.open("rb") as file:
            header = _read_header(file)
            checksum = 0
            while content := file.read(COPY_BYTES):
                checksum = zlib.crc32(content, checksum)
        if checksum != header["checksum"] or any(header[key] != value for key, value in identity.items()):
            raise ValueError("wrong content")
        contents = read_corpus(path)
        _check(contents, vocab_sizes)
        return contents
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        logger.info(f"training pairs: {path} cannot be read ({error.strerror}); encoding again")
    except (ValueError, LookupError, TypeError, AttributeError, ArithmeticError, RecursionError):
        logger.info(f"training pairs: {path} is damaged; encoding again")
    return None


def _check(held: Contents, vocab_sizes: tuple[int, int]) -> None:
    """Raise ValueError unless every pair has two sides, ids of the vocabularies, and links between its pieces."""
    pairs, counts = len(held.source_lengths), held.dropped.values()
    if not pairs or held.offsets[0] or held.offsets[-1] != len(held.ids) or not all(type(n) is int for n in counts):
        raise ValueError("no pairs, or ids without a pair")
    if held.links is not None and held.link_offsets is not None and held.link_offsets[-1] != len(held.links):
        raise ValueError("links without a pair")
    for first in range(0, pairs, CHECKED_PAIRS):
        rows = slice(first, first + CHECKED_PAIRS)
        offsets, source = held.offsets[first : first + CHECKED_PAIRS + 1], held.source_lengths[rows]
        target = np.diff(offsets) - source
        if source.min() < 1 or target.min() < 1:
            raise ValueError("an empty side")
        ids = held.ids[offsets[0] : offsets[-1]]
        starts = np.stack([offsets[:-1], offsets[:-1] + source], axis=1).reshape(-1) - offsets[0]
        if ids.min() < 0 or (np.maximum.reduceat(ids, starts).reshape(-1, 2) >= vocab_sizes).any():
            raise ValueError("an id outside the vocabulary")
        if held.links is not None and held.link_offsets is not None:
            link_offsets = held.link_offsets[first : first + CHECKED_PAIRS + 1]
            links = held.links[link_offsets[0] : link_offsets[-1]]
            ends = np.stack([target, source], axis=1).repeat(np.diff(link_offsets), axis=0)
            if links.min(initial=0) < 0 or (links >= ends).any():
                raise ValueError("a link outside its pair")


def _read_header(file: IO[bytes]) -> dict[str, Any]:
    """Return the header's JSON. Raises ValueError if the header is damaged or incomplete."""
    start = file.read(HEADER_BYTES)
    magic, checksum, content = start[:8], start[8:12], start[12:]
    if magic != MAGIC or zlib.crc32(content).to_bytes(4, "little") != checksum:
        raise ValueError("not an encoded corpus")
    header: dict[str, Any] = json.loads(content)
    return header


def read_corpus(path: Path) -> Contents:
    """Return the contents of a file that `write_corpus` has just written."""
    with path.open("rb") as file:
        header = _read_header(file)
        content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    place = HEADER_BYTES

    def take(dtype: str, count: int) -> NDArray[Any]:
        nonlocal place
        found = np.frombuffer(content, dtype, count, place)
        place += found.nbytes
        return found

    pairs, linked = header["pairs"], "link_dtype" in header
    ids = take(header["dtype"], header["ids"])
    place += -place % 8
    offsets = take("<i8", pairs + 1)
    link_offsets = take("<i8", pairs + 1) if linked else None
    source_lengths = take("<i4", pairs)
    links = take(header["link_dtype"], 2 * header["all_links"]).reshape(-1, 2) if linked else None
    return Contents(ids, offsets, source_lengths, header["dropped"], links, link_offsets)
