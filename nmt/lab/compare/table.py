"""A comparison of runs as a table, as notes below it, as a page, and as plain values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from nmt.cli.output import Column, Table
from nmt.evaluation.metrics.base import labels
from nmt.lab.compare.compare import ComparedRun, Comparison, System
from nmt.lab.compare.significance import PairedBootstrap
from nmt.lab.html import COLORS, chart, render

ZERO = "A score of 0 can mean that the sentences are too short: BLEU needs translations of four words or more."
EQUAL_UPDATES = 1.05  # if the updates of runs differ by a larger factor, their length differs too
FACTS = {"parameters": ",", "updates": ",", "minutes": ".1f", "tokens/s": ",.0f", "sentences/s": ",.0f"}  # formats


def systems_table(comparison: Comparison) -> Table:
    """Return a row for each run, and after the runs of a system with several seeds a row with their mean.

    The columns of a metric are its score with the interval, the difference from the baseline with the interval, and
    the p-value of the difference. In the row of a mean, the difference and its p-value come from the test over seeds
    and sentences. If all runs are of one system, there is no difference to test. The last columns are facts of the run.
    """
    names = []
    for name, label in labels(comparison.metrics).items():
        names += [label, *([f"{label} difference", f"{label} p"] if name in comparison.tested else [])]
    texts = ("system", "seed", "model")
    columns = [Column(name, number=name not in texts) for name in ("system", "seed", *names, *FACTS, "model")]
    rows = [list(row) for system in comparison.systems for row in _rows(comparison, system)]
    return Table(columns, rows)


def _rows(comparison: Comparison, system: System) -> Iterator[list[str]]:
    mark = " (baseline)" if system is comparison.baseline and len(comparison.systems) > 1 else ""
    for each in system.runs:
        yield [system.name + mark, str(each.run.seed) if each.run.config else "", *_run_cells(comparison, each)]
    if len(system.runs) > 1:
        yield [system.name + mark, f"mean of {len(system.runs)}", *_mean_cells(comparison, system)]


def _run_cells(comparison: Comparison, each: ComparedRun) -> Iterator[str]:
    for name in comparison.metrics:
        found, tests = each.scores[name], each.tests.get(name)
        yield f"{found.value:.2f}" + (f" ± {found.interval.half_width:.2f}" if found.interval else "")
        if name in comparison.tested:
            yield from ("", "") if tests is None else (_difference(tests.bootstrap), _p(tests.randomization))
    facts = run_facts(each)
    yield from (f"{facts[name]:{kind}}" if facts else "" for name, kind in FACTS.items())
    yield each.run.model


def _mean_cells(comparison: Comparison, system: System) -> Iterator[str]:
    for name in comparison.metrics:
        yield f"{system.mean(name):.2f} ± {system.deviation(name):.2f}"
        if name in comparison.tested:
            test = system.seeds.get(name)
            yield from ("", "") if test is None else (_difference(test), _p(test.p))
    yield from [""] * (len(FACTS) + 1)


def run_facts(each: ComparedRun) -> dict[str, float]:
    """Return a model's size, the updates and minutes of its training, and its speed in training and translation.

    A file of translations has none of these facts.
    """
    if not (metrics := each.run.metrics):
        return {}
    values = (
        metrics["parameters"],
        metrics["updates"],
        metrics["wall_seconds"] / 60,
        metrics["target_tokens_per_second"],
        len(each.run.hypotheses) / max(each.run.seconds, 1e-9),
    )
    return dict(zip(FACTS, values, strict=True))


def _difference(test: PairedBootstrap) -> str:
    return f"{test.difference:+.2f} ± {test.half_width:.2f}"


def _p(value: float) -> str:
    return "<0.001" if value < 0.001 else f"{value:.3f}"


def lengths_table(comparison: Comparison) -> Table:
    """Return the first metric's scores by the length of the source: a row for each system."""
    columns = [Column("system", number=False)]
    columns += [Column(f"{group} ({len(group.indices)})") for group in comparison.lengths]
    rows = [[each.name, *(f"{value:.2f}" for value in each.by_length)] for each in comparison.systems]
    return Table(columns, rows)


def title(comparison: Comparison) -> str:
    """Return the title: a comparison of systems, or of the runs of one system."""
    first, *others = comparison.systems
    if others:
        return f"Comparison of {len(comparison.systems)} systems"
    return f"Comparison of {len(first.runs)} runs of {first.name}, which differ only in their seed"


def length_caption(comparison: Comparison) -> str:
    """Return the caption of the chart of lengths; the table also has the number of sentences."""
    label, unit = next(iter(labels(comparison.metrics).values())), comparison.length_unit
    return f"{label} by the length of the source in {unit}"


