"""`python scripts/benchmark.py turns`: the speed of training with other settings.

    python scripts/benchmark.py turns [with="KEY=VALUE ..."] [with=...] [turns=3] [any override]

The first system has the overrides of the command. Each `with=` adds a system with further overrides. The systems take
turns. Each turn is a process of its own, which trains as `python scripts/benchmark.py` does, with 10 and then 60 timed
updates. The table has the median of the target tokens in a second, and the ratio to the first system: the median of the
turns, and in brackets their range.
"""

from __future__ import annotations

import re
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from nmt.cli.arguments import take
from nmt.cli.output import Column, Table, to_markdown
from nmt.errors import UserError
from nmt.system import machine

BENCHMARK = Path(__file__).resolve().parents[1] / "benchmark.py"
RATE = re.compile(r"training: ([\d,]+) real target tokens/s")


@dataclass
class System:
    """A system, the command that trains it, and its target tokens in a second in each turn."""

    name: str
    command: list[str]
    rates: list[float] = field(default_factory=list)

    def measure(self) -> None:
        """Train once. Raises UserError if the command fails."""
        done = subprocess.run(self.command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        found = RATE.search(done.stdout)
        if done.returncode or not found:
            raise UserError(f"{self.name}: {(done.stdout.strip().splitlines() or ['no output'])[-1][:300]}")
        self.rates.append(float(found[1].replace(",", "")))


def ratio(figures: Sequence[float], first: Sequence[float]) -> str:
    """Return the median and the range of the ratios to the figures of the first system, which has as many turns."""
    ratios = [mine / its for mine, its in zip(figures, first, strict=True)]
    return f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"


def run(arguments: Sequence[str]) -> None:
    """Measure, and print the table. Raises UserError for a mistake in the arguments."""
    turns, rest = take(list(arguments), "turns")
    if not (turns or "3").isdecimal() or int(turns or 3) == 0:
        raise UserError(f"turns: got {turns}, expected a number of turns, such as turns=3")
    added = [word.removeprefix("with=") for word in rest if word.startswith("with=")]
    common = [word for word in rest if not word.startswith("with=")]
    systems = [
        System(words or "as it is", [sys.executable, str(BENCHMARK), *common, *words.split()]) for words in ["", *added]
    ]
    print(f"hardware: {machine.describe()}\n", flush=True)
    for system in systems * int(turns or 3):
        system.measure()
    rows = [
        [each.name, f"{statistics.median(each.rates):,.0f}", ratio(each.rates, systems[0].rates)] for each in systems
    ]
    columns = [Column("system", number=False), Column("target tokens/s"), Column("ratio to the first")]
    print(to_markdown(Table(columns, rows)))
