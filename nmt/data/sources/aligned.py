"""Any source, with the word alignments of files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import zip_longest
from pathlib import Path

from nmt.data.pair import SentencePair
from nmt.data.sources.base import Pairs, Source
from nmt.data.sources.files import read_lines
from nmt.data.word_links import links_of_pair
from nmt.errors import UserError, counted


class Aligned(Source):
    """The pairs of `source`; line N of the file of a split is the alignment of pair N.

    `files` maps splits to files in the Pharaoh format (gzipped if the name ends in .gz). These alignments replace those
    of the source.
    """

    def __init__(self, source: Source, files: Mapping[str, Path]) -> None:
        self.source = source
        self.files = files

    def splits(self) -> Mapping[str, Pairs]:
        """Return the splits of the source. A file is read when its pairs are read.

        Iterating raises UserError for a line that is not an alignment of its pair, and for a file with a different
        number of lines. Reading train also raises it for a file of a split that does not exist.
        """
        return _Splits(self.source.splits(), self.files)

    def origin(self, split: str) -> str:
        return self.source.origin(split)


class _Splits(Mapping[str, Pairs]):
    """The entries of `splits`, with the alignments of `files`. As in `splits`, an entry may be made when it is read."""

    def __init__(self, splits: Mapping[str, Pairs], files: Mapping[str, Path]) -> None:
        self._splits = splits
        self._files = files

    def __getitem__(self, split: str) -> Pairs:
        pairs = self._splits[split]
        for other, path in self._files.items() if split == "train" else ():
            if other not in self._splits:
                raise UserError(
                    f"data.{other}_alignment: got {path}, but there is no {other} split of its own (pairs held out of "
                    "train keep their alignments); leave it out"
                )
        return _AlignedPairs(pairs, self._files[split], split) if split in self._files else pairs

    def __iter__(self) -> Iterator[str]:
        return iter(self._splits)

    def __len__(self) -> int:
        return len(self._splits)


class _AlignedPairs(Pairs):
    """`pairs` with the alignments in the lines of `path`. The links are checked in the first complete pass only."""

    def __init__(self, pairs: Pairs, path: Path, split: str) -> None:
        self._pairs = pairs
        self._path = path
        self._split = split
        self._checked = False

    def __iter__(self) -> Iterator[SentencePair]:
        rest = zip_longest(self._pairs, read_lines(self._path))
        for number, (pair, line) in enumerate(rest, 1):
            if pair is None or line is None:
                longest = number + sum(1 for _ in rest)
                pairs, lines = (number - 1, longest) if pair is None else (longest, number - 1)
                raise UserError(
                    f"data.{self._split}_alignment: {self._path} has {counted(lines, 'line')} but there are "
                    f"{counted(pairs, 'pair')}; it must have one line for each pair"
                )
            aligned = SentencePair(pair.source, pair.target, pair.line, line)
            if not self._checked:
                links_of_pair(aligned, f"{self._path}:{number}")
            yield aligned
        self._checked = True
