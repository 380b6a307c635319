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

RESULTS = "results.tsv"
SPLITS = ("val", "test")


@dataclass(frozen=True)
class Job:
    """A finished job. `scores` maps the name of a column ("test BLEU") to the value."""

    number: int
    overrides: tuple[str, ...]
    scores: Mapping[str, float]

    @property
    def setting(self) -> str:
        """The overrides without the seed. Jobs with the same setting are repetitions of one experiment."""
        return " ".join(word for word in self.overrides if not word.startswith("seed="))


def finished(folders: Sequence[Path], overrides: Sequence[Sequence[str]]) -> list[Job]:
    """Return the jobs that have finished: those whose folder holds a metrics.json."""
    jobs = []
    for number, (folder, words) in enumerate(zip(folders, overrides, strict=True)):
        if (folder / "metrics.json").is_file():
            metrics: dict[str, Any] = json.loads((folder / "metrics.json").read_text("utf-8"))
            scores = {
                f"{split} {entry['label']}": entry["value"]
                for split in SPLITS
                for entry in metrics.get(split, {}).values()
            }
            jobs.append(Job(number, tuple(words), scores))
    return jobs


def columns(jobs: Sequence[Job]) -> list[str]:
    """Return the names of all columns, those of the validation split first."""
    names = list(dict.fromkeys(name for job in jobs for name in job.scores))
    return sorted(names, key=lambda name: SPLITS.index(name.partition(" ")[0]))


def summary(jobs: Sequence[Job]) -> str:
    """Return a table with one line for each job, then mean and standard deviation of jobs that differ only in seed."""
    names = columns(jobs)
    widths = [max(13, len(name)) for name in names]
    lines = [_line("job", names, widths, "overrides")]
    for job in jobs:
        cells = [f"{job.scores[name]:.2f}" if name in job.scores else "-" for name in names]
        lines.append(_line(str(job.number), cells, widths, " ".join(job.overrides)))
    repeated = defaultdict(list)
    for job in jobs:
        repeated[job.setting].append(job)
    for setting, group in repeated.items():
        if len(group) > 1:
            cells = [_spread([job.scores.get(name) for job in group]) for name in names]
            lines.append(_line(f"mean of {len(group):>3}", cells, widths, setting))
    return "\n".join(lines)


def _line(first: str, cells: Sequence[str], widths: Sequence[int], last: str) -> str:
    aligned = [f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)]
    return "  ".join([f"{first:>11}", *aligned, last]).rstrip()


def _spread(scores: Sequence[float | None]) -> str:
    values = [score for score in scores if score is not None]
    return f"{mean(values):.2f} ± {stdev(values):.2f}" if len(values) == len(scores) else "-"


def write(jobs: Sequence[Job], folder: Path) -> Path:
    """Write the jobs to results.tsv in `folder`, for a spreadsheet or pandas. Return the path of the file."""
    names = columns(jobs)
    lines = ["\t".join(("job", *names, "overrides"))]
    for job in jobs:
        cells = (str(job.scores.get(name, "")) for name in names)
        lines.append("\t".join((str(job.number), *cells, " ".join(job.overrides))))
    write_atomically(folder / RESULTS, "".join(f"{line}\n" for line in lines).encode())
    return folder / RESULTS
