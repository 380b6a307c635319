"""The encoded corpus: the token ids of all training pairs, and their links, in one memory-mapped file."""

from __future__ import annotations

import hashlib
import itertools
import json
import logging
import tempfile
from abc import abstractmethod
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from nmt.data.corpus_file import Chunk, Contents, LinkChunk, open_corpus, read_corpus, write_corpus
from nmt.data.filters import Filters
from nmt.data.pair import SentencePair, Split
from nmt.data.progress import PassProgress
from nmt.data.tokenizer import Tokenizer
from nmt.data.word_links import PieceLinks, links_of_pair, piece_links, words_of_pieces
from nmt.errors import UserError, counted
from nmt.system.atomic import lock_file, replacing
from nmt.system.cores import usable_cores
from nmt.system.lines import digest

VERSION = 1
UINT16_VALUES = 2**16
CHUNK_PAIRS = 2_000  # encoded by one call

logger = logging.getLogger(__name__)


class Encoded(NamedTuple):
    """The ids of a pair, each side with eos at its end, and the links between them; None in a corpus without links."""

    source: list[int]
    target: list[int]
    links: PieceLinks | None = None


class EncodedPairs(Sequence[Encoded]):
    """Encoded pairs, of which any one can be read at once, and the lengths of all of them."""

    @property
    @abstractmethod
    def source_lengths(self) -> NDArray[np.int32]:
        """The number of source ids of each pair."""

    @property
    @abstractmethod
    def target_lengths(self) -> NDArray[np.int32]:
        """The number of target ids of each pair, computed at each access."""


class EncodedCorpus(EncodedPairs):
    """The kept pairs of a corpus as ids.

    `dropped` counts the pairs that the filters left out, by reason.
    """

    def __init__(self, contents: Contents) -> None:
        self._contents = contents
        self.dropped = contents.dropped

    def __len__(self) -> int:
        return len(self._contents.source_lengths)

    def __getitem__(self, index: int) -> Encoded:  # type: ignore[override]  # no slices
        row, held = range(len(self))[index], self._contents
        ids = held.ids[held.offsets[row] : held.offsets[row + 1]].tolist()
        length = int(self.source_lengths[row])
        links = None
        if held.links is not None and held.link_offsets is not None:
            links = held.links[held.link_offsets[row] : held.link_offsets[row + 1]]
        return Encoded(ids[:length], ids[length:], links)

    @property
    def source_lengths(self) -> NDArray[np.int32]:
        """The number of source ids of each pair."""
        return self._contents.source_lengths

    @property
    def target_lengths(self) -> NDArray[np.int32]:
        """The number of target ids of each pair, computed at each access."""
        lengths = np.diff(self._contents.offsets).astype(np.int32)
        lengths -= self.source_lengths
        return lengths


def counts(dropped: Mapping[str, int]) -> str:
    """Return the numbers of dropped pairs in words: "2 empty, 1 too long"."""
    return ", ".join(f"{count:,} {reason}" for reason, count in sorted(dropped.items()))


def encode(pairs: Sequence[SentencePair], tokenizer: Tokenizer, *, linked: bool = False) -> list[Encoded]:
    """Return the ids of every pair, and if `linked` the links between them; both sides end with eos.

    The end of a sentence has no links. Raises UserError for an alignment that does not fit its pair.
    """
    sources = tokenizer.encode_source([pair.source for pair in pairs])
    targets = tokenizer.encode_target([pair.target for pair in pairs])
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
    """Return the pairs that pass the filters, encoded. They are read from a file in `folder`, or written to it first.

    If `linked`, they have links. The name of the file follows from the texts, the tokenizer, the filters and the links.
    A damaged file is replaced. If `folder` cannot be written, the file is a temporary one. If several processes need
    the same file, one writes it and the others wait.
    Raises UserError if every pair is dropped or an alignment does not fit its pair, OSError if the disk is full.
    """
    identity = {
        "version": VERSION,
        "text": split.digest,
        "tokenizer": tokenizer.digest(),
        "filters": digest(json.dumps(filters.identity())),
        **id_types(tokenizer, filters.max_length, linked=linked),
    }
    if linked:
        identity["links"] = str(split.links)
    name = hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:24]
    path = folder / f"corpus-{name}.ids"
    sizes = tokenizer.source_vocab_size, tokenizer.target_vocab_size
    existed = path.is_file()
    if (contents := open_corpus(path, identity, sizes)) is not None:
        corpus = EncodedCorpus(contents)
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
        contents = open_corpus(path, identity, sizes) if waited or not existed else None
        if contents is not None:
            corpus = EncodedCorpus(contents)
        else:
            corpus = _make(path, identity, split, tokenizer, filters)
            logger.info(f"training pairs: {len(corpus):,} encoded, kept in {path}")
        Path(lock.name).unlink(missing_ok=True)
    return corpus


