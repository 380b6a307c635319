"""Attention shows which source word decided a word of the translation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
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
from nmt.lab.claims.claim import Claim, Contrast, Curves, Lines, PerSeed, Runs, accuracy, minus
from nmt.lab.claims.models import LANGUAGE, ONE_WORD_A_PIECE, budget
from nmt.lab.compare.runs import FinishedRun
from nmt.translation.loading import load_translator

SENTENCES = 30  # that are measured of each run
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


class Planted(NamedTuple):
    """A task in which one source word decides a target word; its trainings have these `settings` and `updates`.

    `cause` returns the place of the source word, None if no word decides alone. `row` is the place of the target word.
    """

    settings: Sequence[str]
    updates: int
    cause: Callable[[list[str]], int | None]
    row: int


FAR = ("data.max_distance=8", "data.sizes=[20000,300,2000]")
CLAUSES = ("data.max_clauses=3", "data.sizes=[20000,300,1000]")
TASKS = {
    "agreement": Planted(FAR, 2000, lambda words: 1, 0),  # "the keys ..." gives "they are ..."
    "negation": Planted(FAR, 800, lambda words: _negated(words), 1),  # "did not get 95" gives "95 no , ..."
    "order": Planted(CLAUSES, 800, lambda words: 2, 0),  # "anna follows ben" gives "ben is followed by anna"
}


class Faithful(Claim):
    """How often each view names the word that decides, how fast log P falls in its order, and how views agree."""

    name = "faithful"
    numbers: ClassVar[Mapping[str, object]] = {"sentences": SENTENCES, "orders": ORDERS}

    def systems(self) -> Mapping[str, Sequence[str]]:
        return {
            f"{name}, {model}": (
                f"data={name}",
                *task.settings,
                ONE_WORD_A_PIECE,
                *budget(task.updates),
                *LANGUAGE[model],
            )
            for model in MODELS
            for name, task in TASKS.items()
        }

    def measure(self, runs: Runs) -> Curves:
        lines: dict[str, dict[str, PerSeed]] = {}
        more: dict[str, PerSeed] = {}
        for system, each in runs.items():
            task, model = system.split(", ")
            found = [_measured(run, TASKS[task], MODELS[model]) for run in each]
            values = {key: tuple(one[key] for one in found) for key in found[0]}
            lines[system] = {view: values.pop(("right", view)) for view in (*_titles(model), RANDOM)}
            more |= {f"{measure}, {system}, {view}": measured for (measure, view), measured in values.items()}
            more[f"accuracy, {system}"] = tuple(accuracy(run, range(len(run.hypotheses))) for run in each)
        return Curves(self.text("view"), self.text("right"), lines, joined=False, more=more)

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        return tuple(each for model in MODELS for each in self._of_model(model, lines, more))

    def _of_model(self, model: str, lines: Lines[str], more: Mapping[str, PerSeed]) -> Iterator[Contrast]:
        def mean(measure: str, view: str) -> PerSeed:
            return _mean(more[f"{measure}, {name}, {view}"] for name in systems)

        systems = [f"{task}, {model}" for task in TASKS]
        _, *views = _titles(model)
        others = {RANDOM: self.text("random"), **{view: view for view in views}}
        right = {view: _mean(lines[name][view] for name in systems) for view in (ATTENTION, *others)}
        found = {
            **{
                self.text("better", other=other): minus(right[ATTENTION], right[view]) for view, other in others.items()
            },
            **{
                self.text("deletion", other=other): minus(mean("deletion", view), mean("deletion", ATTENTION))
                for view, other in others.items()
            },
            self.text("tau"): _mean(mean("tau", view) for view in views),
        }
        easy = tuple(more[f"accuracy, {name}"] for name in systems)
        for text, values in found.items():
            yield Contrast(text.filled(model=model), values, easy=easy)


def _negated(words: list[str]) -> int | None:
    """Return the place of "not" if it is in the first clause. Otherwise its absence there decides the first answer."""
    place = words.index("not")
    return place if place < words.index(",") else None


def _titles(model: str) -> list[str]:
    return [view.title for view in MODELS[model]]


def _mean(values: Iterable[PerSeed]) -> PerSeed:
    return tuple(map(fmean, zip(*values, strict=True)))


def _measured(run: FinishedRun, task: Planted, views: Sequence[AttributionView]) -> dict[tuple[str, str], float]:
    """Return means over the sentences for each view.

    "right" (in %), the mean of log P in its "deletion" curve, and "tau" (rank agreement with attention, in %).
    """
    generator = torch.Generator().manual_seed(run.seed)
    found = defaultdict(list)
    for prediction, cause in islice(_predictions(run, task), SENTENCES):
        scores = {view.title: source_scores(view, prediction) for view in views}
        size = len(prediction.source) - 1
        orders = [each.argsort(descending=True) for each in scores.values()]
        orders += [torch.randperm(size, generator=generator) for _ in range(ORDERS)]
        left = deletion(prediction, torch.stack(orders)).mean(1).tolist()
        for each, (view, own) in zip(left, scores.items(), strict=False):  # the random orders come after them
            found["right", view].append(100.0 * (int(own.argmax()) == cause))
            found["deletion", view].append(each)
            if view != ATTENTION:
                found["tau", view].append(100 * kendall(scores[ATTENTION], own))
        found["right", RANDOM].append(100 / size)
        found["deletion", RANDOM].append(fmean(left[-ORDERS:]))
    return {key: fmean(values) for key, values in found.items()}


def _predictions(run: FinishedRun, task: Planted) -> Iterator[tuple[Prediction, int]]:
    """Yield test sentences, with their references up to the word that is decided, and the place of the deciding piece.

    These words are one piece each. The word that decides occurs once in its sentence.
    """
    translator, test = load_translator(run.folder, device="cpu"), run.test_set
    for source, reference in zip(test.sources, test.references, strict=True):
        words = source.split()
        cause = task.cause(words)
        if cause is not None and words.count(words[cause]) == 1:
            (pair,) = translator.encode_pairs([source], [reference])
            ids = pair.source.ids[0]
            pieces, target = translator.tokenizer.source_pieces(ids), translator.tokenizer.target_pieces(pair.ids)
            read = torch.tensor(pair.ids[: group_words(target)[task.row].stop])
            prediction = Prediction(translator.model, torch.tensor(ids), read, [piece.label for piece in pieces])
            yield prediction, group_words(pieces)[cause].start
