"""The base class of claims: the systems that are trained, the measurement, and the verdict."""

from __future__ import annotations

import functools
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean, stdev
from typing import ClassVar, TypeVar

import yaml

from nmt.build import build_source
from nmt.config.schema import read
from nmt.config.settings import DataConfig
from nmt.data.corpus import load_corpus
from nmt.data.sources.base import Pairs
from nmt.lab.compare.runs import FinishedRun

NO_ATTENTION = "no attention"  # the name of the system without it
Runs = Mapping[str, Sequence[FinishedRun]]  # the runs of each system, one for each seed
PerSeed = tuple[float, ...]  # a value for each seed
Place = TypeVar("Place", int, str)  # of an axis: a distance, a position, a group of lengths
Lines = Mapping[str, Mapping[Place, PerSeed]]  # the values of each system at each place
NOT_ASKED: Mapping[str, PerSeed] = {}  # of a task without an easy form
LEVEL = 0.95
MARGIN = 5.0  # points: the largest difference that does not matter, where a claim names a margin
LEARNED = 95  # % of right answers in the easy form of a task: less is not learned
STEPS = 2_000  # of Simpson's rule


@dataclass(frozen=True)
class Text:
    """A text in English and in Korean."""

    en: str
    ko: str

    def filled(self, **values: object) -> Text:
        """Return the text with each of the values at the place of its name in braces."""
        en, ko = self.en, self.ko
        for name, value in values.items():
            here = value if isinstance(value, Text) else Text(str(value), str(value))
            en, ko = en.replace(f"{{{name}}}", here.en), ko.replace(f"{{{name}}}", here.ko)
        return Text(en, ko)


_FILE = yaml.safe_load(Path(__file__).with_name("texts.yaml").read_text("utf-8"))
TEXTS = {section: {name: Text(**both) for name, both in found.items()} for section, found in _FILE.items()}
SHARED = TEXTS["shared"]


@dataclass(frozen=True)
class OverSeeds:
    """The mean of a figure over `seeds` seeds; `half_width` is half its 95 % interval (Student's t)."""

    mean: float
    half_width: float
    seeds: int

    @property
    def above_zero(self) -> bool:
        """Whether the complete interval is above 0."""
        return self.mean > self.half_width

    def __str__(self) -> str:
        return f"{self.mean:.1f} ± {self.half_width:.1f}"


def over_seeds(values: Sequence[float], comparisons: int = 1) -> OverSeeds:
    """Return mean and interval of at least two values, one for each seed.

    Of several `comparisons`, all intervals together hold with a probability of at least 95 % (Bonferroni).
    """
    quantile = student_quantile(1 - (1 - LEVEL) / comparisons, len(values) - 1)
    return OverSeeds(fmean(values), quantile * stdev(values) / len(values) ** 0.5, len(values))


@functools.cache
def student_quantile(level: float, freedom: int) -> float:
    """Return the x for which Student's t with these degrees of freedom lies within ±x with the probability `level`."""
    low, high = 0.0, 1.0
    while _within(high, freedom) < level:
        high *= 2
    while high - low > 1e-6 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < level else (low, middle)
    return high


def _within(x: float, freedom: int) -> float:
    """Return the probability of ±x. With t = sqrt(freedom) tan(angle), the density is a power of the cosine."""
    end = math.atan(x / math.sqrt(freedom))
    width = end / STEPS
    values = [math.cos(step * width) ** (freedom - 1) for step in range(STEPS + 1)]
    integral = width / 3 * (values[0] + 4 * sum(values[1:-1:2]) + 2 * sum(values[2:-1:2]) + values[-1])
    scale = math.gamma((freedom + 1) / 2) / (math.sqrt(math.pi) * math.gamma(freedom / 2))
    return 2 * scale * integral


@dataclass(frozen=True)
class Loss:
    """The scores of the system without attention near and far, in each run."""

    near: PerSeed
    far: PerSeed

    @property
    def is_real(self) -> bool:
        """Whether the system scores less far away."""
        return over_seeds(minus(self.near, self.far)).above_zero


@dataclass(frozen=True)
class Contrast:
    """A difference that the claim predicts to be above 0; `values` has one for each seed.

    `margin` is the largest difference that does not matter. It is written down in the claim, before the run. `easy` has
    the accuracies (in %) of the compared systems in the easy form of the task. A difference between losses needs
    `loss`. `comparisons` is the number of differences that the interval is corrected for.
    """

    text: Text
    values: PerSeed
    loss: Loss | None = None
    margin: float = 0.0
    easy: tuple[PerSeed, ...] = ()
    comparisons: int = 1

    @property
    def interval(self) -> OverSeeds:
        """The mean difference and its interval over the seeds."""
        return over_seeds(self.values, self.comparisons)

    @property
    def untested(self) -> str | None:
        """The verdict if the runs cannot test the difference; None if they can."""
        return "not learned here" if any(fmean(each) < LEARNED for each in self.easy) else None

    @property
    def p_value(self) -> float:
        """The smallest p for which the interval of level 1 - p decides: without 0, or within the margin."""
        mean = abs(fmean(self.values))
        reach, error = max(mean, self.margin - mean), stdev(self.values) / len(self.values) ** 0.5
        return 1 - _within(reach / error, len(self.values) - 1) if error else float(reach == 0)

    @property
    def verdict(self) -> str:
        """no difference if the complete interval lies within the margin, otherwise supported or contradicted if it lies
        above or below 0, otherwise undecided.

        A difference is not learned here unless all its systems learn the easy form, by the means over their seeds. A
        difference between losses is not supported if the system without attention loses no score: then the other
        system has gained.
        """
        if self.untested is not None:
            return self.untested
        found = self.interval
        if abs(found.mean) + found.half_width < self.margin:
            return "no difference"
        if abs(found.mean) <= found.half_width:
            return "undecided"
        if found.mean < 0:
            return "contradicted"
        return "supported" if self.loss is None or self.loss.is_real else "undecided"


