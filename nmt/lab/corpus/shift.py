"""Stretches of a corpus in which the sources are beside the targets of other lines.

A line that is lost or added in one of two files shifts all later lines against their translations. Two things show
whether source i belongs to target i, or to target i + d for d from -3 to 3:

- Long sentences have long translations. Let x and y be the logarithms of both lengths, less their mean in the lines
  around (so that an order by length counts for nothing) and in standard deviations. Let r be their correlation in true
  pairs. If they are normal, the log-likelihood ratio of "x[i] belongs to y[i + d]" against "x[i] belongs to y[i]" is
  r / (1 - r²) · x[i] · (y[i + d] - y[i]), but for terms that cancel in the sum over lines.
- Numbers and names are copied. A token of source i that only one of the targets i - 3 to i + 3 has votes for the place
  of this target. If a share q of the votes is for the true place and the others are spread evenly over the 6 wrong
  ones, the log-likelihood ratio of a vote is log(6q / (1 - q)).

r and q are learned from the corpus, at the place that fits best in each window. The sum of the ratios over a stretch
says how much more likely a shift is there. As in a CUSUM test (Page 1954, "Continuous inspection schemes"), an
allowance is subtracted from each line, and the stretch with the highest sum is a shift if the sum is above a threshold.
"""

from __future__ import annotations

import itertools
import math
import re
from array import array
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from nmt.data.filters import CorpusContext, Filter, Finder
from nmt.data.pair import SentencePair
from nmt.lab.corpus.report import place_of

Floats = NDArray[np.float32]

FARTHEST = 3
PLACES = range(-FARTHEST, FARTHEST + 1)
THRESHOLD = 60.0  # nats; the highest sum of a good corpus was 22, of 37,192 lines
MOST_OF_A_LINE = 4.0  # nats that one line adds or takes: a few odd lines are no shift
FEWEST_LINES = int(THRESHOLD / MOST_OF_A_LINE)
ALLOWANCE = 0.25  # of the average sum that a line of a shifted stretch adds, by r and q
AROUND = 101  # lines of a moving mean
WINDOW = 500  # lines in which r and q are learned
HIGHEST_R, HIGHEST_Q = 0.9, 0.98  # for corpora in which both sides are nearly the same

# Upper case of Latin letters without and with accents, then letters and digits
_COPIED = re.compile(r"\d+|[A-ZÀ-Þ][A-Za-zÀ-ɏ0-9]{2,}")


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
            notes.append(f"from {first} to {last}, the target of each source is {lines} {unit} {side}")
            numbers[stretch.start : stretch.end] = number
        return lambda index, pair: notes[int(numbers[index])]


@dataclass(frozen=True)
class Stretch:
    """Pairs from `start` to before `end`, counted from 0. Each source belongs to the target `offset` lines later."""

    start: int
    end: int
    offset: int


def find_shifts(pairs: Iterable[SentencePair]) -> list[Stretch]:
    """Return the shifted stretches of a corpus in their order. The pairs are read once."""
    x, y, votes = _read(pairs)
    return list(_stretches(_ratios(x, y, votes), 0, len(x))) if len(x) > FEWEST_LINES else []


def _stretches(ratios: Sequence[Floats], start: int, end: int) -> Iterator[Stretch]:
    """Yield the shifted stretches of these lines: before the most certain stretch, this stretch, and after it."""
    if end - start <= FEWEST_LINES:
        return
    sums = ((*_highest_sum(each[start:end]), place) for place, each in zip(PLACES, ratios, strict=True) if place)
    highest, first, last, offset = max(sums)
    if highest <= THRESHOLD:
        return
    # The line whose partner was lost is wrong too: it is before a negative offset, and after a positive offset.
    found = Stretch(max(start, start + first + min(offset, 0)), min(end, start + last + max(offset, 0)), offset)
    yield from _stretches(ratios, start, found.start)
    yield found
    yield from _stretches(ratios, found.end, end)


def _highest_sum(values: Floats) -> tuple[float, int, int]:
    """Return the highest sum of consecutive values, the index of the first, and the index after the last."""
    sums = np.concatenate([[0.0], np.cumsum(values, dtype=np.float64)])
    rises = sums - np.minimum.accumulate(sums)
    end = int(np.argmax(rises))
    return float(rises[end]), int(np.argmin(sums[: end + 1])), end


