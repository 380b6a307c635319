"""How detached a translation is from its source: its attention, compared with that of other translations.

Guerreiro et al. 2023, "Optimal Transport for Unsupervised Hallucination Detection in Neural Machine Translation",
arXiv:2212.09631. They take the last layer, while here, as in the tables of attend.py, it is the mean of all layers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from nmt.attention_map import AttentionMap
from nmt.errors import UserError, counted
from nmt.lab.attention.view import attention_maps
from nmt.translation.translation import Translation
from nmt.translation.translator import Translator

MOST, FEWEST = 1_000, 100  # held-out translations
NEAREST = 4  # of them, which the distance is the mean of
WINDOW = 0.1  # of the length of a translation: the compared ones are less than this share longer or shorter
EXTREME = 0.999  # the share of the held-out translations that are nearer to uniform, before Wass-to-Unif decides

PART = 100  # translations whose complete attention is in memory at once

Mass = NDArray[np.float64]


@dataclass(frozen=True)
class Detachment:
    """How far the attention of a translation is from what is usual; higher is worse.

    `wass_to_unif` is the distance from the same mass on each source token, from 0 to 1. `wass_to_data` is the distance
    from the most similar held-out translations, in tokens. `wass_combo` is `wass_to_data`, but `wass_to_unif` on the
    same scale where that is extreme. `rank` is the share of the held-out translations with a lower `wass_combo`.
    """

    wass_to_unif: float
    wass_to_data: float
    wass_combo: float
    rank: float


@dataclass(frozen=True, eq=False)
class Pattern:
    """The attention of one translation: the share `mass` (S,) on each source token, over all layers, heads and rows.

    `length` is the number of its tokens.
    """

    source: str
    length: int
    mass: Mass

    @classmethod
    def of(cls, attention: AttentionMap) -> Self:
        """Return the pattern of a map with cross attention."""
        assert attention.cross is not None
        mass: Mass = attention.cross.double().mean((0, 1, 2)).numpy()
        mass /= mass.sum()  # with local_p, the weights of a row sum to less than 1
        return cls(attention.source, len(attention.target_pieces), mass)


def patterns(translator: Translator, translations: Sequence[Translation]) -> dict[int, Pattern]:
    """Return the patterns of the translations by their place; an empty one and one of a split source have none.

    The model has attention to the source.
    """
    found: dict[int, Pattern] = {}
    for start in range(0, len(translations), PART):
        maps = attention_maps(translator, translations[start : start + PART])
        found |= {start + place: Pattern.of(each) for place, each in maps.items()}
    return found


def to_uniform(mass: Mass) -> float:
    """Return the Wasserstein distance from uniform mass, if moving from any token to any other costs 1."""
    return float(np.abs(mass - 1 / len(mass)).sum() / 2)


def wasserstein(one: Mass, others: Mass) -> Mass:
    """Return the exact distance (N,) of `one` (S,) from each of `others` (N, W), if moving by one token costs 1.

    The others are filled up with zeros at the end.
    """
    width = max(len(one), others.shape[1])
    one, others = np.pad(one, (0, width - len(one))), np.pad(others, ((0, 0), (0, width - others.shape[1])))
    distances: Mass = np.abs((one - others).cumsum(1)).sum(1)
    return distances


class HeldOut:
    """The attention of held-out translations, which others are compared with. Each source counts once.

    Raises UserError for fewer than `FEWEST`.
    """

    def __init__(self, translations: Iterable[Pattern]) -> None:
        found = list({each.source: each for each in translations}.values())
        if len(found) < FEWEST:
            raise UserError(
                f"detachment: got {counted(len(found), 'different validation sentence')} to compare translations "
                f"with, expected at least {FEWEST}"
            )
        width = max(len(each.mass) for each in found)
        self._masses = np.stack([np.pad(each.mass, (0, width - len(each.mass))) for each in found])
        self._lengths = np.array([each.length for each in found])
        self._sources = np.array([each.source for each in found])
        self._unif = np.array([to_uniform(each.mass) for each in found])
        self._data = np.array([self._to_data(each) for each in found])
        self._extreme = float(np.quantile(self._unif, EXTREME))
        self._combos = np.sort([self._combo(*pair) for pair in zip(self._unif, self._data, strict=True)])

    @classmethod
    def of(cls, translator: Translator, sources: Sequence[str]) -> Self:
        """Return the attention of the model's translations of the first `MOST` sources, by its own search.

        Raises UserError for a model without attention to the source, and if there are too few.
        """
        if not translator.model.decoder.attends:
            raise UserError("detachment: this model has no attention to the source; leave detachment= out")
        return cls(patterns(translator, translator.translate(sources[:MOST])).values())

    def __len__(self) -> int:
        return len(self._unif)

    def compare(self, translation: Pattern) -> Detachment:
        """Return the scores of a translation. A held-out translation of the same source does not count."""
        unif, data = to_uniform(translation.mass), self._to_data(translation)
        combo = self._combo(unif, data)
        return Detachment(unif, data, combo, float(np.searchsorted(self._combos, combo)) / len(self))

    def _to_data(self, translation: Pattern) -> float:
        """Return the mean distance from the nearest of the others of about the same length, or of all if none is."""
        others = self._sources != translation.source
        alike = others & (np.abs(self._lengths - translation.length) < WINDOW * translation.length)
        distances = wasserstein(translation.mass, self._masses[alike if alike.any() else others])
        return float(np.sort(distances)[:NEAREST].mean())

    def _combo(self, unif: float, data: float) -> float:
        """Return `data`, or `unif` if it is extreme, moved from the range of one to the range of the other."""
        if unif <= self._extreme:
            return data
        lowest, highest = self._data.min(), self._data.max()
        share = (unif - self._unif.min()) / (self._unif.max() - self._unif.min())
        return float(lowest + share * (highest - lowest))
