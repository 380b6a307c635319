"""Compares finished runs: scores, significance against a baseline, seeds, lengths, and sentences that differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

import numpy as np

from nmt.cli.multirun import deviation
from nmt.errors import UserError
from nmt.evaluation.metrics.base import Metric, Scores, score
from nmt.evaluation.metrics.chrf import ChrF
from nmt.lab.compare.lengths import LengthGroup, length_groups, length_unit, score_on
from nmt.lab.compare.runs import EvaluationSet, FinishedRun
from nmt.lab.compare.significance import RESAMPLES, SHUFFLES, PairedBootstrap, bootstrap_test, randomization_test


@dataclass(frozen=True)
class PairedTests:
    """A run compared with a run of the baseline: the p-value by approximate randomization, and the paired bootstrap."""

    randomization: float
    bootstrap: PairedBootstrap


@dataclass(frozen=True)
class ComparedRun:
    """A run with its scores.

    `by_length` has its score in each group of lengths. `tests` has the tests of each metric that has `statistics`.
    `against` is the run that they compare it with: the baseline's run with the same seed, or else its first run. A run
    of the baseline itself has neither.
    """

    run: FinishedRun
    scores: Scores
    by_length: Sequence[float]
    against: FinishedRun | None
    tests: Mapping[str, PairedTests]


@dataclass(frozen=True)
class System:
    """All runs whose settings are equal except for the seed.

    `seeds` has the bootstrap over seeds and sentences of each metric that has `statistics`, if this system and the
    baseline have several runs each.
    """

    name: str
    runs: Sequence[ComparedRun]
    seeds: Mapping[str, PairedBootstrap]

    @property
    def by_length(self) -> list[float]:
        """The mean score of the runs in each group of lengths."""
        return [mean(values) for values in zip(*(each.by_length for each in self.runs), strict=True)]

    def mean(self, metric: str) -> float:
        """Return the mean score of the runs."""
        return mean(each.scores[metric].value for each in self.runs)

    def deviation(self, metric: str) -> float:
        """Return the standard deviation of the scores of the runs, of which there must be several."""
        return deviation([each.scores[metric].value for each in self.runs])


@dataclass(frozen=True)
class Difference:
    """A sentence that a system translates much better or worse than the baseline.

    `number` counts from 1. `gain` is the sentence's chrF of the system minus that of the baseline.
    """

    number: int
    source: str
    reference: str
    baseline: str
    system: str
    gain: float


@dataclass(frozen=True)
class Comparison:
    """Systems compared on a test set; the baseline is among them.

    `differences` has for each other system the sentences that gain most and lose most against the baseline. They come
    from the first runs of both. The bootstraps had `resamples`, approximate randomization had `shuffles`.
    """

    test_set: EvaluationSet
    metrics: Mapping[str, Metric]
    systems: Sequence[System]
    baseline: System
    lengths: Sequence[LengthGroup]
    differences: Mapping[str, Sequence[Difference]]
    resamples: int
    shuffles: int

    @property
    def tested(self) -> set[str]:
        """The metrics that have tests."""
        return {name for system in self.systems for each in system.runs for name in each.tests}

    @property
    def tests_seeds(self) -> bool:
        """Whether a system and the baseline have several runs each, so that there is a test over seeds."""
        return any(system.seeds for system in self.systems)

    @property
    def length_unit(self) -> str:
        """The unit of the lengths of the sources."""
        return length_unit(self.test_set.source_lang)


def compare(
    runs: Sequence[FinishedRun],
    baseline: FinishedRun,
    metrics: Mapping[str, Metric],
    *,
    bootstrap: int = RESAMPLES,
    shuffles: int = SHUFFLES,
    examples: int = 5,
) -> Comparison:
    """Return the comparison of `runs`, of which `baseline` is one, by `metrics`.

    Every score is computed from the translations, with an interval from `bootstrap` resamples; the bootstrap tests have
    the same number. Approximate randomization has `shuffles`. `examples` is the number of sentences that gain most, and
    also of sentences that lose most. Raises UserError unless all runs were tested on the same sentences.
    """
    for run in runs:
        _check_same(run, baseline)
    references = baseline.test_set.references
    counts = {  # computed once for all tests
        (name, run.folder): np.asarray(found, float)
        for name, metric in metrics.items()
        for run in runs
        if (found := metric.statistics(run.hypotheses, references, sources=run.test_set.sources)) is not None
    }
    tested = {name: metrics[name] for name, _ in counts}

    def bootstrapped(name: str, *sides: Sequence[FinishedRun]) -> PairedBootstrap:
        one, other = ([counts[name, run.folder] for run in side] for side in sides)
        return bootstrap_test(one, other, metric=tested[name], resamples=bootstrap)

    def paired(name: str, one: FinishedRun, other: FinishedRun) -> PairedTests:
        both = (counts[name, run.folder] for run in (one, other))
        p_value = randomization_test(*both, metric=tested[name], shuffles=shuffles)
        return PairedTests(p_value, bootstrapped(name, [one], [other]))

    groups = _systems(runs)
    against = next(group for group in groups.values() if baseline in group)
    lengths = length_groups(baseline.test_set.sources, baseline.test_set.source_lang)
    first_metric = next(iter(metrics.values()))
    systems = []
    for name, group in groups.items():
        compared = []
        for run in group:
            other = None if group is against else next((each for each in against if each.seed == run.seed), against[0])
            scores = score(metrics, run.hypotheses, references, sources=run.test_set.sources, bootstrap=bootstrap)
            tests = {} if other is None else {metric: paired(metric, other, run) for metric in tested}
            compared.append(ComparedRun(run, scores, _by_length(run, lengths, first_metric), other, tests))
        several = group is not against and min(len(group), len(against)) > 1
        seeds = {metric: bootstrapped(metric, against, group) for metric in tested} if several else {}
        systems.append(System(name, compared, seeds))
    first = next(system for system in systems if system.runs[0].run in against)
    differences = {
        system.name: largest_differences(first.runs[0].run, system.runs[0].run, examples)
        for system in systems
        if system is not first
    }
    return Comparison(baseline.test_set, metrics, systems, first, lengths, differences, bootstrap, shuffles)


def _check_same(run: FinishedRun, baseline: FinishedRun) -> None:
    ours, theirs = run.test_set, baseline.test_set
    if ours == theirs:
        return
    facts = [(each.source_lang, each.target_lang, f"{len(each.sources):,} sentences") for each in (ours, theirs)]
    one, two = ("{} to {}, {}".format(*each) for each in facts)
    raise UserError(
        f"{run.folder}: tested on other sentences ({one}) than {baseline.folder} ({two}); compare runs with the same "
        "test set, or translate one with evaluate.py and name it by data.test="
    )


def _systems(runs: Sequence[FinishedRun]) -> dict[str, list[FinishedRun]]:
    """Return the runs of each system, in the order of its first run, under a name that no other system has.

    A system has one run of each seed. A second run of a seed is one of another system, because a mean over seeds with
    both would count the seed twice.
    """
    groups: list[list[FinishedRun]] = []
    for run in runs:
        fitting = (group for group in groups if all(each.same_system(run) and each.seed != run.seed for each in group))
        same = next(fitting, None)
        if same is None:
            groups.append([run])
        else:
            same.append(run)
    names = [group[0].name for group in groups]
    for parts in (2, 0):  # of the folders that tell systems with the same name apart; 0: all parts
        shared = {name for name in names if names.count(name) > 1}
        for index, group in enumerate(groups):
            if names[index] in shared:
                names[index] = str(Path(*group[0].folder.absolute().parts[-parts:]))
    return dict(zip(names, groups, strict=True))


def _by_length(run: FinishedRun, groups: Sequence[LengthGroup], metric: Metric) -> list[float]:
    test = run.test_set
    return [score_on(group.indices, metric, test.sources, run.hypotheses, test.references) for group in groups]


def sentence_scores(hypotheses: Sequence[str], references: Sequence[str]) -> list[float]:
    """Return the chrF of each sentence, which is less often 0 than the BLEU of a sentence."""
    scorer = ChrF().scorer()
    pairs = zip(hypotheses, references, strict=True)
    return [float(scorer.sentence_score(hypothesis, [reference]).score) for hypothesis, reference in pairs]


def largest_differences(baseline: FinishedRun, system: FinishedRun, count: int) -> list[Difference]:
    """Return the `count` sentences whose chrF gains most against the baseline, then the `count` that lose most."""
    sources, references = system.test_set.sources, system.test_set.references
    lines = baseline.hypotheses, system.hypotheses
    before, after = (sentence_scores(each, references) for each in lines)
    gains = [one - other for one, other in zip(after, before, strict=True)]
    rows = zip(sources, references, *lines, gains, strict=True)
    found = [Difference(number, *row) for number, row in enumerate(rows, start=1)]
    found.sort(key=lambda each: -each.gain)
    better = [each for each in found[:count] if each.gain > 0]
    worse = [each for each in reversed(found[-count:] if count else []) if each.gain < 0]
    return better + worse
