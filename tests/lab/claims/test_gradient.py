"""The gradient of a word is that of finite differences, and the curves are relative to the nearest words."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest
import torch

from nmt.lab.attribution.prediction import Prediction
from nmt.lab.claims import gradient as claims
from nmt.lab.claims.gradient import by_distance, gradient
from nmt.lab.compare.runs import EvaluationSet, FinishedRun
from nmt.lab.tasks.buried import Buried
from tests.tiny_run import Run


def test_the_gradient_by_finite_differences(run: Run) -> None:
    source, reference, place, step = "a man rides the bike", "the bike", 2, 1e-3
    translator = copy.deepcopy(run.translator)
    model = translator.model.double()
    (pair,) = translator.encode_pairs([source], [reference])
    prediction = Prediction(model, torch.tensor(pair.source.ids), torch.tensor(pair.ids), [])
    embedded, read = prediction.vectors

    @torch.no_grad()
    def logit(vectors: torch.Tensor) -> float:
        logits = model.eval().decoder.output(prediction.hidden(vectors[None], read[None])[0, 0])
        return float(logits[pair.ids[0]] - logits.mean())

    slopes = []
    for number in range(embedded.shape[1]):
        change = torch.zeros_like(embedded)
        change[place, number] = step
        slopes.append((logit(embedded + change) - logit(embedded - change)) / (2 * step))
    expected = float(torch.tensor(slopes).norm())
    assert gradient(translator, source, reference, place) == pytest.approx(expected, rel=1e-4)


def test_curves_are_relative_to_the_nearest_words(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = list(Buried(seed=1, sizes=[1, 1, 200], max_distance=8).splits()["test"])
    sources, references = tuple(pair.source for pair in pairs), tuple(pair.target for pair in pairs)
    asked = []

    def noted(translator: object, source: str, reference: str, place: int) -> float:
        asked.append(source)
        assert (source.split()[place], Buried.measure(source)) == (reference.split()[0], place)
        return 4.0 / (1 + place)

    monkeypatch.setattr(claims, "gradient", noted)
    run_of_buried = FinishedRun(Path("run"), {}, {}, EvaluationSet("q", "a", sources, references), references, 1.0)
    found = by_distance(run.translator, run_of_buried)
    assert found == {str(place): pytest.approx(100 / (1 + place)) for place in range(9)} and len(asked) > 50
