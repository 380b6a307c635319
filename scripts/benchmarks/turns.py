"""`python scripts/benchmark.py turns`: the speed of training with other settings.

    python scripts/benchmark.py turns [with="KEY=VALUE ..."] [with=...] [turns=3] [busy=1] [any override]

The first system has the overrides of the command. Each `with=` adds a system with further overrides; a key in capital
letters is a variable of the environment, such as `with=OMP_NUM_THREADS=1`. The systems take turns. Each turn is a
process of its own, which trains as `python scripts/benchmark.py` does, with 10 and then 60 timed updates. With
`busy=2`, two other programs compute at the same time without end. The table has the median of the target tokens in a
second, and the ratio to the first system: the median of the turns, and in brackets their range.
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


def command(words: Sequence[str]) -> list[str]:
    """Return the command that measures once with these words, of which some are variables of the environment."""
    variables = [word for word in words if word[0].isupper()]
    return ["env", *variables, sys.executable, str(BENCHMARK), *(word for word in words if word not in variables)]


def run(arguments: Sequence[str]) -> None:
    """Measure, and print the table. Raises UserError for a mistake in the arguments."""
    numbers, rest = {}, list(arguments)
    for key, default, least in (("turns", "3", 1), ("busy", "0", 0)):
        given, rest = take(rest, key)
        if not (given or default).isdecimal() or int(given or default) < least:
            raise UserError(f"{key}: got {given}, expected a number from {least}, such as {key}=3")
        numbers[key] = int(given or default)
    added = [word.removeprefix("with=") for word in rest if word.startswith("with=")]
    common = [word for word in rest if not word.startswith("with=")]
    systems = [System(words or "as it is", command([*common, *words.split()])) for words in ["", *added]]
    print(f"hardware: {machine.describe()}\n", flush=True)
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(numbers["busy"])]
    try:
        for system in systems * numbers["turns"]:
            system.measure()
    finally:
        for other in others:
            other.kill()
    rows = [
        [each.name, f"{statistics.median(each.rates):,.0f}", ratio(each.rates, systems[0].rates)] for each in systems
    ]
    columns = [Column("system", number=False), Column("target tokens/s"), Column("ratio to the first")]
    print(to_markdown(Table(columns, rows)))