def notes(comparison: Comparison) -> list[str]:
    """Return explanations of the figures in the table, one in each line."""
    test_set = comparison.test_set
    lines = [
        f"{len(test_set.sources):,} sentences, {test_set.source_lang} to {test_set.target_lang}.",
        f"± after the score of a run: 95% interval over the sentences ({comparison.resamples:,} resamples).",
    ]
    if len(comparison.systems) > 1:
        lines.append(
            "difference: the score minus that of the baseline ± its 95% interval by paired bootstrap; in the row of a "
            "mean, over seeds and sentences."
        )
        lines.append(
            "p: probability of a difference from the baseline at least this large if both were equally good, by paired "
            f"approximate randomization ({comparison.shuffles:,} shuffles). Each run is tested against the baseline's "
            "run with the same seed, or else its first run. Among many comparisons, one small p may be chance."
        )
    lines.append("tokens/s: target tokens a second in training; sentences/s: translated sentences a second.")
    if any(len(system.runs) > 1 for system in comparison.systems):
        lines.append("mean of N: mean ± standard deviation over seeds.")
    if comparison.tests_seeds:
        lines[-1] += (
            " Its p comes from a bootstrap over seeds and sentences (Sellam et al. 2022). With few seeds, this p is "
            "too small, and the interval is too narrow."
        )
    if any(0 in system.by_length for system in comparison.systems):
        lines.append(ZERO)
    runs = (each.run for system in comparison.systems for each in system.runs)
    return [*lines, *cautions([run.metrics for run in runs if run.metrics])]


def cautions(runs: Sequence[Mapping[str, Any]]) -> list[str]:
    """Return sentences for the end of a table of runs, given their metrics.json: why the scores may say little."""
    updates = sorted(each["updates"] for each in runs)
    few = sum(each.get("epochs", 1) < 1 or each.get("by_chance", False) for each in runs)
    found = {
        f"The runs made {updates[0]:,} to {updates[-1]:,} updates, so their scores also differ by the length of "
        "training; trainer.max_steps=NUMBER ends all after the same number.": updates[-1] > EQUAL_UPDATES * updates[0],
        f"{few} of {len(runs)} runs have learned too little to be compared: they ended in their first epoch, or their "
        "score is only chance; train longer.": few > 0,
    }
    return [text for text, holds in found.items() if holds]


def signatures(comparison: Comparison) -> dict[str, str]:
    """Return the signature of each metric that has one, by its label."""
    scores = comparison.baseline.runs[0].scores
    return {
        label: str(scores[name].signature) for name, label in labels(scores.metrics).items() if scores[name].signature
    }


def to_dict(comparison: Comparison) -> dict[str, Any]:
    """Return the complete comparison as plain values."""
    return {
        "source_lang": comparison.test_set.source_lang,
        "target_lang": comparison.test_set.target_lang,
        "sentences": len(comparison.test_set.sources),
        "baseline": comparison.baseline.name,
        "resamples": comparison.resamples,
        "shuffles": comparison.shuffles,
        "systems": [_system(comparison, system) for system in comparison.systems],
        "lengths": {
            "metric": next(iter(comparison.metrics)),
            "unit": comparison.length_unit,
            "groups": [
                {"low": group.low, "high": group.high, "sentences": len(group.indices)} for group in comparison.lengths
            ],
        },
        "differences": {name: [asdict(each) for each in found] for name, found in comparison.differences.items()},
    }


def _system(comparison: Comparison, system: System) -> dict[str, Any]:
    several = len(system.runs) > 1
    return {
        "name": system.name,
        "model": system.runs[0].run.model,
        "runs": [
            {
                "folder": str(each.run.folder),
                "seed": each.run.seed,
                **run_facts(each),
                "scores": each.scores.to_dict(),
                "by_length": list(each.by_length),
                "against": None if each.against is None else str(each.against.folder),
                "tests": {name: asdict(tests) for name, tests in each.tests.items()},
            }
            for each in system.runs
        ],
        "mean": {name: system.mean(name) for name in comparison.metrics},
        "deviation": {name: system.deviation(name) for name in comparison.metrics} if several else None,
        "seeds_tests": {name: asdict(test) for name, test in system.seeds.items()},
        "by_length": system.by_length,
    }


def comparison_page(comparison: Comparison) -> str:
    """Return a comparison as an HTML page: the tables, a chart of scores by length, and sentences that differ."""
    return render(
        "comparison.html",
        title=title(comparison),
        comparison=comparison,
        systems=systems_table(comparison),
        lengths=lengths_table(comparison),
        caption=length_caption(comparison),
        notes=notes(comparison),
        signatures=signatures(comparison),
        chart=chart(
            [str(group) for group in comparison.lengths],
            {system.name: system.by_length for system in comparison.systems},
        ),
        colors=COLORS,
    )
