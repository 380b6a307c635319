"""The differences between the jobs of a multirun (-m), and the table of their results.

The table also has their mean and standard deviation over seeds.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, nan
from pathlib import Path
from statistics import mean, stdev

from nmt.cli.table import Cell, Column, Table, text_cell, to_markdown, to_text, to_tsv
from nmt.config.schema import MetricsFile, read_json
from nmt.system.atomic import write_atomically
from nmt.system.run_files import METRICS

SEED = "seed"  # jobs that differ only in this setting are runs of one system
LONGEST_VALUE, LONGEST_NAME = 30, 150  # characters, and bytes of UTF-8: file systems allow 255 bytes
TSV, MARKDOWN = "results.tsv", "results.md"
SPLITS = ("val", "test")
PARAMETERS, UPDATES, MINUTES = SIZES = "parameters", "updates", "minutes"


def differences(jobs: Sequence[Sequence[str]]) -> list[dict[str, str]]:
    """Return for each job the settings whose values differ between the jobs, under short names.

    `jobs` holds the overrides of each job (key=value). The short name of `model/attention` is `attention`, unless
    another of these settings ends in the same word. The name `seed` is only for the key `seed`, not for `data.seed`.
    """
    settings = [{key.lstrip("+"): value for key, _, value in (word.partition("=") for word in words)} for words in jobs]
    keys = list(dict.fromkeys(key for each in settings for key in each))
    differing = [key for key in keys if len({each.get(key) for each in settings}) > 1]
    last = [re.split("[/.@]", key)[-1] for key in differing]
    unclear = {name for name in last if last.count(name) > 1} | {SEED}
    names = {key: key if name in unclear else name for key, name in zip(differing, last, strict=True)}
    return [{names[key]: each.get(key, "") for key in differing} for each in settings]


def common(jobs: Sequence[Sequence[str]]) -> list[str]:
    """Return the overrides that all jobs have."""
    return [word for word in jobs[0] if all(word in words for words in jobs)]


def folder_name(number: int, settings: Mapping[str, str]) -> str:
    """Return the name of a job's folder: "3_attention=luong,seed=2". TensorBoard shows it as the name of the run."""
    parts = [f"{_plain(key)}={_plain(value)[:LONGEST_VALUE]}" for key, value in settings.items()]
    label = ",".join(parts).encode()[:LONGEST_NAME].decode(errors="ignore")
    return f"{number}_{label}" if label else str(number)


def _plain(text: str) -> str:
    """Return `text` without characters that are special in paths, shells or Hydra's grammar."""
    return re.sub(r"[^\w.+-]+", "-", text).strip("-")


# The table


@dataclass(frozen=True)
class Result:
    """The result of a finished job, or the mean or deviation of several.

    `settings` are the settings that differ between the jobs. `figures` maps the name of a column ("test BLEU",
    "parameters") to the value.
    """

    job: str
    settings: Mapping[str, str]
    figures: Mapping[str, float]


def read_result(number: int, settings: Mapping[str, str], folder: Path) -> Result:
    """Return the result of a finished job from the metrics.json in its folder."""
    metrics = read_json(folder / METRICS, MetricsFile, remedy="train the job again")
    splits = {"val": metrics.get("val", {}), "test": metrics.get("test", {})}
    scores = {f"{split} {one['label']}": one["value"] for split, found in splits.items() for one in found.values()}
    size = dict(zip(SIZES, (metrics["parameters"], metrics["updates"], metrics["wall_seconds"] / 60), strict=True))
    return Result(str(number), settings, scores | size)


def with_means(results: Sequence[Result]) -> list[Result]:
    """Return the results, then mean and standard deviation of all jobs that differ only in their seed."""
    groups: dict[tuple[tuple[str, str], ...], list[Result]] = defaultdict(list)
    for result in results:
        groups[tuple((key, value) for key, value in result.settings.items() if key != SEED)].append(result)
    return [*results, *(row for settings, group in groups.items() if len(group) > 1 for row in _mean(settings, group))]


def _mean(settings: tuple[tuple[str, str], ...], group: Sequence[Result]) -> Iterator[Result]:
    names = [name for name in group[0].figures if all(name in result.figures for result in group)]
    for job, measure in ((f"mean of {len(group)}", mean), ("deviation", deviation)):
        figures = {name: float(measure([result.figures[name] for result in group])) for name in names}
        yield Result(job, dict(settings), figures)


def deviation(values: Sequence[float]) -> float:
    """Return the standard deviation of several values: NaN if one of them is NaN or infinite."""
    return stdev(values) if all(map(isfinite, values)) else nan


def write(results: Sequence[Result], shared: Sequence[str], folder: Path) -> str:
    """Write the results to results.tsv (all digits) and results.md in `folder`. Return the table for the terminal.

    `shared` are the words that all jobs have.
    """
    settings = list(results[0].settings)
    names = dict.fromkeys(name for result in results for name in result.figures)
    scores = [name for name in names if name not in SIZES]
    figures = [*SIZES, *sorted(scores, key=lambda name: SPLITS.index(name.partition(" ")[0]))]
    table = Table(
        [Column(name, number=False) for name in ("job", *settings)] + [Column(name) for name in figures],
        [
            [
                *(text_cell(text) for text in (result.job, *(result.settings.get(name, "") for name in settings))),
                *(Cell(_rounded(name, result.figures.get(name)), (result.figures.get(name),)) for name in figures),
            ]
            for result in results
        ],
    )
    common_words = f"\nAll jobs: `{' '.join(shared)}`\n" if shared else ""
    write_atomically(folder / TSV, to_tsv(table).encode())
    write_atomically(folder / MARKDOWN, (to_markdown(table) + common_words).encode())
    lines = [to_text(table), *([f"all jobs: {' '.join(shared)}"] if shared else [])]
    return "\n".join([*lines, f"written to {folder / TSV} and {folder / MARKDOWN}"])


def _rounded(name: str, value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if name in (PARAMETERS, UPDATES) else f"{value:.1f}" if name == MINUTES else f"{value:.2f}"
