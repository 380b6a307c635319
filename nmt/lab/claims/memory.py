"""Without attention, a recurrent network loses long sentences, early words, and words that are far apart."""

from __future__ import annotations

import json
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import ClassVar

from nmt.lab.claims.claim import (
    MARGIN,
    NO_ATTENTION,
    NOT_ASKED,
    SHARED,
    Claim,
    Contrast,
    Curves,
    Lines,
    Loss,
    PerSeed,
    Place,
    Runs,
    Text,
    accuracy_by,
    alike,
    gained_by_attention,
    mean_over,
    minus,
    named,
)
from nmt.lab.claims.models import COPY, EXACT, LEFT_TO_RIGHT, SLOTS, WORDS, budget
from nmt.lab.compare.lengths import LengthGroup
from nmt.lab.compare.runs import FinishedRun
from nmt.lab.tasks.buried import Buried
from nmt.lab.tasks.slots import Slots

ONE_WAY = "no attention, left to right"
RESULTS = "docs/results/comparison.json"
RECIPES = {NO_ATTENTION: "multi30k_rnn", "Bahdanau": "multi30k_bahdanau", "Luong": "multi30k_luong"}  # of the captions


class _NearAndFar(Claim):
    """What a model loses from near to far: right answers by the `place` of a source, such as its length.

    All models have to answer nearly all of the easy form right, which is near. So the accuracy far says the same as the
    loss, and is no difference of its own.
    """

    task: ClassVar[Sequence[str]]
    near: ClassVar[range]
    far: ClassVar[range]

    @staticmethod
    @abstractmethod
    def place(source: str) -> int:
        """Return the place of a source."""

    def systems(self) -> Mapping[str, Sequence[str]]:
        return {name: (*self.task, *model) for name, model in EXACT.items()}

    def measure(self, runs: Runs) -> Curves:
        lines = {name: accuracy_by(each, self.place) for name, each in runs.items()}
        return Curves(self.text("place"), self.text("right_answers"), named(lines))

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        near, far = ([str(place) for place in places] for places in (self.near, self.far))
        easy = {name: mean_over(line, near) for name, line in lines.items()}
        lost = lost_without_attention(lines, near, far, self.text("accuracy_lost"), easy)
        return tuple(replace(each, margin=MARGIN) for each in lost)


class FixedVector(_NearAndFar):
    """Copying: the only difficulty is the number of words."""

    name = "fixed_vector"
    numbers: ClassVar[Mapping[str, object]] = {"longest": 10}
    task = (*COPY, *budget(1000))
    near, far = range(1, 3), range(9, 11)

    @staticmethod
    def place(source: str) -> int:
        return len(source.split())


class Distance(_NearAndFar):
    """Two words to carry past many others: the only difficulty is the distance."""

    name = "distance"
    numbers: ClassVar[Mapping[str, object]] = {"farthest": 8}
    task = ("data=buried", "data.max_distance=8", "data.sizes=[20000,300,2000]", *budget(2500))
    near, far = range(3), range(6, 9)

    @staticmethod
    def place(source: str) -> int:
        return Buried.measure(source)


class FixedVectorMulti30k(Claim):
    """BLEU by the length of captions of photos, written by people, without attention and with it.

    The lab's own models are too small for captions, so these are runs of docs/results.
    """

    name = "fixed_vector_multi30k"
    results = Path(__file__).resolve().parents[3] / RESULTS

    def missing(self) -> str | None:
        return None if self.results.is_file() else f"{RESULTS}, which a checkout has"

    def measure(self, runs: Runs) -> Curves:
        comparisons = json.loads(self.results.read_text("utf-8")).values()
        captions = next(each for each in comparisons if each["baseline"] == "multi30k_transformer")
        groups = [str(LengthGroup(each["low"], each["high"], ())) for each in captions["lengths"]["groups"]]
        found = {each["name"]: [run["by_length"] for run in each["runs"]] for each in captions["systems"]}
        lines = {name: dict(zip(groups, zip(*found[row], strict=True), strict=True)) for name, row in RECIPES.items()}
        return Curves(self.text("words"), self.text("bleu"), lines)

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        shortest, *_, longest = lines[NO_ATTENTION]
        lost, of_longest = self.text("bleu_lost"), self.text("bleu_of_longest")
        gained = gained_by_attention({name: line[longest] for name, line in lines.items()}, of_longest)
        return (*lost_without_attention(lines, [shortest], [longest], lost), *gained)


class Memory(Claim):
    """Right words by their position in the source, which says nothing about their position in the target."""

    name = "memory"
    numbers: ClassVar[Mapping[str, object]] = {"words": WORDS}

    def systems(self) -> Mapping[str, Sequence[str]]:
        one_way = (*EXACT[NO_ATTENTION], *LEFT_TO_RIGHT)
        return {name: (*SLOTS, *model) for name, model in {ONE_WAY: one_way, **EXACT}.items()}

    def measure(self, runs: Runs) -> Curves:
        lines = {name: right_by_position(each, WORDS) for name, each in runs.items()}
        easy = {name: accuracy_by(each, lambda source: len(source.split()))[3] for name, each in runs.items()}
        return Curves(self.text("position"), self.text("right_words"), named(lines), more=easy)

    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        positions = list(lines[ONE_WAY])
        early, late = positions[: WORDS // 2], positions[WORDS // 2 :]
        forgotten = minus(mean_over(lines[ONE_WAY], late), mean_over(lines[ONE_WAY], early))
        known = {name: mean_over(line, early) for name, line in lines.items() if name != ONE_WAY}
        found = (
            Contrast(self.text("forgets"), forgotten, easy=(more[ONE_WAY],)),
            *gained_by_attention(known, self.text("early"), more),
        )
        return tuple(replace(each, margin=MARGIN) for each in found)


def lost_without_attention(
    lines: Lines[Place],
    near: Sequence[Place],
    far: Sequence[Place],
    lost: Text,
    easy: Mapping[str, PerSeed] = NOT_ASKED,
) -> tuple[Contrast, ...]:
    """Return the contrasts of the systems with attention: the loss of "no attention" from the near to the far places,
    minus their own loss. `lost` names the loss, and `easy` has the accuracy of each system in the easy form.
    """
    scores = {name: (mean_over(line, near), mean_over(line, far)) for name, line in lines.items()}
    loss = Loss(*scores[NO_ATTENTION])
    losses = {name: minus(*each) for name, each in scores.items()}
    without = losses.pop(NO_ATTENTION)
    text = SHARED["lost"].filled(what=lost)
    return tuple(
        replace(contrast, loss=loss)
        for contrast in alike({name: minus(without, each) for name, each in losses.items()}, text, easy)
    )


def right_by_position(runs: Sequence[FinishedRun], words: int) -> dict[int, PerSeed]:
    """Return the share of right words (in %) of each run, by their position in the sources of so many words."""
    shares = []
    for run in runs:
        right: dict[int, list[bool]] = {position: [] for position in range(1, words + 1)}
        test = run.test_set
        for source, reference, hypothesis in zip(test.sources, test.references, run.hypotheses, strict=True):
            if len(source.split()) == words:
                found = hypothesis.split()
                for rank, (position, word) in enumerate(zip(Slots.positions(source), reference.split(), strict=True)):
                    right[position].append(found[rank : rank + 1] == [word])
        shares.append({position: 100 * fmean(each) for position, each in right.items()})
    return {position: tuple(each[position] for each in shares) for position in shares[0]}
