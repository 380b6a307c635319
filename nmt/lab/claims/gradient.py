"""The gradient of a far word, in models before training and after it, and whether the word is learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import islice
from statistics import fmean
from typing import ClassVar

import torch
from torch import Tensor
from torch.nn.functional import cross_entropy

from nmt.config.compose import compose
from nmt.lab.attribution.prediction import Prediction
from nmt.lab.claims.claim import (
    MARGIN,
    NO_ATTENTION,
    Claim,
    Contrast,
    Curves,
    Lines,
    PerSeed,
    Runs,
    accuracy_by,
    gained_by_attention,
    minus,
)
from nmt.lab.claims.heads import AFTER, BEFORE, before_and_after
from nmt.lab.claims.memory import Distance
from nmt.lab.claims.models import LANGUAGE, LEFT_TO_RIGHT, untrained
from nmt.lab.compare.runs import FinishedRun
from nmt.models.seq2seq import Seq2Seq, evaluating
from nmt.translation.translator import Translator

VOCABULARY = 500
DISTANCES = (0, 5, 10, 20, 40)  # from the first word of the source to its last
SENTENCES = 100
SEEDS = (1, 2, 3, 4, 5)
SYSTEMS = {name: (*model, *LEFT_TO_RIGHT) if name != "Transformer" else model for name, model in LANGUAGE.items()}
SENTENCES_EACH = 20  # for each number of fillers
ATTENTION = "Bahdanau"
NEAREST, FARTHEST = 0, Distance.far[-1]


class Gradient(Claim):
    """The gradient of the loss with respect to the first word, by its distance to the end; nothing is trained."""

    name = "gradient"
    numbers: ClassVar[Mapping[str, object]] = {"sentences": SENTENCES, "seeds": len(SEEDS)}

    def measure(self, runs: Runs) -> Curves:
        return Curves(
            self.text("distance"),
            self.text("norm"),
            {name: _by_distance(settings) for name, settings in SYSTEMS.items()},
        )

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        *_, farthest = lines[NO_ATTENTION]
        return gained_by_attention(
            {name: line[farthest] for name, line in lines.items()}, self.text("gradient", farthest=farthest)
        )


class TrainedGradient(Claim):
    """The gradient of the first word that is said, by the number of fillers around it."""

    name = "trained_gradient"
    numbers: ClassVar[Mapping[str, object]] = {"sentences": SENTENCES_EACH, "farthest": FARTHEST}

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


def _by_distance(settings: Sequence[str]) -> dict[str, tuple[float, ...]]:
    """Return the gradient at each distance, divided by the gradient at the shortest, for each seed."""
    model_settings = compose("train", list(settings))["model"]
    found: dict[str, list[float]] = {str(distance): [] for distance in DISTANCES}
    for seed in SEEDS:
        model = untrained(model_settings, VOCABULARY, seed).eval()
        norms = [_gradient(model, torch.randint(5, VOCABULARY, (SENTENCES, 1 + distance))) for distance in DISTANCES]
        for distance, norm in zip(DISTANCES, norms, strict=True):
            found[str(distance)].append(100 * norm / norms[0])
    return {distance: tuple(values) for distance, values in found.items()}


def _gradient(model: Seq2Seq, source: Tensor) -> float:
    """Return the mean norm of the gradient of the loss of a target of one word, w.r.t. the first source embedding."""
    embedded: list[Tensor] = []
    target = torch.randint(5, VOCABULARY, (len(source), 1))
    with model.encoder.embedding.register_forward_hook(lambda module, inputs, output: embedded.append(output)):
        hidden, _ = model(source, torch.ones_like(source, dtype=torch.bool), target)
    loss = cross_entropy(model.decoder.output(hidden).flatten(0, 1), target.flatten(), reduction="sum")
    (gradient,) = torch.autograd.grad(loss, embedded[0])  # the source is embedded first, the target after it
    return float(gradient[:, 0].norm(dim=1).mean())


def by_distance(translator: Translator, run: FinishedRun) -> dict[str, float]:
    """Return the mean gradient norm at each number of fillers, in % of that without fillers."""
    pairs = list(zip(run.test_set.sources, run.test_set.references, strict=True))
    norms = {}
    for place in range(FARTHEST + 1):
        here = islice((pair for pair in pairs if Distance.place(pair[0]) == place), SENTENCES_EACH)
        norms[str(place)] = fmean(gradient(translator, *pair, place) for pair in here)
    return {place: 100 * norm / norms[str(NEAREST)] for place, norm in norms.items()}


def gradient(translator: Translator, source: str, reference: str, place: int) -> float:
    """Return the norm of the gradient with respect to the embedding of the source word at `place`.

    It is that of the logit of the first target word, minus the mean of all logits. The gradient of log P would vanish
    where the model is sure.
    """
    (pair,) = translator.encode_pairs([source], [reference])
    prediction = Prediction(translator.model, torch.tensor(pair.source.ids), torch.tensor(pair.ids), [])
    embedded, read = prediction.vectors
    embedded = embedded[None].requires_grad_()
    with evaluating([translator.model]):
        logits = translator.model.decoder.output(prediction.hidden(embedded, read[None])[0, 0])
        (found,) = torch.autograd.grad(logits[pair.ids[0]] - logits.mean(), embedded)
    return float(found[0, place].norm())
