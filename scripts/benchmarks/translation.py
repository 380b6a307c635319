"""`python scripts/benchmark.py translation`: the speed of trained and of exported models.

    python scripts/benchmark.py translation model=FOLDER [model=FOLDER ...] [data.path=FOLDER]

Each FOLDER is a run or an exported model; the first must be a run. Each model has a process of its own, because two
libraries in one process disturb each other's threads. On the CPU, it translates 200 sentences of its test split one by
one with one thread. Then it translates the first 1,000 sentences with all threads, greedily and with its own search.
The models take turns, five times each after a warm-up. A time is from texts to texts, without loading.

A run that CTranslate2 can hold has a second row with `engine=ctranslate2`. This and an export have another row,
`CTranslate2 alone`: its own translate_batch as in the README.md of an export. Each thread translates batches of its
own, as is fastest for it.

The columns: the size of the files, the peak of the memory with one thread (on Linux), the time to load the model, the
first metric of the run, the share of greedy translations that equal those of the first model, sentences in a second
(with search, and greedily; the fastest time), both times as ratios to those of CTranslate2 alone, or else of the first
model (the median of the turns, and in brackets their range), and the median and the 95th percentile of the time of a
single sentence.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import torch

from nmt.build import build_metrics, build_source
from nmt.checkpoint import load_model
from nmt.cli.arguments import take
from nmt.cli.evaluate import data_of
from nmt.cli.output import Column, Table, to_markdown
from nmt.data.corpus import load_corpus
from nmt.data.normalization import normalized
from nmt.deploy.export.ctranslate2 import CTranslate2Translator
from nmt.errors import UserError
from nmt.evaluation.metrics.base import Metric
from nmt.search.beam import BeamSearch
from nmt.system import machine, process
from nmt.system.lines import as_line
from nmt.system.run_files import find_checkpoint, is_exported
from nmt.translation.base import BaseTranslator
from nmt.translation.loading import load, require_data_settings
from scripts.benchmarks.turns import ratio

USAGE = "model=RUN [model=FOLDER ...] [data.path=FOLDER]"
SENTENCES, WARMUP, ROUNDS, SINGLE = 1000, 50, 5, 200
KINDS = ("own", "greedy")  # the model's own search, and greedy search
ALONE = "CTranslate2 alone"
HEAD = ("MB", "memory (MB)", "load (s)")
RATES = ("sentences/s", "greedy sentences/s", "time / CTranslate2", "greedy time / CTranslate2")
TAIL = ("equal (%)", *RATES, "one sentence (ms)", "95th percentile (ms)")
BATCH = 512  # tokens, of CTranslate2 alone; 256 and 1,024 are as fast


@dataclass(frozen=True)
class Alone:
    """What was measured in a process of its own: seconds to load, seconds of each sentence, peak memory in bytes."""

    load: float
    seconds: list[float]
    memory: int


class CTranslate2Alone:
    """CTranslate2's own search of a batch, with texts on both sides."""

    def __init__(self, ours: CTranslate2Translator) -> None:
        self.ours = ours
        self.source_names = ours.tokenizer.source_vocabulary
        self.ids = {name: index for index, name in enumerate(ours.tokenizer.target_vocabulary)}

    def translate(self, sentences: Sequence[str], **fields: int) -> list[SimpleNamespace]:
        """Return the best translation of each sentence, without its scores."""
        assert isinstance(self.ours.search, BeamSearch)
        search = replace(self.ours.search, **fields)  # type: ignore[arg-type]
        tokenizer = self.ours.tokenizer
        results = self.ours.translator.translate_batch(
            [[self.source_names[index] for index in ids[:-1]] for ids in tokenizer.encode_source(sentences)],
            beam_size=search.beam_size,
            length_penalty=search.length_penalty,
            patience=2,
            suppress_sequences=[["<pad>"], ["<s>"]],
            max_batch_size=BATCH,
            batch_type="tokens",
        )
        found = [[self.ids[name] for name in result.hypotheses[0]] for result in results]
        return [SimpleNamespace(text=tokenizer.decode_target(ids)) for ids in found]


class System:
    """A model in a process of its own, and its measurements; `seconds` and `texts` are by the names in `KINDS`."""

    def __init__(self, path: Path, kind: str, sources: Sequence[str]) -> None:
        self.name, self.path, self.kind = ", ".join(filter(None, (path.name, kind))), path, kind
        self.pool = ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn"))
        self.alone = self.pool.submit(_alone, path, kind, sources).result()
        self.pool.submit(_open, path, kind, torch.get_num_threads()).result()
        self.seconds: dict[str, list[float]] = {kind: [] for kind in KINDS}
        self.texts: dict[str, list[str]] = {}

    @property
    def bytes(self) -> int:
        """The size of the checkpoint, or of all files of an exported model."""
        exported = is_exported(self.path)
        files = [file for file in self.path.iterdir() if file.is_file()] if exported else [find_checkpoint(self.path)]
        return sum(file.stat().st_size for file in files)

    def translate(self, sentences: Sequence[str], kind: str) -> float:
        """Translate by the model's own search, or greedily. Return the seconds that this took."""
        seconds, self.texts[kind] = self.pool.submit(_translate, sentences, kind).result()
        return seconds


