"""Word alignments of given sentence pairs by the attention of a model, and how they agree with those made by people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor

from nmt.data.pair import SentencePair
from nmt.data.word_links import Gold, Links
from nmt.errors import UserError
from nmt.lab.alignment.alignment import Agreement, Panel, agreement, both_units, links_of, panels, turned
from nmt.translation.translator import Translator


@dataclass(frozen=True, kw_only=True)
class Aligner:
    """Aligns sentence pairs by the cross attention with which a model predicts the given target.

    `words`, `threshold` and `shifted` are explained by `nmt.lab.alignment.alignment.links_of` and `units`. A
    `backwards` model translates targets into sources.
    """

    translator: Translator
    words: bool = True
    threshold: float | None = None
    shifted: bool = False
    backwards: bool = False

    def align(
        self, pairs: Sequence[SentencePair], places: Sequence[str], chosen: Panel, *, ranked: bool = False
    ) -> list[dict[Panel, Links]]:
        """Return the links of each pair by the `chosen` weights; if `ranked`, also by all others of `panels`.

        A pair with an empty side has no links. `places` name the pairs in messages. Raises UserError for a model
        without cross attention, for a layer or head that it does not have, and for a pair that is too long for it.
        """
        if not self.translator.model.decoder.attends:
            raise UserError("ckpt: this model has no attention from target to source, so it aligns nothing")
        sides = [(pair.target, pair.source) if self.backwards else (pair.source, pair.target) for pair in pairs]
        filled = [number for number, side in enumerate(sides) if all(text.strip() for text in side)]
        sources, targets = [sides[n][0] for n in filled], [sides[n][1] for n in filled]
        forced = self.translator.score(sources, targets, places=[places[n] for n in filled])
        found: list[dict[Panel, Links]] = [{chosen: set()} for _ in pairs]
        for number, each in zip(filled, self.translator.attention_maps(forced), strict=True):
            assert each.cross is not None
            units = both_units(each, words=self.words, where=places[number])
            taken = [chosen, *(panels(*each.cross.shape[:2]) if ranked else ())]
            found[number] = {panel: self._links(panel.of(each.cross), units) for panel in dict.fromkeys(taken)}
        return found

    def _links(self, weights: Tensor, units: tuple[Sequence[int], Sequence[int]]) -> Links:
        links = links_of(weights, units, threshold=self.threshold, shifted=self.shifted)
        return turned(links) if self.backwards else links


def add_all(totals: dict[str, Agreement], links: Mapping[str, Links], gold: Gold) -> None:
    """Add to `totals` how each of the links of one sentence pair agrees with those made by people."""
    for name, each in links.items():
        totals[name] = totals.get(name, Agreement()) + agreement(each, gold)