def corrected(found: Sequence[Contrast]) -> list[Contrast]:
    """Return the differences, corrected for the number of those that are tested (Holm).

    The smallest p-value counts against all of them, each following one against one less, until one is undecided.
    """
    order = sorted((number for number, each in enumerate(found) if not each.untested), key=lambda i: found[i].p_value)
    again, left = list(found), len(order)
    for number in order:
        again[number] = replace(found[number], comparisons=left)
        left -= found[number].p_value < (1 - LEVEL) / left
    return again


@dataclass(frozen=True)
class Curves:
    """The measurement for a claim: a figure with a line for each system. `axis` and `height` label its two axes.

    The points of a line are joined if `joined`, which is for places that are numbers, not names. `more` has values that
    the verdicts need and the figure does not show.
    """

    axis: Text
    height: Text
    lines: Lines[str]
    joined: bool = True
    more: Mapping[str, PerSeed] = field(default_factory=dict)


@dataclass(frozen=True)
class Table:
    """Figures beside the differences: for each row and column, a value for each seed, or one for all of them."""

    columns: Sequence[Text]
    rows: Mapping[str, Sequence[PerSeed]]


class Claim(ABC):
    """A claim of tutorials.

    A claim is a class in nmt/lab/claims, one name in the list there, and its texts in texts.yaml: the `claim` in the
    words of tutorials, the `method`, and what a student should `remember` from the measured page. A claim without its
    own `remember` has the shared one, which says that the page decides nothing. `numbers` are the values that the texts
    name in braces. `seeds` is the number of seeds that it takes; claims whose models differ more take more.
    """

    name: ClassVar[str]
    seeds: ClassVar[int] = 5
    numbers: ClassVar[Mapping[str, object]] = {}

    def text(self, key: str, **values: object) -> Text:
        """Return a text of this claim, or else a text that the claims share, with the values that it names."""
        return {**SHARED, **TEXTS[self.name]}[key].filled(**self.numbers, **values)

    def missing(self) -> str | None:
        """Return the packages or settings that are missing to measure the claim; None if nothing is missing."""
        return None

    def systems(self) -> Mapping[str, Sequence[str]]:
        """Return the settings of train.py for each system that is trained, without the seed; none by default.

        Claims with a system of the same settings share its trainings.
        """
        return {}

    @abstractmethod
    def measure(self, runs: Runs) -> Curves:
        """Return the measurement on the finished runs of all systems."""

    @abstractmethod
    def contrasts(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> tuple[Contrast, ...]:
        """Return the differences that the claim predicts, from the lines and the further values of the measurement."""

    def table(self, lines: Lines[str], more: Mapping[str, PerSeed]) -> Table | None:
        """Return further figures for the page; none by default."""
        return None


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


def accuracies(runs: Sequence[FinishedRun]) -> PerSeed:
    """Return the share (in %) of all test sentences that each run translates exactly."""
    return tuple(accuracy(run, range(len(run.hypotheses))) for run in runs)


def named(lines: Lines[int]) -> dict[str, dict[str, PerSeed]]:
    """Return the lines with the names of their places, as a figure shows them."""
    return {system: {str(place): values for place, values in line.items()} for system, line in lines.items()}


def mean(values: Iterable[PerSeed]) -> PerSeed:
    """Return the mean of several values, for each seed."""
    return tuple(map(fmean, zip(*values, strict=True)))


def mean_over(line: Mapping[Place, PerSeed], places: Iterable[Place]) -> PerSeed:
    """Return the mean of a line over some places, for each seed."""
    return mean(line[place] for place in places)


def minus(one: PerSeed, other: PerSeed) -> PerSeed:
    """Return the difference for each seed."""
    return tuple(a - b for a, b in zip(one, other, strict=True))


def alike(values: Mapping[str, PerSeed], text: Text, easy: Mapping[str, PerSeed] = NOT_ASKED) -> tuple[Contrast, ...]:
    """Return a contrast for each different value of these systems. Equal values give one contrast.

    `text` has "{system}" at the place of the system's name. `easy` has the accuracy of each system in the easy form,
    and that of "no attention", which they are compared with.
    """
    groups: dict[tuple[PerSeed, ...], list[str]] = {}
    for name, each in values.items():
        forms = (easy[NO_ATTENTION], easy[name]) if easy else ()
        groups.setdefault((each, *forms), []).append(name)
    return tuple(
        Contrast(text.filled(system=_listed(*names)), each, easy=tuple(forms))
        for (each, *forms), names in groups.items()
    )


def _listed(first: str, *others: str) -> Text | str:
    return SHARED["the_same"].filled(system=first, other=", ".join(others)) if others else first


def gained_by_attention(
    values: Mapping[str, PerSeed], what: Text, easy: Mapping[str, PerSeed] = NOT_ASKED
) -> tuple[Contrast, ...]:
    """Return the contrasts of the systems with attention: their value minus that of "no attention".

    `what` is the name of the value, and `easy` as in `alike`.
    """
    gained = {name: minus(each, values[NO_ATTENTION]) for name, each in values.items() if name != NO_ATTENTION}
    return alike(gained, SHARED["gained"].filled(what=what), easy)
