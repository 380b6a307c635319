"""How far the log-probabilities of a translation say whether it is good, which its chrF decides.

Fits and thresholds come from every second translation, beginning with the first, and are measured on the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from nmt.translation.translation import Translation

FEWEST, FEWEST_KEPT, GROUPS = 100, 50, 10  # translations; those that a threshold keeps; groups of a diagram
WISHED = (0.05, 0.1, 0.2)  # shares of bad translations
Array = NDArray[Any]  # of each translation, (N,): a signal, or whether it is good


def confidence(translations: Sequence[Translation], chrf: Sequence[float], good_from: float) -> dict[str, Any] | None:
    """Return what the mean and the lowest log P of a token say about translations with this chrF, as plain values.

    `good` are those with a chrF of `good_from` (0 to 100) or more; those of empty sources do not count. The result is
    None for fewer than `FEWEST`, and if all are good, or none, or all have the same signal.
    """
    pairs = [(each, score) for each, score in zip(translations, chrf, strict=True) if each.tokens]
    rows = [(np.mean(each.token_log_probs), min(each.token_log_probs), score) for each, score in pairs]
    mean, lowest, scores = np.array(rows).reshape(-1, 3).T
    good, unsure = scores >= good_from, np.array(["unsure" in each.doubts for each, _ in pairs], dtype=bool)
    flagged = {"sentences": int(unsure.sum()), "bad": int((unsure & ~good).sum())}
    if len(good) < FEWEST or any(each.min() == each.max() for each in (good, mean, lowest)):
        return None
    return {
        **{"good_from": good_from, "sentences": len(good), "good": int(good.sum()), "measured_on": len(good) // 2},
        "mean_log_prob": _worth(mean, good, scores),
        "lowest_log_prob": _worth(lowest, good, scores),
        "thresholds": [_kept(mean, good, wished) for wished in WISHED],
        "unsure": {"below": pairs[0][0].unsure_below, **flagged},
    }


def isotonic(signal: Array, good: Array) -> list[tuple[float, float]]:
    """Return the chance of a good translation as rising steps (signal, chance from it on) of least squared error."""
    starts, places, counts = np.unique(signal, return_inverse=True, return_counts=True)
    blocks: list[tuple[float, float, int]] = []
    for start, found, count in zip(starts.tolist(), np.bincount(places, good).tolist(), counts.tolist(), strict=True):
        while blocks and blocks[-1][1] * count >= found * blocks[-1][2]:  # pool adjacent violators
            start, found, count = (blocks[-1][0], found + blocks[-1][1], count + blocks.pop()[2])
        blocks.append((start, found, count))
    return [(start, found / count) for start, found, count in blocks]


def _ranks(values: Array) -> Array:  # from 1; equal numbers have the mean of their ranks
    _, places, counts = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((counts.cumsum() - (counts - 1) / 2)[places])


def _worth(signal: Array, good: Array, scores: Array) -> dict[str, Any]:
    ranks, steps, shown = _ranks(signal), isotonic(signal[::2], good[::2]), signal[1::2]
    area = float((ranks[good].mean() - (good.sum() + 1) / 2) / (~good).sum())  # the share of pairs in the right order
    starts, rising = np.array(steps).T
    predicted = rising[np.maximum(starts.searchsorted(shown, "right") - 1, 0)]
    parts = np.array_split(shown.argsort(kind="stable"), GROUPS)
    columns = {"signal": shown, "predicted": predicted, "measured": good[1::2]}
    groups = {name: [float(each[part].mean()) for part in parts] for name, each in columns.items()}
    groups["sentences"] = [len(part) for part in parts]
    return {"auc": area, "spearman": float(np.corrcoef(ranks, _ranks(scores))[0, 1]), "steps": steps, "groups": groups}


def _kept(signal: Array, good: Array, wished: float) -> dict[str, Any]:
    falling, kept = (-signal[::2]).argsort(kind="stable"), np.arange(1, len(signal[::2]) + 1)
    ordered, bad = signal[::2][falling], (~good[::2][falling]).cumsum()
    found = ordered[(np.diff(ordered, append=-np.inf) < 0) & (kept >= FEWEST_KEPT) & (bad <= wished * kept)]
    at = float(np.floor(1000 * found[-1]) / 1000) if len(found) else None  # rounded as it is shown
    above = signal[1::2] >= (np.inf if at is None else at)
    return {"wished": wished, "threshold": at, "kept": int(above.sum()), "bad": int((above & ~good[1::2]).sum())}
