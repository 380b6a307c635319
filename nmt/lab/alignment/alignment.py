"""Word alignments: read from attention weights, symmetrized, and compared with alignments made by people."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from itertools import chain
from operator import add

from torch import Tensor

from nmt.data.pair import SentencePair
from nmt.data.word_links import Gold, Link, Links, require_plain
from nmt.errors import UserError
from nmt.search.base import Hypothesis
from nmt.text.protect import Segment
from nmt.tokens import WORD_MARK, Piece
from nmt.translation.translation import Translation
from nmt.translation.translator import Translator

# The number of the word, or of the piece, that each piece of a sentence belongs to; None if it belongs to no word.
Units = Sequence[int | None]

END = "</s>"
PART = 64  # sentences whose complete attention is in memory at a time


# Links from weights


@dataclass(frozen=True)
class Panel:
    """The weights of a layer and a head, counted from 1, to align by. None is the mean of all layers or heads."""

    layer: int | None = None
    head: int | None = None

    def __str__(self) -> str:
        sides = (("layer", self.layer), ("head", self.head))
        taken = [f"{name} {number}" for name, number in sides if number is not None]
        means = [f"{name}s" for name, number in sides if number is None]
        return (
            ", ".join(taken + ([f"mean of {' and '.join(means)}"] if means else [])) if taken else "mean of all heads"
        )

    def of(self, weights: Tensor) -> Tensor:
        """Return the weights (T, S) of this panel, from all (L, H, T, S). Raises UserError if there is none."""
        for name, number, count in (("layer", self.layer, len(weights)), ("head", self.head, weights.shape[1])):
            if number is not None and not 1 <= number <= count:
                raise UserError(f"{name}: got {number}, but this model has {count}; expected 1 to {count}, or null")
        if self.layer is not None:
            weights = weights[self.layer - 1 : self.layer]
        if self.head is not None:
            weights = weights[:, self.head - 1 : self.head]
        return weights.mean((0, 1))


def panels(layers: int, heads: int) -> list[Panel]:
    """Return every head, the mean of each layer's heads, and the mean of all; only the last if there is one head."""
    if (layers, heads) == (1, 1):
        return [Panel()]
    single = [Panel(layer, head) for layer in range(1, layers + 1) for head in range(1, heads + 1)] if heads > 1 else []
    return [*single, *(Panel(layer) for layer in range(1, layers + 1) if layers > 1), Panel()]


def links_of(weights: Tensor, units: tuple[Units, Units], *, threshold: float | None, shifted: bool) -> set[Link]:
    """Return the links of one sentence pair by weights (T, S) between its pieces.

    Each target piece is linked to the source piece with the highest weight; with a `threshold`, to all source pieces
    with at least this weight. Two words are linked if any of their pieces are (Zenkel et al. 2019, arXiv:1901.11359).
    The end of the sentence and pieces of no word are never linked, so a target piece that looks only at the end has no
    link. `units` are the units of the source and of the target.

    Row t of the weights belongs to the step that predicts target piece t. With `shifted`, piece t is aligned by the
    next row, of the step that reads it (Chen et al. 2020, arXiv:2004.14675, section 3.1).
    """
    source, target = ({place: unit for place, unit in enumerate(each) if unit is not None} for each in units)
    if not source or not target:
        return set()
    cells = (weights[1:] if shifted else weights)[[*target]][:, [*source]]
    sources, targets = [*source.values()], [*target.values()]
    if threshold is None:
        highest, places = cells.max(-1)
        return {(sources[s], targets[t]) for t, s in enumerate(places.tolist()) if highest[t] > 0}
    return {(sources[s], targets[t]) for t, s in (cells >= threshold).nonzero().tolist()}


def units(pieces: Sequence[Piece], text: str, *, words: bool, where: str) -> Units:
    """Return the unit of each piece of a sentence, without its end. The tag of a target language has no unit.

    The units are the pieces themselves, or with `words` the words of `text`, separated by white space. A span with
    white space is one piece, which belongs to the last of its words. Raises UserError for a text with "▁", which pieces
    use for the space; the message begins with `where`.
    """
    pieces = pieces[:-1] if pieces and pieces[-1].label == END else pieces
    own = [piece.label.lower() for piece in pieces if not piece.is_outside]
    if words:
        require_plain(text, where)
    numbers = _words(own, text.strip().lower()) if words else iter(range(len(own)))
    return [None if piece.is_outside else next(numbers) for piece in pieces]


def _words(labels: Sequence[str], text: str) -> Iterator[int]:
    """Yield the number of the word that each piece belongs to.

    Both are in small letters, in which a model reads a text in capitals. The white space of the text decides, because
    `Segment.read` moves the space before a start tag behind it. If a piece is not written as in the text, "▁" decides
    from there on. This is so for characters that training lacked.
    """
    word, end, spelled = -1, 0, True
    begins = True  # whether the next characters begin a word
    for label in labels:
        plain = label.removeprefix(WORD_MARK)
        start = len(text) - len(text[end:].lstrip())
        spelled = spelled and text.startswith(plain, start)
        begins = begins or (start > end if spelled else label.startswith(WORD_MARK))
        if plain:
            word += begins + max(0, len(label.split()) - 1)
            begins, end = False, start + len(plain)
        yield word + begins


# Symmetrization


