"""What each attention head of a model does: its figures, its role, and the score that the model loses without it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

from nmt.attention_map import AttentionMap
from nmt.data.pair import SentencePair
from nmt.data.tokenizer import Tokenizer
from nmt.lab.attention.measures import measures
from nmt.lab.heads.figure import KINDS, Cell
from nmt.lab.heads.importance import Head, Importance
from nmt.lab.heads.roles import role, roles

COUNTED_PAIRS = 100_000  # of the training, for the frequencies of pieces


@dataclass(frozen=True)
class Profile:
    """What a head does: its `role` or None, its shares of each role, its figures, and the `lost` score or None."""

    head: Head
    role: str | None
    shares: Mapping[str, float]
    measures: Mapping[str, float]
    lost: float | None
    p_value: float | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        plain = asdict(self)
        return {**plain.pop("head"), **plain}

    def cell(self) -> Cell:
        """Return what the picture shows: the lost score, or the share of the role where that was not measured."""
        best = max(self.shares, key=lambda name: self.shares[name], default=None)
        share = 0.0 if best is None else self.shares[best]
        value = share if self.lost is None else self.lost
        number = f"{100 * share:.0f} %" if self.lost is None else f"{self.lost:+.1f}"
        text = "\n".join(filter(None, (self.role, number)))
        return Cell(self.head.kind, self.head.layer, self.head.head, text, value)


def profiles(
    maps: Sequence[AttentionMap],
    frequencies: Mapping[str, Mapping[str, int]] | None,
    scores: Mapping[Head, Importance],
) -> list[Profile]:
    """Return the profile of every head, by kind, layer and number.

    `frequencies` are those of source and target pieces, or None; see `nmt.lab.heads.roles`. `scores` are those without
    each head, empty if they were not measured. The maps are those of one model, at least one.
    """
    found = []
    for kind in (kind for kind in KINDS if kind in maps[0].kinds):
        side = "target" if kind == "decoder_self" else "source"
        shares = roles(maps, kind, None if frequencies is None else frequencies[side])
        figures = measures(maps, kind)
        layers, heads = getattr(maps[0], kind).shape[:2]
        for layer in range(layers):
            for number in range(heads):
                head = Head(kind, layer + 1, number + 1)
                own = {name: float(values[layer, number]) for name, values in shares.items()}
                without = scores.get(head)
                found.append(
                    Profile(
                        head,
                        role(own),
                        own,
                        {name: float(values[layer, number]) for name, values in figures.items()},
                        None if without is None else without.lost,
                        None if without is None else without.p_value,
                    )
                )
    return found


def count_pieces(pairs: Iterable[SentencePair], tokenizer: Tokenizer) -> dict[str, Counter[str]]:
    """Return how often each piece occurs in the first 100,000 pairs, as "source" and "target"."""
    counts: dict[str, Counter[str]] = {"source": Counter(), "target": Counter()}
    for pair in islice(pairs, COUNTED_PAIRS):
        (source,), (target,) = tokenizer.encode_source([pair.source]), tokenizer.encode_target([pair.target])
        counts["source"].update(piece.label for piece in tokenizer.source_pieces(source))
        counts["target"].update(piece.label for piece in tokenizer.target_pieces(target))
    return counts
