"""Heads take roles, few of them matter, and much of their weight rests on marks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import ClassVar

import torch
from torch import Tensor

from nmt.attention_map import AttentionMap, Kind
from nmt.evaluation.metrics.bleu import BLEU
from nmt.lab.attention.measures import allowed, measures
from nmt.lab.claims.claim import (
    MARGIN,
    Claim,
    Contrast,
    Curves,
    Lines,
    PerSeed,
    Runs,
    accuracies,
    corpus_of,
    minus,
    named,
)
from nmt.lab.claims.models import CORPUS, EXACT, LANGUAGE, budget, untrained
from nmt.lab.compare.runs import FinishedRun
from nmt.lab.heads.heads import count_pieces
from nmt.lab.heads.importance import importance
from nmt.lab.heads.roles import ROLES, roles
from nmt.lab.tasks.coreference import ANIMALS, OF_ANIMALS, PLACES
from nmt.translation.loading import load_translator
from nmt.translation.translator import Translator

SENTENCES = 200
PREDICTED = ("previous", "next", "rare")  # the roles that the paper names
SYSTEM = "Transformer"
BEFORE, AFTER = "before training", "after training"
PLAIN, GATED, EQUAL = "plain", "gated", "equal weights"
WHERE: Mapping[str, Kind] = {"encoder": "encoder_self", "decoder to source": "cross", "decoder": "decoder_self"}


class HeadRoles(Claim):
    """The share of rows in which an encoder head looks at a certain token, before and after training."""

    name = "head_roles"
    seeds: ClassVar[int] = 10
    numbers: ClassVar[Mapping[str, object]] = {"sentences": SENTENCES}

    def systems(self) -> Mapping[str, Sequence[str]]:
        return {SYSTEM: (*CORPUS, *LANGUAGE["Transformer"])}

    def measure(self, runs: Runs) -> Curves:
        training = corpus_of(runs[SYSTEM][0], ("train",))["train"]
        lines: dict[str, dict[str, list[float]]] = {name: {role: [] for role in ROLES} for name in (BEFORE, AFTER)}
        for run in runs[SYSTEM]:
            models = before_and_after(run)
            counts = count_pieces(training, models[AFTER].tokenizer)["source"]
            for when, translator in models.items():
                shares = roles(first_maps(translator, run), "encoder_self", counts)
                for role in ROLES:
                    lines[when][role].append(100 * float(shares[role].max()))
        return Curves(
            self.text("token"),
            self.text("rows"),
            {name: {role: tuple(values) for role, values in line.items()} for name, line in lines.items()},
            joined=False,
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        return tuple(
            Contrast(self.text("more", role=self.text(role)), minus(lines[AFTER][role], lines[BEFORE][role]))
            for role in PREDICTED
        )


class HeadImportance(Claim):
    """The BLEU that a model loses without one of its heads."""

    name = "head_importance"
    seeds: ClassVar[int] = 10
    numbers: ClassVar[Mapping[str, object]] = {"sentences": SENTENCES}

    def systems(self) -> Mapping[str, Sequence[str]]:
        return {SYSTEM: (*CORPUS, *LANGUAGE["Transformer"])}

    def measure(self, runs: Runs) -> Curves:
        lost = [_lost_without_each(run) for run in runs[SYSTEM]]
        ranks = {rank: tuple(each[rank - 1] for each in lost) for rank in range(1, len(lost[0]) + 1)}
        return Curves(self.text("heads"), self.text("lost"), named({SYSTEM: ranks}))

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        lost = zip(*lines[SYSTEM].values(), strict=True)  # of each run, by head
        idle = tuple(100 * fmean(loss <= 1 for loss in each) for each in lost)
        return (Contrast(self.text("idle"), tuple(share - 50 for share in idle)),)


class CoreferenceHead(Claim):
    """Where the encoder's heads look from "it"."""

    name = "coreference_head"
    seeds: ClassVar[int] = 10

    def systems(self) -> Mapping[str, Sequence[str]]:
        task = ("data=coreference", "data.max_distance=2", "data.sizes=[20000,300,1000]")
        return {SYSTEM: (*task, *budget(1000), *EXACT[SYSTEM])}

    def measure(self, runs: Runs) -> Curves:
        places = {
            "encoder": tuple(_preference(run, cross=False) for run in runs[SYSTEM]),
            "decoder": tuple(_preference(run, cross=True) for run in runs[SYSTEM]),
        }
        return Curves(
            self.text("attention"),
            self.text("difference"),
            {"best head": places},
            joined=False,
            more={SYSTEM: accuracies(runs[SYSTEM])},
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        (places,) = lines.values()
        return tuple(
            Contrast(self.text("preferred", place=self.text(place)), values, easy=(more[SYSTEM],))
            for place, values in places.items()
        )


class Sinks(Claim):
    """The share of attention on marks: plain, and with a gate."""

    name = "sinks"
    seeds: ClassVar[int] = 10
    numbers: ClassVar[Mapping[str, object]] = {"sentences": SENTENCES}

    def systems(self) -> Mapping[str, Sequence[str]]:
        plain = (*CORPUS, *LANGUAGE["Transformer"])
        return {PLAIN: plain, GATED: (*plain, "model.encoder.block.attention_gate=true")}

    def measure(self, runs: Runs) -> Curves:
        maps = {
            name: [first_maps(load_translator(run.folder, device="cpu"), run) for run in each]
            for name, each in runs.items()
        }
        maps[EQUAL] = [[equal(each) for each in own] for own in maps[PLAIN]]
        lines = {
            name: {place: tuple(on_marks(own, kind) for own in each) for place, kind in WHERE.items()}
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
            for place in WHERE
            for other in (EQUAL, GATED)
        )


def before_and_after(run: FinishedRun) -> dict[str, Translator]:
    """Return the model before training, with the same settings and random weights, and after it."""
    trained = load_translator(run.folder, device="cpu")
    model = untrained(run.config["model"], trained.tokenizer.source_vocab_size, run.seed)
    return {BEFORE: Translator(model, trained.tokenizer, trained.search), AFTER: trained}


def first_maps(translator: Translator, run: FinishedRun) -> list[AttentionMap]:
    """Return the maps of the first test sentences with their references."""
    test = run.test_set
    return translator.attention_maps(translator.score(test.sources[:SENTENCES], test.references[:SENTENCES]))


def of_best_head(values: Sequence[Tensor]) -> float:
    """Return the mean of a head's values (L, H), one for each sentence.

    The head is the one with the highest mean on the first half of the sentences, and it is measured on the other half.
    """
    chosen, measured = (half.double().mean(0).flatten() for half in torch.stack(list(values)).chunk(2))
    return float(measured[chosen.argmax()])


def _lost_without_each(run: FinishedRun) -> list[float]:
    """Return the BLEU lost without each head, the largest first."""
    translator = load_translator(run.folder, device="cpu")
    sources, references = run.test_set.sources[:SENTENCES], run.test_set.references[:SENTENCES]
    found = importance(translator, sources, references, run.hypotheses[:SENTENCES], BLEU())
    return sorted(found.values(), reverse=True)


def _preference(run: FinishedRun, *, cross: bool) -> float:
    """Return the difference of the weights in %, of the head that is best on the other half of the sentences."""
    translator = load_translator(run.folder, device="cpu")
    return 100 * of_best_head([_difference(each, cross=cross) for each in first_maps(translator, run)])


def _difference(pieces: AttentionMap, *, cross: bool) -> Tensor:
    """Return the weight of the noun that is meant minus that of the other noun, for each layer and head (L, H)."""
    words, source = pieces.words(), pieces.source.split()
    animal, street = (next(i for i, word in enumerate(source) if word in nouns) for nouns in (ANIMALS, PLACES))
    meant, other = (animal, street) if source[-1] in OF_ANIMALS else (street, animal)
    # The target is "the animal was ...".
    weights, row = (words.cross, 1) if cross else (words.encoder_self, source.index("it"))
    assert weights is not None
    return weights[:, :, row, meant] - weights[:, :, row, other]


def equal(attention: AttentionMap) -> AttentionMap:
    """Return the map with equal weights for all tokens that a row may attend to."""
    uniform = {}
    for kind in WHERE.values():
        mask = allowed(attention, kind)
        uniform[kind] = (mask / mask.sum(-1, keepdim=True)).expand_as(getattr(attention, kind))
    return replace(attention, **uniform)  # type: ignore[arg-type]


def on_marks(maps: Sequence[AttentionMap], kind: Kind) -> float:
    """Return the share of attention on the start or end mark and on punctuation in %, the mean of all heads."""
    found = measures(maps, kind)
    return 100 * float((found["special"] + found["punctuation"]).mean())
