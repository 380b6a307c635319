"""A statistical word aligner, over pieces: IBM Model 1 with a preference for the diagonal.

Brown et al. 1993 describe the model (section 4.1), and Dyer et al. 2013 the preference (fast_align, equation 1). It
learns from the pairs themselves, in both directions.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

ROUNDS, DIAGONAL = 5, 4.0  # of expectation and maximization; how much a link far from the diagonal is disliked

Ids = Sequence[int]
Floats = NDArray[np.float32]
Whole = NDArray[np.integer]


class Aligner:
    """Finds which pieces of a sentence pair translate each other, after it has learned from `pairs`."""

    def __init__(self, pairs: Iterable[tuple[Ids, Ids]]) -> None:
        """Take pairs of ids, without eos and without empty sides. Each possible link takes 40 bytes of memory."""
        keys, priors, rows, columns = [], [], [], []
        row = column = 0
        for source, target in pairs:
            keys.append(_keys(source, target).ravel())
            priors.append(_prior(len(source), len(target)).ravel())
            rows.append(np.repeat(np.arange(row, row + len(target), dtype=np.int32), len(source)))
            columns.append(np.tile(np.arange(column, column + len(source), dtype=np.int32), len(target)))
            row, column = row + len(target), column + len(source)
        self._keys, place = np.unique(np.concatenate(keys), return_inverse=True)
        prior = np.concatenate(priors)
        sources, targets = self._keys >> 32, self._keys & 0xFFFFFFFF
        self._given_source = _learned(place.astype(np.int32), prior, np.concatenate(rows), sources)
        self._given_target = _learned(place.astype(np.int32), prior, np.concatenate(columns), targets)

    def links(self, source: Ids, target: Ids) -> tuple[list[int], list[int]]:
        """Return for each target piece the position of the source piece that it translates, and the reverse."""
        keys = _keys(source, target)
        # Ascending keys are found in half the time.
        rows, columns = np.argsort(target), np.argsort(source)
        place = np.empty(keys.shape, np.int64)
        place[np.ix_(rows, columns)] = np.searchsorted(self._keys, keys[np.ix_(rows, columns)].T).T
        place = place.clip(max=len(self._keys) - 1)
        prior = np.where(self._keys[place] == keys, _prior(len(source), len(target)), 0.0)
        # A pair of pieces that it has never seen is possible too, but less than all others.
        prior = prior + 1e-9 * _prior(len(source), len(target))
        forward, backward = self._given_source[place] * prior, self._given_target[place] * prior
        return forward.argmax(1).tolist(), backward.argmax(0).tolist()


def _keys(source: Ids, target: Ids) -> Whole:
    """Return a number (T, S) for each pair of a target piece and a source piece."""
    return np.array(target, np.int64)[:, None] | (np.array(source, np.int64) << 32)


def _prior(source: int, target: int) -> Floats:
    """Return for each place of the target (T) and of the source (S) how well they fit: (T, S)."""
    heights = np.arange(target, dtype=np.float32)[:, None] / target
    return np.exp(-DIAGONAL * np.abs(np.arange(source, dtype=np.float32) / source - heights))


def _learned(place: Whole, prior: Floats, token: Whole, given: Whole) -> Floats:
    """Return the probability of each pair of pieces, given the piece `given`.

    A possible link belongs to the pair at its `place`, and to the `token` whose translation is asked for.
    """
    pieces, given = np.unique(given, return_inverse=True)
    table = np.ones(len(given), np.float32)
    for _ in range(ROUNDS):
        shares = table[place] * prior
        shares /= np.bincount(token, shares).astype(np.float32)[token]
        counts = np.bincount(place, shares, len(given))
        table = (counts / np.bincount(given, counts, len(pieces))[given]).astype(np.float32)
    return table
