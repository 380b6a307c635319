"""The gradient of a far word before and after training, and whether the word is learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from statistics import fmean
from typing import ClassVar

import torch

from nmt.lab.attribution.prediction import Prediction
from nmt.lab.claims.claim import MARGIN, NO_ATTENTION, Claim, Contrast, Curves, Lines, PerSeed, Runs, accuracy_by, minus
from nmt.lab.claims.heads import AFTER, BEFORE, before_and_after
from nmt.lab.claims.memory import Distance
from nmt.lab.compare.runs import FinishedRun
from nmt.models.seq2seq import evaluating
from nmt.translation.translator import Translator

SENTENCES = 20  # for each distance
ATTENTION = "Bahdanau"
NEAREST, FARTHEST = 0, Distance.far[-1]


class TrainedGradient(Claim):
    """The gradient of the first word that is said, by the number of fillers around it."""

    name = "trained_gradient"
    numbers: ClassVar[Mapping[str, object]] = {"sentences": SENTENCES, "farthest": FARTHEST}

    def systems(self) -> Mapping[str, Sequence[str]]:
        systems = Distance().systems()
        return {name: systems[name] for name in (NO_ATTENTION, ATTENTION)}

    def measure(self, runs: Runs) -> Curves:
        lines: dict[str, dict[str, PerSeed]] = {}
        more: dict[str, PerSeed] = {}
        for name, each in runs.items():
            models = list(map(before_and_after, each))
            for when in (BEFORE, AFTER):
                found = [by_distance(model[when], run) for model, run in zip(models, each, strict=True)]
                lines[f"{name}, {when}"] = {place: tuple(one[place] for one in found) for place in found[0]}
            right = accuracy_by(each, Distance.place)
            more |= {f"near, {name}": right[NEAREST], f"far, {name}": right[FARTHEST]}
        return Curves(self.text("place"), self.text("norm"), lines, more=more)

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        with_attention, without = (lines[f"{name}, {BEFORE}"][str(FARTHEST)] for name in (ATTENTION, NO_ATTENTION))
        right = minus(more[f"far, {ATTENTION}"], more[f"far, {NO_ATTENTION}"])
        easy = tuple(more[f"near, {name}"] for name in (ATTENTION, NO_ATTENTION))
        return (
            Contrast(self.text("gradient", system=ATTENTION), minus(with_attention, without)),
            Contrast(self.text("learned", system=ATTENTION), right, margin=MARGIN, easy=easy),
        )


def by_distance(translator: Translator, run: FinishedRun) -> dict[str, float]:
    """Return the mean gradient norm at each number of fillers, in % of that without fillers."""
    pairs = list(zip(run.test_set.sources, run.test_set.references, strict=True))
    norms = {}
    for place in range(FARTHEST + 1):
        here = islice((pair for pair in pairs if Distance.place(pair[0]) == place), SENTENCES)
        norms[str(place)] = fmean(gradient(translator, *pair, place) for pair in here)
    return {place: 100 * norm / norms[str(NEAREST)] for place, norm in norms.items()}


def gradient(translator: Translator, source: str, reference: str, place: int) -> float:
    """Return the norm of the gradient with respect to the embedding of the source word at `place`.

    It is that of the logit of the first target word, minus the mean of all logits. The gradient of log P would vanish
    where the model is sure.
    """
    (pair,) = translator.encode_pairs([source], [reference])
    prediction = Prediction(translator.model, torch.tensor(pair.source.ids[0]), torch.tensor(pair.ids), [])
    embedded, read = prediction.vectors
    embedded = embedded[None].requires_grad_()
    with evaluating([translator.model]):
        logits = translator.model.decoder.output(prediction.hidden(embedded, read[None])[0, 0])
        (found,) = torch.autograd.grad(logits[pair.ids[0]] - logits.mean(), embedded)
    return float(found[0, place].norm())
