"""The encoded corpus: the token ids of all training pairs, and their links, in memory-mapped NumPy files.

A corpus is a folder of the cache with these files:

    ids.npy           uint16 or int32: the source and the target of pair 0, then of pair 1, ...
    offsets.npy       int64 (2 * pairs + 1): side i, counted over all pairs, is ids[offsets[i] : offsets[i + 1]]
    links.npy         uint16 or int32 (links, 2), if linked: the position of a target piece, and of a source piece
    link_offsets.npy  int64 (pairs + 1), if linked: the links of pair i are links[link_offsets[i] : link_offsets[i + 1]]
    corpus.json       written last: what the pairs depend on, the counts of dropped pairs, a checksum of each file
"""

from __future__ import annotations

import itertools
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import numpy as np
from numpy.lib.format import write_array_header_1_0
from numpy.typing import NDArray

from nmt.data.tokenizer import Tokenizer
from nmt.data.word_links import PieceLinks

UINT16_VALUES = 2**16

Lengths = NDArray[np.int32]


class Encoded(NamedTuple):
    """The ids of a pair, each side with eos at its end, and the links between them; None in a corpus without links."""

    source: list[int]
    target: list[int]
    links: PieceLinks | None = None


class EncodedPairs(Sequence[Encoded]):
    """Encoded pairs with random access, and the lengths of all pairs."""

    @property
    @abstractmethod
    def lengths(self) -> tuple[Lengths, Lengths]:
        """The number of source ids and of target ids of each pair; it may be computed at each access."""

    def same_direction(self, place: int) -> range:
        """Return the places of the pairs that translate in the direction of this one."""
        return range(len(self))


def lengths_of(pairs: Sequence[Encoded]) -> tuple[Lengths, Lengths]:
    """Return the number of source ids and of target ids of each pair."""
    if isinstance(pairs, EncodedPairs):
        return pairs.lengths
    lengths = np.array([(len(pair.source), len(pair.target)) for pair in pairs], np.int32).reshape(-1, 2)
    return lengths[:, 0], lengths[:, 1]


class EncodedCorpus(EncodedPairs):
    """The kept pairs of a corpus as ids, in memory-mapped files. Their folder may be deleted afterwards.

    `dropped` counts the pairs that the filters left out, by reason.
    """

    def __init__(self, folder: Path, dropped: Mapping[str, int], *, linked: bool) -> None:
        self._ids, self._offsets = _mapped(folder / "ids.npy"), _mapped(folder / "offsets.npy")
        self._links = _mapped(folder / "links.npy") if linked else None
        self._link_offsets = _mapped(folder / "link_offsets.npy") if linked else None
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
        return self._lengths(0), self._lengths(1)

    def _lengths(self, side: int) -> Lengths:
        lengths = np.empty(len(self), np.int32)  # NumPy's default would be int64
        np.subtract(self._offsets[side + 1 :: 2], self._offsets[side:-1:2], out=lengths, casting="unsafe")
        return lengths


class Mixture(EncodedPairs):
    """Pairs of several corpora: those of `rows[0]` from the first corpus, then those of `rows[1]` from the second..."""

    def __init__(self, corpora: Sequence[EncodedPairs], rows: Sequence[NDArray[np.int64]]) -> None:
        self._corpora = corpora
        self._rows = np.concatenate(rows)
        self._ends = np.cumsum([len(each) for each in rows])
        chosen = [[side[each] for side in corpus.lengths] for corpus, each in zip(corpora, rows, strict=True)]
        sources, targets = zip(*chosen, strict=True)
        self._lengths = np.concatenate(sources), np.concatenate(targets)

    @property
    def lengths(self) -> tuple[Lengths, Lengths]:
        return self._lengths

    def __len__(self) -> int:
        return len(self._rows)

    def __getitem__(self, index: int) -> Encoded:  # type: ignore[override]  # no slices
        place = range(len(self))[index]
        return self._corpora[int(np.searchsorted(self._ends, place, side="right"))][int(self._rows[place])]


def _mapped(path: Path) -> NDArray[Any]:
    return np.asarray(np.load(path, mmap_mode="r"))  # a plain array, because slices of np.memmap are slow


# Files


class IdTypes(NamedTuple):
    """The type of the ids in a file, and that of the positions in links; None for a corpus without links."""

    ids: str
    positions: str | None

    @classmethod
    def of(cls, tokenizer: Tokenizer, max_length: int, *, linked: bool) -> IdTypes:
        """Return the smallest types for the ids of `tokenizer`, and for positions in texts of `max_length` pieces."""
        vocab_size = max(tokenizer.source_vocab_size, tokenizer.target_vocab_size)
        ids, positions = ("<u2" if values <= UINT16_VALUES else "<i4" for values in (vocab_size, max_length))
        return cls(ids, positions if linked else None)


class _Array:
    """An array in a .npy file that grows at its end."""

    def __init__(self, file: IO[bytes], dtype: str, *row: int) -> None:
        self._file, self._row = file, row
        self.dtype, self.length = dtype, 0
        self._write_header()

    def append(self, rows: NDArray[Any]) -> None:
        """Write rows at the end."""
        self._file.write(rows.astype(self.dtype, copy=False).tobytes())
        self.length += len(rows)

    def close(self) -> None:
        """Write the final shape; NumPy leaves room for it in the header."""
        self._file.seek(0)
        self._write_header()

    def _write_header(self) -> None:
        shape = self.length, *self._row
        write_array_header_1_0(self._file, {"descr": self.dtype, "fortran_order": False, "shape": shape})


class CorpusWriter:
    """Writes encoded pairs as a stream to the files of a corpus; `open_file` opens each."""

    def __init__(self, types: IdTypes, open_file: Callable[[str], IO[bytes]]) -> None:
        def array(name: str, dtype: str, *row: int) -> _Array:
            return _Array(open_file(f"{name}.npy"), dtype, *row)

        self._ids, self._offsets = array("ids", types.ids), array("offsets", "<i8")
        self._offsets.append(np.zeros(1))
        self._arrays = [self._ids, self._offsets]
        if types.positions is not None:
            self._links, self._link_offsets = array("links", types.positions, 2), array("link_offsets", "<i8")
            self._link_offsets.append(np.zeros(1))
            self._arrays += [self._links, self._link_offsets]

    def add(self, pairs: Sequence[Encoded]) -> None:
        """Write pairs, which have links if the corpus has them. Raises OverflowError for an id outside its type."""
        sides = list(itertools.chain.from_iterable((pair.source, pair.target) for pair in pairs))
        lengths = np.fromiter(map(len, sides), np.int64, len(sides))
        self._offsets.append(self._ids.length + lengths.cumsum())
        # NumPy checks the range of Python's integers; a cast of an array would wrap them.
        self._ids.append(np.fromiter(itertools.chain.from_iterable(sides), self._ids.dtype, int(lengths.sum())))
        links = [pair.links for pair in pairs if pair.links is not None]
        if links:
            self._link_offsets.append(self._links.length + np.cumsum([len(each) for each in links]))
            self._links.append(np.concatenate(links))

    def close(self) -> None:
        """Complete the files, which the caller closes."""
        for array in self._arrays:
            array.close()


@contextmanager
def writing_corpus(
    folder: Path, types: IdTypes, open_file: Callable[[Path], AbstractContextManager[IO[bytes]]]
) -> Iterator[CorpusWriter]:
    """Yield a writer of the files in `folder`. They are complete at the end of the block."""
    with ExitStack() as stack:
        writer = CorpusWriter(types, lambda name: stack.enter_context(open_file(folder / name)))
        yield writer
        writer.close()
