"""`python scripts/benchmark.py translation`: the speed of trained and of exported models.

    python scripts/benchmark.py translation model=FOLDER [model=FOLDER ...] [data.path=FOLDER]

Each FOLDER is a run or an exported model; the first must be a run. On the CPU, each model translates 200 sentences of
its test split one by one, in a process of its own with one thread. Then each translates the first 1,000 sentences,
greedily and with its own search. The models take turns, three times each after a warm-up, and the fastest time of each
counts: from texts to texts, without loading.

An export to CTranslate2 has a second row, `CTranslate2 alone`: its own translate_batch as in the README.md of the
export, without our scores of each token, and with batches of 2,048 tokens.

The columns: the size of the files, the peak of the memory of the process with one thread (on Linux), its time to load
the model, the first metric of the run, the share of greedy translations that equal those of the first model, sentences
in a second (with search, and greedily), both times as ratios to those of the first model, and the median and the 95th
percentile of the time of a single sentence.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
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
from nmt.export.ctranslate2 import NEVER, CTranslate2Translator, piece_names
from nmt.search.beam import BeamSearch
from nmt.system import machine, process
from nmt.system.lines import as_line
from nmt.system.run_files import EXPORTED, find_checkpoint
from nmt.translation.base import BaseTranslator
from nmt.translation.loading import load_translator, require_data_settings

USAGE = "model=RUN [model=FOLDER ...] [data.path=FOLDER]"
SENTENCES, WARMUP, ROUNDS, SINGLE = 1000, 50, 3, 200
KINDS = ("own", "greedy")  # the model's own search, and greedy search
HEAD = ("MB", "memory (MB)", "load (s)")
RATES = ("sentences/s", "greedy sentences/s", "time / first", "greedy time / first")
TAIL = ("equal (%)", *RATES, "one sentence (ms)", "95th percentile (ms)")
BATCH = 2048  # tokens, of CTranslate2 alone


@dataclass(frozen=True)
class Alone:
    """What was measured in a process of its own: seconds to load, seconds of each sentence, peak memory in bytes."""

    load: float
    seconds: list[float]
    memory: int


@dataclass(frozen=True)
class Text:
    """A translation without scores."""

    text: str


class CTranslate2Alone:
    """CTranslate2's own search of a batch, with texts on both sides."""

    def __init__(self, ours: CTranslate2Translator) -> None:
        self.ours = ours
        self.source_names = piece_names(ours.tokenizer.source_vocabulary)
        self.ids = {name: index for index, name in enumerate(piece_names(ours.tokenizer.target_vocabulary))}

    def translate(self, sentences: Sequence[str], **fields: int) -> list[Text]:
        """Return the best translation of each sentence."""
        assert isinstance(self.ours.search, BeamSearch)
        search = replace(self.ours.search, **fields)  # type: ignore[arg-type]
        tokenizer = self.ours.tokenizer
        results = self.ours.translator.translate_batch(
            [[self.source_names[index] for index in ids[:-1]] for ids in tokenizer.encode_source(sentences)],
            beam_size=search.beam_size,
            length_penalty=search.length_penalty,
            suppress_sequences=NEVER,
            max_batch_size=BATCH,
            batch_type="tokens",
        )
        found = [[self.ids[name] for name in result.hypotheses[0]] for result in results]
        return [Text(tokenizer.decode_target(ids)) for ids in found]


@dataclass
class System:
    """A model and its measurements; `seconds` and `texts` are by the names in `KINDS`."""

    name: str
    path: Path
    alone: Alone
    translator: BaseTranslator | CTranslate2Alone
    seconds: dict[str, float] = field(default_factory=dict)
    texts: dict[str, list[str]] = field(default_factory=dict)

    @property
    def bytes(self) -> int:
        """The size of the checkpoint, or of all files of an exported model."""
        exported = _is_exported(self.path)
        files = [file for file in self.path.iterdir() if file.is_file()] if exported else [find_checkpoint(self.path)]
        return sum(file.stat().st_size for file in files)

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
    systems = [system for name in names for system in _systems(Path(name), sources[:SINGLE])]
    print(f"hardware: {machine.summary(machine.describe())}; {len(sources):,} sentences\n", flush=True)
    measure(systems, sources)
    print(to_markdown(_table(systems, metric, references)))


def _systems(path: Path, sources: Sequence[str]) -> Iterator[System]:
    """Yield a model, and for an export to CTranslate2 also the engine alone."""
    ours = _load(path)
    yield System(path.name, path, measure_alone(path, sources), ours)
    if isinstance(ours, CTranslate2Translator):
        alone = measure_alone(path, sources, engine_alone=True)
        yield System(f"{path.name}, CTranslate2 alone", path, alone, CTranslate2Alone(ours))


def measure(systems: Sequence[System], sources: Sequence[str]) -> None:
    """Let the systems translate in turns."""
    for kind in KINDS:
        for system in systems:
            system.translate(sources[:WARMUP], kind)
        for system in [*systems] * ROUNDS:
            started = time.perf_counter()
            system.texts[kind] = system.translate(sources, kind)
            seconds = time.perf_counter() - started
            system.seconds[kind] = min(seconds, system.seconds.get(kind, seconds))


def measure_alone(path: Path, sources: Sequence[str], *, engine_alone: bool = False) -> Alone:
    """Let a process with one thread load a model and translate the sentences one by one."""
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
        return pool.submit(_alone, path, sources, engine_alone).result()


def _alone(path: Path, sources: Sequence[str], engine_alone: bool) -> Alone:
    process.speed_up()
    torch.set_num_threads(1)
    started = time.perf_counter()
    ours = _load(path)
    translator = CTranslate2Alone(ours) if engine_alone and isinstance(ours, CTranslate2Translator) else ours
    times = [time.perf_counter()]
    for source in sources:
        translator.translate([source])
        times.append(time.perf_counter())
    return Alone(times[0] - started, np.diff(times).tolist(), machine.peak_memory_bytes())


def _is_exported(path: Path) -> bool:
    return (path / EXPORTED).is_file()


def _load(path: Path) -> BaseTranslator:
    """Return a translator of a run or of an exported model."""
    return read_format(path).open(path) if _is_exported(path) else load_translator(path, device="cpu")


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
            (",.0f", system.alone.memory / 1e6),
            (".2f", system.alone.load),
            (".2f", metric.score(system.texts["own"], references).value),
            (".1f", 100 * sum(same) / len(same)),
            *((",.0f", len(references) / system.seconds[kind]) for kind in KINDS),
            *((".2f", system.seconds[kind] / systems[0].seconds[kind]) for kind in KINDS),
            *((".1f", 1000 * float(np.percentile(system.alone.seconds, share))) for share in (50, 95)),
        ]
        rows.append([text_cell(system.name), *(Cell(f"{value:{form}}", (value,)) for form, value in figures)])
    headings = [*HEAD, metric.label, *TAIL]
    return Table([Column("model", number=False), *map(Column, headings)], rows)