def run(arguments: Sequence[str]) -> None:
    """Measure, and print the report. Raises UserError for a mistake in `arguments`."""
    path, rest = take(list(arguments), "data.path")
    names = [word.removeprefix("model=") for word in rest if word.startswith("model=")]
    if not names or len(names) < len(rest):
        raise UserError(f"benchmark.py translation: got {' '.join(arguments) or 'nothing'}, expected {USAGE}")
    sources, references, metric = _test_split(names[0], path)
    systems = [system for name in names for system in _systems(Path(name), sources[:SINGLE])]
    print(f"hardware: {machine.describe()}; {len(sources):,} sentences\n", flush=True)
    measure(systems, sources)
    print(to_markdown(_table(systems, metric, references)))


def _systems(path: Path, sources: Sequence[str]) -> Iterator[System]:
    """Yield a model in each way in which it can be used."""
    yield System(path, "", sources)  # an error is raised here
    with suppress(UserError):  # CTranslate2 does not have the model or its search
        if not is_exported(path):
            yield System(path, "engine=ctranslate2", sources)
        yield System(path, ALONE, sources)


def measure(systems: Sequence[System], sources: Sequence[str]) -> None:
    """Let the systems translate in turns."""
    for kind in KINDS:
        for system in systems:
            system.translate(sources[:WARMUP], kind)
        for system in [*systems] * ROUNDS:
            system.seconds[kind].append(system.translate(sources, kind))


# In the process of a system

_translator: BaseTranslator | CTranslate2Alone


def _open(path: Path, kind: str, threads: int) -> None:
    global _translator
    process.speed_up()
    torch.set_num_threads(threads)
    ours, _ = load(path, device="cpu", engine="ctranslate2" if kind else "torch")
    _translator = CTranslate2Alone(ours) if kind == ALONE and isinstance(ours, CTranslate2Translator) else ours


def _alone(path: Path, kind: str, sources: Sequence[str]) -> Alone:
    started = time.perf_counter()
    _open(path, kind, 1)
    times = [time.perf_counter()]
    for source in sources:
        _translator.translate([source])
        times.append(time.perf_counter())
    return Alone(times[0] - started, np.diff(times).tolist(), machine.peak_memory_bytes())


def _translate(sentences: Sequence[str], kind: str) -> tuple[float, list[str]]:
    fields: dict[str, Any] = {"beam_size": 1, "n_best": 1} if kind == "greedy" else {}
    started = time.perf_counter()
    found = _translator.translate(sentences, **fields)
    return time.perf_counter() - started, [as_line(each.text) for each in found]


def _test_split(name: str, path: str | None) -> tuple[list[str], list[str], Metric]:
    """Return the first sources and references of the test split, and the first metric of a run."""
    loaded = load_model(name)
    require_data_settings(loaded.config, loaded.path, "give the folder of a run")
    data = data_of(loaded, {} if path is None else {"path": path})
    pairs = list(islice(load_corpus(build_source(data), data, ("test",))["test"], SENTENCES))
    metrics = build_metrics(loaded.config["scores"], target_lang=data.target_lang)
    return [pair.source for pair in pairs], [normalized(pair.target) for pair in pairs], next(iter(metrics.values()))


def _table(systems: Sequence[System], metric: Metric, references: Sequence[str]) -> Table:
    rows, unit = [], next((each for each in systems if each.kind == ALONE), systems[0])
    for system in systems:
        same = [a == b for a, b in zip(systems[0].texts["greedy"], system.texts["greedy"], strict=True)]
        figures = [
            (".1f", system.bytes / 1e6),
            (",.0f", system.alone.memory / 1e6),
            (".2f", system.alone.load),
            (".2f", metric.score(system.texts["own"], references).value),
            (".1f", 100 * sum(same) / len(same)),
            *((",.0f", len(references) / min(system.seconds[kind])) for kind in KINDS),
        ]
        single = (1000 * float(np.percentile(system.alone.seconds, share)) for share in (50, 95))
        rows.append(
            [
                system.name,
                *(f"{value:{form}}" for form, value in figures),
                *(ratio(system.seconds[kind], unit.seconds[kind]) for kind in KINDS),
                *(f"{value:.1f}" for value in single),
            ]
        )
    headings = [*HEAD, metric.label, *TAIL]
    return Table([Column("model", number=False), *map(Column, headings)], rows)
