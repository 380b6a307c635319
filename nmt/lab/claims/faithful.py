"""Attention shows which source word decided a word of the translation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from random import Random
from statistics import fmean
from typing import ClassVar, NamedTuple

import torch

from nmt.attention_map import group_words
from nmt.lab.attribution.alti import ALTI
from nmt.lab.attribution.base import AttributionView
from nmt.lab.attribution.faithfulness import Attention, deletion, kendall, source_scores
from nmt.lab.attribution.gradient import InputXGradient
from nmt.lab.attribution.integrated_gradients import IntegratedGradients
from nmt.lab.attribution.occlusion import Occlusion
from nmt.lab.attribution.prediction import Prediction
from nmt.lab.attribution.value_zeroing import ValueZeroing
from nmt.lab.claims.claim import MARGIN, Claim, Contrast, Curves, Lines, PerSeed, Runs, Table, accuracies, mean, minus
from nmt.lab.claims.models import AGREEMENT, EXACT, NEGATION, ORDER
from nmt.lab.compare.runs import FinishedRun
from nmt.translation.loading import load_translator

SENTENCES = 20  # that are measured of each run
ORDERS = 10  # random orders of the words of each sentence
ATTENTION, RANDOM = Attention.title, "random order"
VIEWS: tuple[AttributionView, ...] = (
    *(Attention(), ALTI(), ValueZeroing()),
    *(Occlusion(), InputXGradient(), IntegratedGradients()),
)
MODELS: Mapping[str, Sequence[AttributionView]] = {
    "Transformer": VIEWS,
    "Bahdanau": [view for view in VIEWS if not view.needs],
}


class OneDecides(NamedTuple):
    """A task in which one source word decides a target word; its trainings have these `settings`.

    `cause` returns the place of the source word, None if no word decides alone. `row` is the place of the target word.
    """

    settings: Sequence[str]
    cause: Callable[[list[str]], int | None]
    row: int


def _negated(words: list[str]) -> int | None:
    """Return the place of "not" if it is in the first clause. Otherwise its absence there decides the first answer."""
    place = words.index("not")
    return place if place < words.index(",") else None


TASKS = {
    "agreement": OneDecides(AGREEMENT, lambda words: 1, 0),  # "the keys ..." gives "they are ..."
    "negation": OneDecides(NEGATION, _negated, 1),  # "... not get 95 , ..." gives "95 no , ..."
    "order": OneDecides(ORDER, lambda words: 2, 0),  # "anna follows ben" gives "ben is followed by anna"
}
MEASURES = ("deletion", "insertion", "agreement")


class Faithful(Claim):
    """How often each view names the word that decides, how log P follows its order, and how views agree."""

    name = "faithful"
    seeds: ClassVar[int] = 10
    numbers: ClassVar[Mapping[str, object]] = {"sentences": SENTENCES, "orders": ORDERS}

    def systems(self) -> Mapping[str, Sequence[str]]:
        return {f"{name}, {model}": (*task.settings, *EXACT[model]) for model in MODELS for name, task in TASKS.items()}

    def measure(self, runs: Runs) -> Curves:
        lines: dict[str, dict[str, PerSeed]] = {}
        more: dict[str, PerSeed] = {}
        for system, each in runs.items():
            task, model = system.split(", ")
            found = [_measured(run, TASKS[task], MODELS[model]) for run in each]
            values = {key: tuple(one[key] for one in found) for key in found[0]}
            lines[system] = {view: values.pop(("right", view)) for view in (*_titles(model), RANDOM)}
            more |= {f"{measure}, {system}, {view}": measured for (measure, view), measured in values.items()}
            more[f"accuracy, {system}"] = accuracies(each)
        return Curves(self.text("view"), self.text("right"), lines, joined=False, more=more)

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        return tuple(each for model in MODELS for each in self._of_model(model, lines, more))

    def _of_model(self, model: str, lines: Lines[str], more: Mapping[str, PerSeed]) -> Iterator[Contrast]:
        figures = {view: _figures(model, view, lines, more) for view in (*_titles(model), RANDOM)}
        attention, guess = figures.pop(ATTENTION), figures[RANDOM]
        easy = tuple(more[f"accuracy, {name}"] for name in _systems(model))
        for view, each in figures.items():
            text = self.text("better", model=model, other=self.text("random") if view == RANDOM else view)
            yield Contrast(text, minus(attention["right"], each["right"]), margin=MARGIN, easy=easy)
        deletion = minus(guess["deletion"], attention["deletion"])
        insertion = minus(attention["insertion"], guess["insertion"])
        yield Contrast(self.text("deletion", model=model), deletion, easy=easy)
        yield Contrast(self.text("insertion", model=model), insertion, easy=easy)

    def table(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> Table:
        """Return all figures of each view, as means of the tasks."""
        rows = {
            f"{model}, {view}": list(_figures(model, view, lines, more).values())
            for model in MODELS
            for view in (*_titles(model), RANDOM)
        }
        return Table([self.text(f"of_{figure}") for figure in ("right", *MEASURES)], rows)


def _systems(model: str) -> list[str]:
    return [f"{task}, {model}" for task in TASKS]


def _figures(model: str, view: str, lines: Lines[str], more: Mapping[str, PerSeed]) -> dict[str, PerSeed]:
    """Return the figures of a view by their names, each as the mean of the tasks."""
    systems = _systems(model)
    return {
        "right": mean(lines[name][view] for name in systems),
        **{measure: mean(more[f"{measure}, {name}, {view}"] for name in systems) for measure in MEASURES},
    }


def _titles(model: str) -> list[str]:
    return [view.title for view in MODELS[model]]


def _measured(run: FinishedRun, task: OneDecides, views: Sequence[AttributionView]) -> dict[tuple[str, str], float]:
    """Return means over the sentences for each view and for random orders.

    "right" (in %), the mean of log P in the "deletion" and the "insertion" curve, and "agreement" (rank agreement with
    the other views, in %).
    """
    generator = torch.Generator().manual_seed(run.seed)
    found = defaultdict(list)
    for prediction, cause in islice(_predictions(run, task), SENTENCES):
        size = len(prediction.source) - 1
        guesses = [torch.randperm(size, generator=generator).float() for _ in range(ORDERS)]
        scores = [(view.title, source_scores(view, prediction)) for view in views]
        scores += [(RANDOM, each) for each in guesses]
        orders = torch.stack([each.argsort(descending=True) for _, each in scores])
        curves = {"deletion": deletion(prediction, orders), "insertion": deletion(prediction, orders.flip(1))}
        for number, (name, own) in enumerate(scores):
            found["right", name].append(100 / size if name == RANDOM else 100.0 * (int(own.argmax()) == cause))
            for measure, each in curves.items():
                found[measure, name].append(float(each[number].mean()))
            others = [each for other, each in scores[: len(views)] if other != name]
            found["agreement", name].append(100 * fmean(kendall(own, other) for other in others))
    return {key: fmean(values) for key, values in found.items()}


def _predictions(run: FinishedRun, task: OneDecides) -> Iterator[tuple[Prediction, int]]:
    """Yield test sentences in a random order of the run's own, and the place of the deciding piece in each.

    A sentence comes with its reference up to the word that is decided. Both words are one piece each, and the word that
    decides occurs once in its sentence.
    """
    translator = load_translator(run.folder, device="cpu")
    pairs = list(zip(run.test_set.sources, run.test_set.references, strict=True))
    for source, reference in Random(run.seed).sample(pairs, len(pairs)):
        words = source.split()
        cause = task.cause(words)
        if cause is not None and words.count(words[cause]) == 1:
            (pair,) = translator.encode_pairs([source], [reference])
            ids = pair.source.ids
            pieces, target = translator.tokenizer.source_pieces(ids), translator.tokenizer.target_pieces(pair.ids)
            read = torch.tensor(pair.ids[: group_words(target)[task.row].stop])
            prediction = Prediction(translator.model, torch.tensor(ids), read, pieces)
            yield prediction, group_words(pieces)[cause].start