def grow_diag_final_and(forward: Links, backward: Links) -> set[Link]:
    """Return the alignment that grows from the intersection of two (Koehn et al. 2005, as in Moses).

    grow-diag: a link of the union joins if it is beside a link, diagonally or not, and one of its two words has no link
    yet; again and again, until none joins. final-and: a link of `forward`, then of `backward`, joins if neither of its
    words has a link yet. Links are visited by their target word, then by their source word.
    """
    union = forward | backward
    found = set(forward & backward)
    sources, targets = {i for i, _ in found}, {j for _, j in found}

    def add(link: Link) -> None:
        found.add(link)
        sources.add(link[0])
        targets.add(link[1])

    growing = True
    while growing:
        growing = False
        for link in sorted(union, key=_by_target):
            if link not in found:
                continue
            for near in _neighbours(link):
                if near in union and near not in found and (near[0] not in sources or near[1] not in targets):
                    add(near)
                    growing = True
    for side in (forward, backward):
        for link in sorted(side, key=_by_target):
            if link[0] not in sources and link[1] not in targets:
                add(link)
    return found


def _by_target(link: Link) -> Link:
    return link[1], link[0]


def _neighbours(link: Link) -> Iterator[Link]:
    for down, across in ((-1, 0), (0, -1), (1, 0), (0, 1), (-1, -1), (-1, 1), (1, -1), (1, 1)):
        yield link[0] + across, link[1] + down


SYMMETRIZERS: Mapping[str, Callable[[Links, Links], Links]] = {
    "grow-diag-final-and": grow_diag_final_and,
    "intersection": lambda forward, backward: forward & backward,
    "union": lambda forward, backward: forward | backward,
}


def turned(links: Collection[Link]) -> set[Link]:
    """Return the links with source and target exchanged."""
    return {(j, i) for i, j in links}


# Agreement


@dataclass(frozen=True)
class Agreement:
    """The agreement of links with links made by people, as counts over a corpus: |A|, |S|, |A ∩ S| and |A ∩ P|.

    A are the links, S the sure links made by people, and P the sure and possible ones (Och and Ney 2003, "A Systematic
    Comparison of Various Statistical Alignment Models", section 5.1).
    """

    links: int = 0
    sure: int = 0
    in_sure: int = 0
    in_possible: int = 0

    def __add__(self, other: Agreement) -> Agreement:
        return Agreement(*map(add, astuple(self), astuple(other)))

    @property
    def precision(self) -> float:
        """|A ∩ P| / |A|; 0 without links."""
        return self.in_possible / self.links if self.links else 0.0

    @property
    def recall(self) -> float:
        """|A ∩ S| / |S|; 0 without sure links."""
        return self.in_sure / self.sure if self.sure else 0.0

    @property
    def error_rate(self) -> float:
        """The alignment error rate, 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|); 1 if there are no links at all."""
        both = self.links + self.sure
        return 1 - (self.in_sure + self.in_possible) / both if both else 1.0


def agreement(links: Links, gold: Gold) -> Agreement:
    """Return the agreement of the links of one sentence pair with links made by people."""
    return Agreement(len(links), len(gold.sure), len(links & gold.sure), len(links & gold.possible))


# Links of given sentence pairs by a model


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
        """Return the links of each pair by the `chosen` weights; if `ranked`, also by all other panels.

        A pair with an empty side has no links. `places` name the pairs in messages. Raises UserError for a model
        without cross attention, for a layer or head that it does not have, and for a pair that is too long for it.
        """
        if not self.translator.model.decoder.attends:
            raise UserError("ckpt: this model has no attention from target to source, so it aligns nothing")
        sides = [(pair.target, pair.source) if self.backwards else (pair.source, pair.target) for pair in pairs]
        filled = [number for number, side in enumerate(sides) if all(text.strip() for text in side)]
        sources, targets = [sides[n][0] for n in filled], [sides[n][1] for n in filled]
        encoded = self.translator.encode_pairs(sources, targets, places=[places[n] for n in filled])
        tokenizer = self.translator.tokenizer  # log P, which takes longer than the weights, is not needed
        forced = [Translation(p.source, Segment((p.target,)), Hypothesis(p.ids, [], 0.0), tokenizer) for p in encoded]
        found: list[dict[Panel, Links]] = [{chosen: set()} for _ in pairs]
        parts = (forced[start : start + PART] for start in range(0, len(forced), PART))
        for number, each in zip(filled, chain.from_iterable(map(self.translator.attention_maps, parts)), strict=True):
            assert each.cross is not None
            texts = ((each.source_pieces, each.source), (each.target_pieces, each.target))
            source, target = (units(*side, words=self.words, where=places[number]) for side in texts)
            taken = [chosen, *(panels(*each.cross.shape[:2]) if ranked else ())]
            found[number] = {
                panel: self._links(panel.of(each.cross), (source, target)) for panel in dict.fromkeys(taken)
            }
        return found

    def _links(self, weights: Tensor, units: tuple[Units, Units]) -> Links:
        links = links_of(weights, units, threshold=self.threshold, shifted=self.shifted)
        return turned(links) if self.backwards else links


def add_all(totals: dict[str, Agreement], links: Mapping[str, Links], gold: Gold) -> None:
    """Add to `totals` the agreement of each set of links of one sentence pair with links made by people."""
    for name, each in links.items():
        totals[name] = totals.get(name, Agreement()) + agreement(each, gold)
