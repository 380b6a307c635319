"""The words of a relation are found, and the head is chosen on sentences that it is not measured on."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from nmt.lab.claims.grammar import RELATIONS, looks
from nmt.lab.compare.runs import EvaluationSet, FinishedRun
from nmt.lab.tasks.agreement import Agreement
from nmt.lab.tasks.slots import Slots
from nmt.lab.tasks.task import Task
from tests.attention_maps import make_map

GENERATED: dict[str, Task] = {
    "agreement": Agreement(seed=1, sizes=[1, 1, 200], max_distance=2),
    "slots": Slots(seed=1, sizes=[1, 1, 200], max_words=4),
}


class Planted:
    """Stands for a translator whose second head looks at the right word in the sentences `right`."""

    def __init__(self, right: set[int]) -> None:
        self.right = right

    def score(self, sources: list[str], references: list[str]) -> list[str]:
        return sources

    def attention_maps(self, sources: list[str]) -> list[Any]:
        maps = []
        for number, source in enumerate(sources):
            words = source.split()
            weights = torch.zeros(1, 2, len(words) + 1, len(words) + 1)
            weights[:, :, :, -1] = 1.0  # of `</s>`
            if number in self.right:
                weights[0, 1, words.index("will")] = torch.eye(len(words) + 1)[1]
            maps.append(make_map([*(f"▁{word}" for word in words), "</s>"], ["▁a", "</s>"], encoder_self=weights))
        return maps


@pytest.mark.parametrize(("right", "share"), [(range(20), 100.0), (range(15), 50.0), (range(10, 20), 0.0), ([], 0.0)])
def test_the_head_is_chosen_on_the_first_half(right: Any, share: float) -> None:
    places = RELATIONS["verb to subject"].places
    pairs = [pair for pair in GENERATED["agreement"].splits()["test"] if places(pair.source)][:20]
    sources, references = tuple(pair.source for pair in pairs), tuple(pair.target for pair in pairs)
    run = FinishedRun(Path("run"), {}, {}, EvaluationSet("question", "answer", sources, references), references, 1.0)
    found = looks(Planted(set(right)), run, places)  # type: ignore[arg-type]
    assert found == share
