"""What a claim is: the systems that are trained for it, what is measured on them, and what the claim predicts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from nmt.evaluation.runs import FinishedRun
from nmt.lab.interval import OverSeeds, over_seeds

Runs = Mapping[str, Sequence[FinishedRun]]  # the runs of each system, one for each seed


@dataclass(frozen=True)
class Text:
    """A text in English and in Korean."""

    en: str
    ko: str


@dataclass(frozen=True)
class Contrast:
    """A difference that the claim predicts to be above 0; `values` has one for each seed.

    `comparisons` is the number of such differences that one claim looks at without naming one of them beforehand.
    """

    text: Text
    values: tuple[float, ...]
    comparisons: int = 1

    @property
    def interval(self) -> OverSeeds:
        """The mean difference and its interval over the seeds."""
        return over_seeds(self.values, self.comparisons)

    @property
    def verdict(self) -> str:
        """supported or contradicted if the whole interval lies above or below 0, otherwise undecided."""
        found = self.interval
        if abs(found.mean) <= found.half_width:
            return "undecided"
        return "supported" if found.mean > 0 else "contradicted"


@dataclass(frozen=True)
class Curves:
    """A figure: for each system, the values of all seeds at each place of the axis."""

    axis: Text
    height: Text
    lines: Mapping[str, Mapping[str, tuple[float, ...]]]


@dataclass(frozen=True)
class Finding:
    """What was measured for a claim."""

    contrasts: tuple[Contrast, ...]
    curves: Curves


class Claim(ABC):
    """A claim of tutorials. `claim` says it in their words, `method` how it is measured.

    A claim is one file in nmt/lab/claims and one name in the list there.
    """

    name: ClassVar[str]
    claim: ClassVar[Text]
    method: ClassVar[Text]

    @abstractmethod
    def systems(self) -> Mapping[str, Sequence[str]]:
        """Return the settings of train.py for each system that is trained, without the seed."""

    @abstractmethod
    def measure(self, runs: Runs) -> Finding:
        """Return the finding on the finished runs of all systems."""


def accuracy_by(runs: Sequence[FinishedRun], measure: Callable[[str], int]) -> dict[int, tuple[float, ...]]:
    """Return the share of exact translations (in %) of each run, for each value of the `measure` of a source."""
    places = [measure(source) for source in runs[0].test_set.sources]
    return {
        value: tuple(accuracy(run, [number for number, place in enumerate(places) if place == value]) for run in runs)
        for value in sorted(set(places))
    }


def accuracy(run: FinishedRun, sentences: Sequence[int]) -> float:
    """Return the share (in %) of these test sentences that are translated exactly."""
    right = sum(run.hypotheses[number] == run.test_set.references[number] for number in sentences)
    return 100 * right / len(sentences)
