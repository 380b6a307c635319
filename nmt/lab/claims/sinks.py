"""Attention sinks: weight that rests on the start mark, the end mark and punctuation, and a gate against them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from nmt.attention_map import AttentionMap, Kind
from nmt.lab.attention.measures import allowed, measures
from nmt.lab.claims.claim import MARGIN, Claim, Contrast, Curves, Lines, PerSeed, Runs, minus
from nmt.lab.claims.heads import SENTENCES, first_maps
from nmt.lab.claims.models import CORPUS, LANGUAGE
from nmt.translation.loading import load_translator

PLAIN, GATED, EQUAL = "plain", "gated", "equal weights"
PLACES: Mapping[str, Kind] = {"encoder": "encoder_self", "decoder to source": "cross", "decoder": "decoder_self"}


class Sinks(Claim):
    """The share of attention on marks: plain, with a gate, and with normalized queries and keys."""

    name = "sinks"
    seeds: ClassVar[int] = 10
    numbers: ClassVar[Mapping[str, object]] = {"sentences": SENTENCES}

    def systems(self) -> Mapping[str, Sequence[str]]:
        plain = (*CORPUS, *LANGUAGE["Transformer"])
        return {
            PLAIN: plain,
            GATED: (*plain, "model.encoder.block.attention_gate=true"),
            "normalized": (*plain, "model.encoder.block.qk_norm=true"),
        }

    def measure(self, runs: Runs) -> Curves:
        maps = {
            name: [first_maps(load_translator(run.folder, device="cpu"), run) for run in each]
            for name, each in runs.items()
        }
        maps[EQUAL] = [[equal(each) for each in own] for own in maps[PLAIN]]
        lines = {
            name: {place: tuple(on_marks(own, kind) for own in each) for place, kind in PLACES.items()}
            for name, each in maps.items()
        }
        return Curves(self.text("place"), self.text("share"), lines, joined=False)

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        return tuple(
            Contrast(
                self.text("less", place=self.text(place), other=self.text(other)),
                minus(lines[PLAIN][place], lines[other][place]),
                margin=MARGIN,
            )
            for place in PLACES
            for other in (EQUAL, GATED)
        )


def equal(attention: AttentionMap) -> AttentionMap:
    """Return the map with equal weights for all tokens that a row may attend to."""
    uniform = {}
    for kind in PLACES.values():
        mask = allowed(attention, kind)
        uniform[kind] = (mask / mask.sum(-1, keepdim=True)).expand_as(getattr(attention, kind))
    return replace(attention, **uniform)  # type: ignore[arg-type]


def on_marks(maps: Sequence[AttentionMap], kind: Kind) -> float:
    """Return the share of attention on the start or end mark and on punctuation in %, the mean of all heads."""
    found = measures(maps, kind)
    return 100 * float((found["special"] + found["punctuation"]).mean())