def _ratios(x: Floats, y: Floats, votes: NDArray[np.int8]) -> list[Floats]:
    """Return for each place the addition of each line to the sum, from both lengths and the votes (places, lines)."""
    windows = max(1, len(x) // WINDOW)
    halves = np.linspace(0, len(x), 2 * windows + 1).astype(np.int64)
    correlations = np.stack([np.add.reduceat(x * _moved(y, place), halves[:-1]) for place in PLACES]) / np.diff(halves)
    counts = np.add.reduceat(votes, halves[:-1], axis=1, dtype=np.int64)
    # The place comes from the first half of each window, and r and q come from the second half: the highest of seven
    # correlations is above 0 by chance, but then not in both halves.
    best = np.argmax(correlations + counts / np.maximum(1, counts.sum(axis=0)), axis=0)[None, ::2]
    r = float(np.clip(np.take_along_axis(correlations[:, 1::2], best, axis=0).mean(), 0, HIGHEST_R))
    true, total = np.take_along_axis(counts[:, 1::2], best, axis=0).sum(), counts[:, 1::2].sum()
    q = min(HIGHEST_Q, float(true + 1) / float(total + len(PLACES)))  # as if each place had one more vote
    weight = max(0.0, math.log((len(PLACES) - 1) * q / (1 - q)))
    scores = [r / (1 - r * r) * x * _moved(y, place) + weight * each for place, each in zip(PLACES, votes, strict=True)]
    chosen = np.choose(np.repeat(best[0], np.diff(halves[::2])), scores)
    gain = np.mean([np.mean(_limited(chosen - each)) for each in scores]) * len(PLACES) / (len(PLACES) - 1)
    allowance = np.float32(max(0.0, ALLOWANCE * gain))
    return [_limited(each - scores[FARTHEST]) - allowance for each in scores]


def _limited(values: Floats) -> Floats:
    return np.clip(values, -MOST_OF_A_LINE, MOST_OF_A_LINE)


def _moved(values: Floats, offset: int) -> Floats:
    """Return `values` with `values[i + offset]` at place i, and 0 where there is none."""
    moved = np.zeros_like(values)
    if offset >= 0:
        moved[: len(values) - offset] = values[offset:]
    else:
        moved[-offset:] = values[:offset]
    return moved


def _read(pairs: Iterable[SentencePair]) -> tuple[Floats, Floats, NDArray[np.int8]]:
    """Return both lengths of each pair, standardized, and its votes for each place."""
    sources, targets, votes = array("i"), array("i"), array("b")
    no_votes = [0] * len(PLACES)
    nothing: tuple[set[str], set[str]] = (set(), set())
    near = deque([nothing] * FARTHEST, maxlen=len(PLACES))  # tokens to copy in both sides of the lines around
    for line, pair in enumerate(itertools.chain(pairs, [None] * FARTHEST), -FARTHEST):
        if pair is None:
            near.append(nothing)
        else:
            sources.append(len(pair.source))
            targets.append(len(pair.target))
            near.append((set(_COPIED.findall(pair.source)), set(_COPIED.findall(pair.target))))
        if line >= 0:
            votes.extend(_votes(near) if near[FARTHEST][0] else no_votes)
    by_place = np.array(votes, np.int8).reshape(-1, len(PLACES)).T
    return _standardized(sources), _standardized(targets), by_place


def _votes(near: Sequence[tuple[set[str], set[str]]]) -> list[int]:
    """Return the number of tokens of the source in the middle that only the target at each place has."""
    counts = [0] * len(PLACES)
    for token in near[FARTHEST][0]:
        having = [place for place, (_, copied) in enumerate(near) if token in copied]
        if len(having) == 1:
            counts[having[0]] = min(counts[having[0]] + 1, 100)
    return counts


def _standardized(lengths: array[int]) -> Floats:
    """Return the logarithms of lengths, less the mean of the lines around, in standard deviations; at most 3."""
    values = np.log1p(np.array(lengths, np.float64))
    sums, lines = np.concatenate([[0.0], np.cumsum(values)]), np.arange(len(values))
    first, end = np.maximum(lines - AROUND // 2, 0), np.minimum(lines + AROUND // 2 + 1, len(values))
    values -= (sums[end] - sums[first]) / (end - first)
    return np.clip(values / (values.std() or 1.0), -3, 3).astype(np.float32)
