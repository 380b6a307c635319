"""The views are asked for words that decide, and their figures are right by brute force on an untrained model."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from statistics import fmean

import pytest
import torch

from nmt.config.settings import TokenizerConfig
from nmt.data.pair import Split
from nmt.data.tokenizer import Tokenizer
from nmt.lab.attribution.base import AttributionView, Scores
from nmt.lab.attribution.prediction import Prediction
from nmt.lab.claims import faithful
from nmt.lab.claims.faithful import ATTENTION, RANDOM, TASKS, Faithful
from nmt.lab.compare.runs import EvaluationSet, FinishedRun
from nmt.lab.tasks.agreement import NOUNS, Agreement
from nmt.lab.tasks.negation import Negation
from nmt.lab.tasks.order import Order
from nmt.lab.tasks.task import Task
from nmt.search.beam import BeamSearch
from nmt.translation.translator import Translator
from tests.tiny_run import make_model, recurrent

GENERATED: Mapping[str, Task] = {
    "agreement": Agreement(seed=1, sizes=[1, 1, 300], max_distance=2),
    "negation": Negation(seed=1, sizes=[1, 1, 300], max_distance=2),
    "order": Order(seed=1, sizes=[300, 1, 20], max_clauses=2),
}


ANSWERS: Mapping[str, Callable[[list[str], int], str]] = {
    "agreement": lambda words, place: "it" if words[place] in NOUNS else "they",
    "negation": lambda words, place: "no",
    "order": lambda words, place: words[place],
}


@pytest.mark.parametrize("name", TASKS)
def test_one_word_decides(name: str) -> None:
    task = TASKS[name]
    for pair in GENERATED[name].splits()["test"]:
        words = pair.source.split()
        cause = task.cause(words)
        assert cause is None or pair.target.split()[task.row] == ANSWERS[name](words, cause)
        assert (cause is None) == (name == "negation" and words.index("not") > words.index(","))


class Turned(AttributionView):
    """Scores 0, -1, ... from the third source token on, which decides in `order`, or the opposite scores."""

    columns = "source"

    def __init__(self, title: str, sign: int) -> None:
        self.title, self.sign = title, sign  # type: ignore[misc]

    def scores(self, prediction: Prediction) -> Scores:
        size = len(prediction.source) - 1
        row = torch.tensor([-self.sign * ((place - 2) % size) for place in range(size)] + [9])
        return Scores(row.expand(1, 1, len(prediction.target), -1).float())


def test_figures_by_brute_force(monkeypatch: pytest.MonkeyPatch) -> None:
    splits = GENERATED["order"].splits()
    settings = TokenizerConfig(type="bpe", vocab_size=None, joint=True, character_coverage=1.0)
    tokenizer = Tokenizer.train(Split.of(splits["train"]), settings, cache_dir=None)
    translator = Translator(make_model(recurrent(), tokenizer), tokenizer, BeamSearch(beam_size=1))
    sources, references = zip(*((pair.source, pair.target) for pair in splits["test"]), strict=True)
    run = FinishedRun(
        *(Path("run"), {"seed": 1}, {}, EvaluationSet("question", "answer", sources, references)),
        *((*references[:2], *["-"] * 18), 1.0),
    )
    monkeypatch.setattr(faithful, "load_translator", lambda folder, device: translator)
    monkeypatch.setattr(faithful, "MODELS", {"Bahdanau": (Turned(ATTENTION, 1), Turned("other", -1))})
    found = Faithful().measure({"order, Bahdanau": [run]})
    used = [number for number, words in enumerate(map(str.split, sources)) if words.count(words[2]) == 1]
    assert len(used) < len(sources), "a word that occurs twice does not decide alone"
    random_order = fmean(100 / len(sources[number].split()) for number in used)
    lines = {ATTENTION: (100.0,), "other": (0.0,), RANDOM: (pytest.approx(random_order),)}
    assert found.lines == {"order, Bahdanau": lines}
    heights: dict[str, list[float]] = {"deletion": [], "insertion": []}
    for number in used:
        words = sources[number].split()
        order = [place % len(words) for place in range(2, 2 + len(words))]
        # The curve of each measure, after each number of words, for this order and for the opposite one.
        left = [[order[step:] for step in range(len(words) + 1)], [order[:step] for step in range(len(words), -1, -1)]]
        for measure, curves in (("deletion", left), ("insertion", left[::-1])):
            one, other = (
                [" ".join(word for place, word in enumerate(words) if place in kept) for kept in curve]
                for curve in curves
            )
            texts = [text for text in (*one, *other) if text]
            scored = {
                text: each.token_log_probs[0]
                for text, each in zip(texts, translator.score(texts, [references[number]] * len(texts)), strict=True)
            }
            # The empty source is in both curves.
            heights[measure].append(
                (sum(scored[text] for text in one if text) - sum(scored[text] for text in other if text)) / len(one)
            )
    for measure, each in heights.items():
        first, second = (found.more[f"{measure}, order, Bahdanau, {view}"][0] for view in (ATTENTION, "other"))
        assert first - second == pytest.approx(fmean(each), abs=1e-4) and abs(first - second) > 0.01
    assert found.more["agreement, order, Bahdanau, other"] == (pytest.approx(-100),)
    assert found.more["accuracy, order, Bahdanau"] == (10.0,)
