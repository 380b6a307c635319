"""Samples of a corpus that is too large to be looked at completely."""

from __future__ import annotations

import itertools
from dataclasses import dataclass

from nmt.data.filters.base import CorpusContext
from nmt.data.pair import SentencePair, Split
from nmt.data.progress import PassProgress

BLOCK = 100  # neighbouring pairs of a sample


@dataclass(frozen=True)
class SampledContext(CorpusContext):
    """The context of pairs that may be a sample: one of every `stride` blocks of neighbouring pairs."""

    stride: int = 1


def line_of(index: int, pair: SentencePair, stride: int) -> str:
    """Return the place of the pair with this index of a sample: "line 7", or "pair 7" if it is not from a file."""
    block, rest = divmod(index, BLOCK)
    return f"pair {block * stride * BLOCK + rest + 1:,}" if pair.line is None else f"line {pair.line:,}"


def sample(split: Split, stride: int) -> Split:
    """Return the first of every `stride` blocks of a split. The pairs of a block are neighbours in the split.

    The sample is in memory: several defects read it, and each pass over a large file takes long.
    """
    chosen: list[SentencePair] = []
    with PassProgress("reading a sample", len(split)) as progress:
        rest = iter(split)
        for number in itertools.count():
            if not (block := list(itertools.islice(rest, BLOCK))):
                break
            chosen += [] if number % stride else block
            progress.advance(len(block))
    return Split(chosen, len(chosen), split.digest)
