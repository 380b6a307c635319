"""What a claim is: the systems that are trained for it, what is measured on them, and what the claim predicts."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import ClassVar, TypeVar

from nmt.build import build_source
from nmt.config.schema import read
from nmt.config.settings import DataConfig
from nmt.data.corpus import load_corpus
from nmt.data.sources.base import Pairs
from nmt.evaluation.runs import FinishedRun
from nmt.lab.interval import OverSeeds, over_seeds

NO_ATTENTION = "no attention"  # the name of the system without it
Runs = Mapping[str, Sequence[FinishedRun]]  # the runs of each system, one for each seed
PerSeed = tuple[float, ...]  # a value for each seed
Place = TypeVar("Place", int, str)  # of an axis: a distance, a position, a group of lengths
Lines = Mapping[str, Mapping[Place, PerSeed]]  # the values of each system at each place


@dataclass(frozen=True)
class Text:
    """A text in English and in Korean."""

    en: str
    ko: str


@dataclass(frozen=True)
class Contrast:
    """A difference that the claim predicts to be above 0; `values` has one for each seed.

    `comparisons` is 1 if this difference was chosen before the measurement. If a claim looks for the largest of several
    differences, it is their number, and the interval is wider.
    """

    text: Text
    values: PerSeed
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
    """A figure with a line for each system. `axis` and `height` are the labels of its two axes.

    The points of a line are joined if `joined`: if the places are numbers, not names.
    """

    axis: Text
    height: Text
    lines: Lines[str]
    joined: bool = True


@dataclass(frozen=True)
class Finding:
    """What was measured for a claim."""

    contrasts: tuple[Contrast, ...]
    curves: Curves


class Claim(ABC):
    """A claim of tutorials. `claim` says it in their words, `method` how it is measured.

    A claim is one file in nmt/lab/claims and one name in the list there. `multi30k` is the folder of that corpus, for
    claims on real text; None if it was not given.
    """

    name: ClassVar[str]
    claim: ClassVar[Text]
    method: ClassVar[Text]

    def __init__(self, multi30k: str | None = None) -> None:
        self.multi30k = multi30k

    def missing(self) -> str | None:
        """Return what must be installed or given before the claim can be measured; None if nothing is missing."""
        return None

    def systems(self) -> Mapping[str, Sequence[str]]:
        """Return the settings of train.py for each system that is trained, without the seed; none by default.

        Claims with a system of the same settings share its trainings.
        """
        return {}

    @abstractmethod
    def measure(self, runs: Runs) -> Finding:
        """Return the finding on the finished runs of all systems."""


def corpus_of(run: FinishedRun, splits: Sequence[str]) -> Mapping[str, Pairs]:
    """Return these splits of the corpus that a run was trained on."""
    data = read(run.config["data"], DataConfig, "data")
    return load_corpus(build_source(data), data, splits)


def accuracy_by(runs: Sequence[FinishedRun], measure: Callable[[str], int]) -> dict[int, PerSeed]:
    """Return the share of exact translations (in %) of each run, for each value of the `measure` of a source."""
    measures = [measure(source) for source in runs[0].test_set.sources]
    return {
        value: tuple(accuracy(run, [number for number, other in enumerate(measures) if other == value]) for run in runs)
        for value in sorted(set(measures))
    }


def accuracy(run: FinishedRun, sentences: Sequence[int]) -> float:
    """Return the share (in %) of these test sentences that are translated exactly."""
    right = sum(run.hypotheses[number] == run.test_set.references[number] for number in sentences)
    return 100 * right / len(sentences)


def named(lines: Lines[int]) -> dict[str, dict[str, PerSeed]]:
    """Return the lines with the names of their places, as a figure shows them."""
    return {system: {str(place): values for place, values in line.items()} for system, line in lines.items()}


def mean_over(line: Mapping[Place, PerSeed], places: Iterable[Place]) -> PerSeed:
    """Return the mean of a line over some places, for each seed."""
    return tuple(map(fmean, zip(*(line[place] for place in places), strict=True)))


def minus(one: PerSeed, other: PerSeed) -> PerSeed:
    """Return the difference for each seed."""
    return tuple(a - b for a, b in zip(one, other, strict=True))


def gained_by_attention(values: Mapping[str, PerSeed], what: Text) -> tuple[Contrast, ...]:
    """Return a contrast for each system with attention: its value minus that of "no attention".

    `what` is the name of the value.
    """
    return tuple(
        Contrast(
            Text(f"{what.en}: {name} minus no attention", f"{what.ko}: {name} - 어텐션 없음"),
            minus(each, values[NO_ATTENTION]),
        )
        for name, each in values.items()
        if name != NO_ATTENTION
    )


def lost_without_attention(
    lines: Lines[Place], near: Sequence[Place], far: Sequence[Place], lost: Text
) -> tuple[Contrast, ...]:
    """Return a contrast for each system with attention: what "no attention" loses from the near places to the far ones,
    minus what this system loses. `lost` says what that is.
    """
    losses = {name: minus(mean_over(line, near), mean_over(line, far)) for name, line in lines.items()}
    without = losses.pop(NO_ATTENTION)
    return tuple(
        Contrast(
            Text(f"{lost.en}: no attention minus {name}", f"{lost.ko}: 어텐션 없음 - {name}"), minus(without, each)
        )
        for name, each in losses.items()
    )