def _make(path: Path, identity: dict[str, Any], split: Split, tokenizer: Tokenizer, filters: Filters) -> EncodedCorpus:
    with replacing(path) as file, PassProgress("encoding", len(split)) as progress:
        encoder = _Encoder(tokenizer, filters, identity["dtype"], identity.get("link_dtype"))
        kept, dropped = write_corpus(file, identity, encoder.chunks(split, progress))
        if not kept:
            raise UserError(f"data: every training pair was dropped ({_why(dropped, filters)}")
    return EncodedCorpus(read_corpus(path))


def _why(dropped: Counter[str], filters: Filters) -> str:
    """Return why all pairs were dropped, and what to do."""
    total = dropped.total()
    if set(dropped) == {"empty"}:
        return f"{total:,} of {total:,} are empty on one side); check that the lines of both files belong together"
    remedy = "raise these limits" + " or use fewer filters" * bool(filters.defects)
    return f"{counted(total, 'pair')}: {counts(dropped)}; {filters.settings()}); {remedy}"


# Encoding


def id_types(tokenizer: Tokenizer, max_length: int, *, linked: bool) -> dict[str, str]:
    """Return the types in which a corpus file holds ids, and if `linked` the positions of pieces."""
    ids = _dtype(max(tokenizer.source_vocab_size, tokenizer.target_vocab_size)).str
    return {"dtype": ids} | ({"link_dtype": _dtype(max_length).str} if linked else {})


def _dtype(values: int) -> np.dtype[Any]:
    """Return the type for `values` numbers, the first of which is 0."""
    return np.dtype("<u2" if values <= UINT16_VALUES else "<i4")


@dataclass(frozen=True)
class _Encoder:
    """Encodes the pairs that the filters keep. `link_dtype` is None for a corpus without links."""

    tokenizer: Tokenizer
    filters: Filters
    dtype: str
    link_dtype: str | None

    def chunks(self, pairs: Iterable[SentencePair], progress: PassProgress) -> Iterator[Chunk]:
        """Yield the chunks in order. Threads encode them in parallel, because SentencePiece releases the GIL."""
        threads = usable_cores()
        rest = iter(pairs)
        pending: deque[Future[Chunk]] = deque()
        with ThreadPoolExecutor(threads) as pool:
            while texts := list(itertools.islice(rest, CHUNK_PAIRS)):
                found = self.filters.found(progress.done, texts)
                sound = [pair for pair, name in zip(texts, found, strict=True) if not name]
                pending.append(pool.submit(self.chunk, sound, Counter(filter(None, found))))
                progress.advance(len(texts))
                if len(pending) > 2 * threads:
                    yield pending.popleft().result()
            while pending:
                yield pending.popleft().result()

    def chunk(self, texts: Sequence[SentencePair], dropped: Counter[str]) -> Chunk:
        """Return the pairs that the limits keep. `dropped` counts those that other filters have left out before."""
        pairs = encode(texts, self.tokenizer, linked=self.link_dtype is not None)
        lengths = np.array([(len(pair.source), len(pair.target)) for pair in pairs], np.int32).reshape(-1, 2)
        reasons = self.filters.reasons(lengths[:, 0], lengths[:, 1])
        keep = reasons == ""
        return make_chunk(
            list(itertools.compress(pairs, keep)),
            self.dtype,
            self.link_dtype,
            dropped + Counter(reasons[~keep].tolist()),
        )


def make_chunk(pairs: Sequence[Encoded], dtype: str, link_dtype: str | None, dropped: Counter[str]) -> Chunk:
    """Return encoded pairs as a part of a corpus file. `link_dtype` is None for a corpus without links."""
    lengths = np.array([(len(pair.source), len(pair.target)) for pair in pairs], np.int32).reshape(-1, 2)
    sides = itertools.chain.from_iterable((pair.source, pair.target) for pair in pairs)
    # Python's integers are checked against the range of the type here; a cast of an array would wrap them.
    ids = np.fromiter(itertools.chain.from_iterable(sides), dtype, int(lengths.sum()))
    links = (
        None
        if link_dtype is None
        else _link_chunk([pair.links for pair in pairs if pair.links is not None], link_dtype)
    )
    return Chunk(ids, lengths[:, 0], lengths[:, 1], dropped, links)


def _link_chunk(links: Sequence[PieceLinks], dtype: str) -> LinkChunk:
    counts = np.array([len(each) for each in links], np.int32)
    return LinkChunk(np.concatenate([np.empty((0, 2), np.int64), *links]).astype(dtype), counts)
