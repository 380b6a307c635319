"""What the jobs of a multirun (-m) reached, side by side."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, stdev
from typing import Any

from nmt.atomic import write_atomically

RESULTS = "results.tsv"
COLUMNS = ("val BLEU", "test BLEU", "test chrF")
_KEYS = (("val", "bleu"), ("test", "bleu"), ("test", "chrf"))


@dataclass(frozen=True)
class Job:
    """A job that came to its end: its number, its overrides, and its scores in the order of COLUMNS, None for none."""

    number: int
    overrides: tuple[str, ...]
    scores: tuple[float | None, ...]

    @property
    def setting(self) -> str:
        """The overrides without the seed: jobs that share them are repetitions."""
        return " ".join(word for word in self.overrides if not word.startswith("seed="))


def finished(folders: Sequence[Path], overrides: Sequence[Sequence[str]]) -> list[Job]:
    """Return the jobs whose folder holds a metrics.json."""
    jobs = []
    for number, (folder, words) in enumerate(zip(folders, overrides, strict=True)):
        if (folder / "metrics.json").is_file():
            metrics: dict[str, Any] = json.loads((folder / "metrics.json").read_text("utf-8"))
            jobs.append(Job(number, tuple(words), tuple(metrics.get(split, {}).get(key) for split, key in _KEYS)))
    return jobs


def summary(jobs: Sequence[Job]) -> str:
    """Return a table of the jobs, then mean and standard deviation of those that differ in their seed alone."""
    head = [f"{'job':>11}", *(f"{name:>13}" for name in COLUMNS)]
    lines = ["  ".join([*head, "overrides"])]
    for job in jobs:
        cells = ["-" if score is None else f"{score:.2f}" for score in job.scores]
        lines.append("  ".join([f"{job.number:>11}", *(f"{cell:>13}" for cell in cells), " ".join(job.overrides)]))
    repeated = defaultdict(list)
    for job in jobs:
        repeated[job.setting].append(job)
    for setting, group in repeated.items():
        if len(group) > 1:
            cells = [_spread(scores) for scores in zip(*(job.scores for job in group), strict=True)]
            lines.append("  ".join([f"mean of {len(group):>3}", *(f"{cell:>13}" for cell in cells), setting]))
    return "\n".join(line.rstrip() for line in lines)


def _spread(scores: tuple[float | None, ...]) -> str:
    values = [score for score in scores if score is not None]
    return f"{mean(values):.2f} ± {stdev(values):.2f}" if len(values) == len(scores) else "-"


def write(jobs: Sequence[Job], folder: Path) -> Path:
    """Write the jobs to results.tsv in the multirun's folder, for a spreadsheet or pandas; return its path."""
    lines = ["\t".join(("job", *COLUMNS, "overrides"))]
    for job in jobs:
        cells = ("" if score is None else str(score) for score in job.scores)
        lines.append("\t".join((str(job.number), *cells, " ".join(job.overrides))))
    write_atomically(folder / RESULTS, "".join(f"{line}\n" for line in lines).encode())
    return folder / RESULTS
