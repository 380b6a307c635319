"""`python scripts/benchmark.py translation`: the speed of trained and of exported models.

    python scripts/benchmark.py translation model=FOLDER [model=FOLDER ...] [data.path=FOLDER]

Each FOLDER is a run or an exported model; the first must be a run. The first 1,000 sentences of its test split are
translated on the CPU by each model, greedily and with the search of the model. The models take turns, three times each
after a warm-up, and the fastest time of each counts: from texts to texts, without loading. Then 200 sentences are
translated one by one on one thread.

The columns: the size of the files, the time to load the model, the first metric of the run, the share of greedy
translations that equal those of the first model, sentences in a second (with search, and greedily), and the median and
the 95th percentile of the time of a single sentence.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import torch

from nmt.build import build_metrics, build_source
from nmt.checkpoint import load_model
from nmt.cli.arguments import take
from nmt.cli.evaluate import data_of
from nmt.cli.table import Cell, Column, Table, text_cell, to_markdown
from nmt.data.corpus import load_corpus
from nmt.data.normalization import normalized
from nmt.errors import UserError
from nmt.evaluation.metrics.base import Metric
from nmt.export.base import read_format
from nmt.system import machine, process
from nmt.system.lines import as_line
from nmt.system.run_files import EXPORTED, find_checkpoint
from nmt.translation.base import BaseTranslator
from nmt.translation.loading import load_translator, require_data_settings

USAGE = "model=RUN [model=FOLDER ...] [data.path=FOLDER]"
SENTENCES, WARMUP, ROUNDS, SINGLE = 1000, 50, 3, 200
KINDS = ("own", "greedy")  # the model's own search, and greedy search
HEAD = ("MB", "load (s)")
TAIL = ("equal (%)", "sentences/s", "greedy sentences/s", "one sentence (ms)", "95th percentile (ms)")


@dataclass
class System:
    """A model and its measurements; `seconds` and `texts` are by the names in `KINDS`."""

    path: Path
    bytes: int
    load_seconds: float
    translator: BaseTranslator
    seconds: dict[str, float] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)
    single: list[float] = field(default_factory=list)

    def translate(self, sentences: Sequence[str], kind: str) -> list[str]:
        """Return the translations by the model's own search, or greedily."""
        fields: dict[str, Any] = {"beam_size": 1, "n_best": 1} if kind == "greedy" else {}
        return [as_line(each.text) for each in self.translator.translate(sentences, **fields)]


def run(arguments: Sequence[str]) -> None:
    """Measure, and print the report. Raises UserError for a mistake in `arguments`."""
    path, rest = take(list(arguments), "data.path")
    names = [word.removeprefix("model=") for word in rest if word.startswith("model=")]
    if not names or len(names) < len(rest):
        raise UserError(f"benchmark.py translation: got {' '.join(arguments) or 'nothing'}, expected {USAGE}")
    process.speed_up()
    sources, references, metric = _test_split(names[0], path)
    systems = [_load(Path(name)) for name in names]
    print(f"hardware: {machine.summary(machine.describe())}; {len(sources):,} sentences\n", flush=True)
    measure(systems, sources)
    print(to_markdown(_table(systems, metric, references)))


def measure(systems: Sequence[System], sources: Sequence[str]) -> None:
    """Let the systems translate in turns, then each sentence alone on one thread."""
    for kind in KINDS:
        for system in systems:
            system.translate(sources[:WARMUP], kind)
        for system in [*systems] * ROUNDS:
            started = time.perf_counter()
            system.texts[kind] = system.translate(sources, kind)
            seconds = time.perf_counter() - started
            system.seconds[kind] = min(seconds, system.seconds.get(kind, seconds))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    for system in systems:
        alone = _load(system.path)  # an engine takes its number of threads when it loads
        for source in sources[:SINGLE]:
            started = time.perf_counter()
            alone.translate([source], "own")
            system.single.append(time.perf_counter() - started)
    torch.set_num_threads(threads)


def _load(path: Path) -> System:
    exported = (path / EXPORTED).is_file()
    started = time.perf_counter()
    translator: BaseTranslator = read_format(path).open(path) if exported else load_translator(path, device="cpu")
    seconds = time.perf_counter() - started
    files = [file for file in path.iterdir() if file.is_file()] if exported else [find_checkpoint(path)]
    return System(path, sum(file.stat().st_size for file in files), seconds, translator)


def _test_split(name: str, path: str | None) -> tuple[list[str], list[str], Metric]:
    """Return the first sources and references of the test split, and the first metric of a run."""
    loaded = load_model(name)
    require_data_settings(loaded.config, loaded.path, "give the folder of a run")
    data = data_of(loaded, {} if path is None else {"path": path})
    pairs = list(islice(load_corpus(build_source(data), data, ("test",))["test"], SENTENCES))
    metrics = build_metrics(loaded.config["scores"], target_lang=data.target_lang)
    return [pair.source for pair in pairs], [normalized(pair.target) for pair in pairs], next(iter(metrics.values()))


def _table(systems: Sequence[System], metric: Metric, references: Sequence[str]) -> Table:
    rows = []
    for system in systems:
        same = [a == b for a, b in zip(systems[0].texts["greedy"], system.texts["greedy"], strict=True)]
        figures = [
            (".1f", system.bytes / 1e6),
            (".2f", system.load_seconds),
            (".2f", metric.score(system.texts["own"], references).value),
            (".1f", 100 * sum(same) / len(same)),
            *((",.0f", len(references) / system.seconds[kind]) for kind in KINDS),
            *((".1f", 1000 * float(np.percentile(system.single, share))) for share in (50, 95)),
        ]
        rows.append([text_cell(system.path.name), *(Cell(f"{value:{form}}", (value,)) for form, value in figures)])
    headings = [*HEAD, metric.label, *TAIL]
    return Table([Column("model", number=False), *map(Column, headings)], rows)
