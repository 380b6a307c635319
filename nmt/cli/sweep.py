"""The table of a multirun (-m): the scores of its jobs, and their mean and standard deviation over seeds."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from nmt.atomic import write_atomically
from nmt.run_files import METRICS

RESULTS = "results.tsv"
SPLITS = ("val", "test")


@dataclass(frozen=True)
class Result:
    """The result of a finished job. `scores` maps the name of a column ("test BLEU") to the value."""

    number: int
    overrides: tuple[str, ...]
    scores: Mapping[str, float]

    @property
    def setting(self) -> str:
        """The overrides without the seed. Jobs with the same setting are repetitions of one experiment."""
        return " ".join(word for word in self.overrides if not word.startswith("seed="))


def read_result(number: int, overrides: Sequence[str], folder: Path) -> Result:
    """Return the result of a finished job from the metrics.json in its folder."""
    metrics: dict[str, Any] = json.loads((folder / METRICS).read_text("utf-8"))
    scores = {
        f"{split} {entry['label']}": entry["value"] for split in SPLITS for entry in metrics.get(split, {}).values()
    }
    return Result(number, tuple(overrides), scores)


def columns(results: Sequence[Result]) -> list[str]:
    """Return the names of all columns, those of the validation split first."""
    names = list(dict.fromkeys(name for result in results for name in result.scores))
    return sorted(names, key=lambda name: SPLITS.index(name.partition(" ")[0]))


def summary(results: Sequence[Result]) -> str:
    """Return a table with one line for each job, then mean and standard deviation of jobs that differ only in seed."""
    names = columns(results)
    widths = [max(13, len(name)) for name in names]
    lines = [_line("job", names, widths, "overrides")]
    for result in results:
        cells = [f"{result.scores[name]:.2f}" if name in result.scores else "-" for name in names]
        lines.append(_line(str(result.number), cells, widths, " ".join(result.overrides)))
    repeated = defaultdict(list)
    for result in results:
        repeated[result.setting].append(result)
    for setting, group in repeated.items():
        if len(group) > 1:
            cells = [_spread([each.scores.get(name) for each in group]) for name in names]
            lines.append(_line(f"mean of {len(group):>3}", cells, widths, setting))
    return "\n".join(lines)


def _line(first: str, cells: Sequence[str], widths: Sequence[int], last: str) -> str:
    aligned = [f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)]
    return "  ".join([f"{first:>11}", *aligned, last]).rstrip()


def _spread(scores: Sequence[float | None]) -> str:
    values = [score for score in scores if score is not None]
    return f"{mean(values):.2f} ± {stdev(values):.2f}" if len(values) == len(scores) else "-"


def write(results: Sequence[Result], folder: Path) -> Path:
    """Write the results to results.tsv in `folder`, for a spreadsheet or pandas. Return the path of the file."""
    names = columns(results)
    lines = ["\t".join(("job", *names, "overrides"))]
    for result in results:
        cells = (str(result.scores.get(name, "")) for name in names)
        lines.append("\t".join((str(result.number), *cells, " ".join(result.overrides))))
    write_atomically(folder / RESULTS, "".join(f"{line}\n" for line in lines).encode())
    return folder / RESULTS
