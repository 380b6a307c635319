"""Stretches of a corpus in which the sources are beside the targets of other lines.

A line that is lost or added in one of two files shifts all later lines against their translations. Long sentences have
long translations, so the lengths of sources and targets are correlated. In each window of lines, this correlation is
computed with the targets of the same lines, and with those of some lines before and after. Where the files are shifted,
the correlation is highest with other lines. Lengths are logarithms minus their mean in the lines around, so that a
corpus that is sorted by length looks like any other.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nmt.data.filters import CorpusContext, Filter, Finder
from nmt.data.pair import SentencePair
from nmt.lab.corpus.report import place_of

Floats = NDArray[np.float64]

FARTHEST = 3  # targets are looked for up to this many lines before and after their source
WINDOW = 100  # lines
MARGIN = 0.5  # how much higher the correlation of a shift is; in good corpora, it was at most 0.02 higher
AROUND = 101  # lines of a moving mean


class Shifted(Filter):
    """The pair is in a stretch of lines whose sources belong to the targets of other lines."""

    explanation = "is in a part of the corpus where each source belongs to the target of a line before or after its own"

    def finder(self, context: CorpusContext) -> Finder:
        """Return the finder; its note begins with the first and the last line of the stretch."""
        pairs, notes, numbers = context.pairs, [""], np.zeros(len(context.pairs), np.uint16)
        stretches = find_shifts(pairs)
        wanted = {place for stretch in stretches for place in (stretch.start, stretch.end - 1)}
        ends = {place: pair for place, pair in enumerate(pairs if wanted else ()) if place in wanted}
        for number, stretch in enumerate(stretches, 1):
            first, last = (place_of(place, ends[place]) for place in (stretch.start, stretch.end - 1))
            lines, side = abs(stretch.offset), "later" if stretch.offset > 0 else "earlier"
            unit = "line" if lines == 1 else "lines"
            notes.append(f"from about {first} to {last}, the target of each source is {lines} {unit} {side}")
            numbers[stretch.start : stretch.end] = number
        return lambda index, pair: notes[int(numbers[index])]


@dataclass(frozen=True)
class Stretch:
    """Pairs from `start` to before `end`, counted from 0. Each source belongs to the target `offset` lines later."""

    start: int
    end: int
    offset: int


def find_shifts(pairs: Iterable[SentencePair]) -> list[Stretch]:
    """Return the shifted stretches of a corpus in their order, in whole windows. The pairs are read once."""
    sources, targets = array("i"), array("i")
    for pair in pairs:
        sources.append(len(pair.source))
        targets.append(len(pair.target))
    x, y = _centred(sources), _centred(targets)
    found: list[Stretch] = []
    starts = range(0, len(x) - WINDOW + 1, WINDOW)
    for start in starts:
        end = len(x) if start == starts[-1] else start + WINDOW
        offset = _offset(x, y, start, end)
        if offset and found and found[-1].offset == offset and start - found[-1].end <= WINDOW:
            found[-1] = Stretch(found[-1].start, end, offset)
        elif offset:
            found.append(Stretch(start, end, offset))
    return found


def _offset(x: Floats, y: Floats, start: int, end: int) -> int:
    """Return how many lines later the targets of these lines are; 0 if no other place is much better."""
    scores = {}
    for offset in range(-FARTHEST, FARTHEST + 1):
        first, last = max(start, -offset), min(end, len(x) - offset)
        one, other = x[first:last], y[first + offset : last + offset]
        size = np.sqrt((one @ one) * (other @ other))
        scores[offset] = float(one @ other / size) if size else 0.0
    best = max(scores, key=lambda offset: scores[offset])
    return best if scores[best] > scores[0] + MARGIN else 0


def _centred(lengths: array[int]) -> Floats:
    """Return the logarithms of lengths, minus their mean in the lines around."""
    values = np.log1p(np.array(lengths, np.float64))
    sums, lines = np.concatenate([[0.0], np.cumsum(values)]), np.arange(len(values))
    first, end = np.maximum(lines - AROUND // 2, 0), np.minimum(lines + AROUND // 2 + 1, len(values))
    centred: Floats = values - (sums[end] - sums[first]) / (end - first)
    return centred
