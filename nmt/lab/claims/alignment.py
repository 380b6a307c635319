"""Attention shows which word a word was translated from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from nmt.data.pair import SentencePair
from nmt.data.word_links import Gold, Links, parse_pair
from nmt.errors import UserError
from nmt.lab.alignment import eflomal
from nmt.lab.alignment.alignment import Agreement, Aligner, Panel, agreement
from nmt.lab.claims.claim import (
    MARGIN,
    NO_ATTENTION,
    Claim,
    Contrast,
    Curves,
    Lines,
    PerSeed,
    Runs,
    accuracies,
    corpus_of,
    minus,
)
from nmt.lab.claims.models import EXACT, ORDER
from nmt.lab.compare.runs import FinishedRun
from nmt.translation.loading import load_translator

DIAGONAL, STATISTICAL = "diagonal", "eflomal"


class Alignment(Claim):
    """The alignment error rate of attention, beside that of the diagonal and of a statistical aligner."""

    name = "alignment"
    seeds: ClassVar[int] = 10

    def missing(self) -> str | None:
        try:
            eflomal.find()
        except UserError:
            return "the statistical aligner eflomal: pip install 'nmt-attention-lab[eflomal]'"
        return None

    def systems(self) -> Mapping[str, Sequence[str]]:
        return {name: (*ORDER, *model) for name, model in EXACT.items() if name != NO_ATTENTION}

    def measure(self, runs: Runs) -> Curves:
        first = next(iter(runs.values()))[0]
        splits = corpus_of(first, ("train", "test"))
        pairs = list(splits["test"])
        golds = [_gold(pair) for pair in pairs]
        rates: dict[str, PerSeed] = {
            name: tuple(_error_rate(_by_attention(run, pairs), golds) for run in each) for name, each in runs.items()
        }
        seeds = len(next(iter(rates.values())))
        rates[DIAGONAL] = (_error_rate([_diagonal(pair) for pair in pairs], golds),) * seeds
        more = [(pair.source, pair.target) for pair in splits["train"]]
        rates[STATISTICAL] = tuple(_error_rate(_by_statistics(pairs, more), golds) for _ in range(seeds))
        return Curves(
            self.text("aligner"),
            self.text("error_rate"),
            {"alignment error rate": rates},
            joined=False,
            more={name: accuracies(each) for name, each in runs.items()},
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        (rates,) = lines.values()
        return tuple(
            Contrast(
                self.text("lower", other=self.text(other), system=name),
                minus(rates[other], rates[name]),
                margin=MARGIN,
                easy=(more[name],),
            )
            for other in (DIAGONAL, STATISTICAL)
            for name in rates
            if name not in (DIAGONAL, STATISTICAL)
        )


def _gold(pair: SentencePair) -> Gold:
    assert pair.alignment is not None
    return parse_pair(pair.alignment, pair, pair.source)


def _by_attention(run: FinishedRun, pairs: Sequence[SentencePair]) -> list[Links]:
    aligner = Aligner(translator=load_translator(run.folder, device="cpu"))
    found = aligner.align(pairs, [pair.source for pair in pairs], Panel())
    return [links[Panel()] for links in found]


def _by_statistics(pairs: Sequence[SentencePair], more: Sequence[tuple[str, str]]) -> list[Links]:
    """Return the source word of each target word, as attention gives it: one direction of the statistical aligner."""
    forward, _ = eflomal.align([(pair.source, pair.target) for pair in pairs], more)
    return list(forward)


def _diagonal(pair: SentencePair) -> Links:
    sources, targets = len(pair.source.split()), len(pair.target.split())
    return {(j * sources // targets, j) for j in range(targets)}


def _error_rate(links: Sequence[Links], golds: Sequence[Gold]) -> float:
    total = sum((agreement(each, gold) for each, gold in zip(links, golds, strict=True)), Agreement())
    return 100 * total.error_rate
