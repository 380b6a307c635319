"""`python scripts/benchmark.py translation`: the speed of translation with trained models.

    python scripts/benchmark.py translation ckpt=TRANSFORMER [recurrent=RECURRENT] [data.path=FOLDER]

`ckpt` and `recurrent` are run folders or checkpoint files. The first 1,000 sentences of the test split are translated
on the CPU, greedily and with a beam of 5, by both models and by CTranslate2 with the Transformer's weights (float32).
The score is log P divided by the length, which CTranslate2 has too. The programs take turns, three times each after a
warm-up. The fastest time of each counts: from texts to texts, without loading. CTranslate2 is left out where it is not
installed (the extra `ctranslate2`).
"""

from __future__ import annotations

import importlib.util
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from nmt.build import build_source
from nmt.checkpoint import load_model
from nmt.cli.arguments import take
from nmt.cli.evaluate import merge_data
from nmt.cli.table import Cell, Column, Table, text_cell, to_markdown
from nmt.config.schema import read
from nmt.config.settings import DataConfig, absolute_paths
from nmt.data.corpus import load_corpus
from nmt.errors import UserError
from nmt.export.base import Exportable, write
from nmt.export.ctranslate2 import CTranslate2
from nmt.search.beam import BeamSearch
from nmt.system import machine, process
from nmt.translation.base import BaseTranslator
from nmt.translation.loading import load_models, load_translator, require_data_settings, resolve_device

USAGE = "ckpt=TRANSFORMER [recurrent=RECURRENT] [data.path=FOLDER]"
SENTENCES, WARMUP, ROUNDS, BEAMS = 1000, 50, 3, (1, 5)
SEARCH = BeamSearch(normalization="power")
TRANSFORMER, RECURRENT, CTRANSLATE2 = "Transformer", "recurrent", "CTranslate2"

System = Callable[[Sequence[str], int], list[str]]
"""Returns the translations of sentences with a beam size."""


def run(arguments: Sequence[str]) -> None:
    """Measure, and print the report. Raises UserError for a mistake in `arguments`."""
    ckpt, rest = take(list(arguments), "ckpt")
    recurrent, rest = take(rest, "recurrent")
    path, rest = take(rest, "data.path")
    if ckpt is None or rest:
        raise UserError(f"benchmark.py translation: got {' '.join(arguments) or 'nothing'}, expected {USAGE}")
    process.speed_up()
    sentences = _test_sentences(ckpt, path)
    systems: dict[str, System] = {TRANSFORMER: _system(load_translator(ckpt, device="cpu", search=SEARCH))}
    if recurrent is not None:
        systems[RECURRENT] = _system(load_translator(recurrent, device="cpu", search=SEARCH))
    if importlib.util.find_spec("ctranslate2") is None:
        print(
            "CTranslate2 is left out, because it is not installed: pip install -c constraints.txt -e '.[ctranslate2]'"
        )
    else:
        systems[CTRANSLATE2] = _system(_exported(ckpt))
    print(f"hardware: {machine.summary(machine.describe())}; {len(sentences):,} sentences\n", flush=True)
    seconds, texts = measure(systems, sentences)
    print(to_markdown(_table(seconds, len(sentences))))
    if CTRANSLATE2 in systems:
        same = sum(a == b for a, b in zip(texts[TRANSFORMER, 1], texts[CTRANSLATE2, 1], strict=True))
        print(f"greedy translations of CTranslate2 that equal ours: {same:,} of {len(sentences):,}")


def measure(
    systems: dict[str, System], sentences: Sequence[str]
) -> tuple[dict[tuple[str, int], float], dict[tuple[str, int], list[str]]]:
    """Return the seconds and the translations of each system and beam size."""
    seconds: dict[tuple[str, int], float] = {}
    texts: dict[tuple[str, int], list[str]] = {}
    for beam in BEAMS:
        for system in systems.values():
            system(sentences[:WARMUP], beam)
        for _ in range(ROUNDS):
            for name, system in systems.items():
                started = time.perf_counter()
                texts[name, beam] = system(sentences, beam)
                passed = time.perf_counter() - started
                seconds[name, beam] = min(passed, seconds.get((name, beam), passed))
    return seconds, texts


def _table(seconds: dict[tuple[str, int], float], sentences: int) -> Table:
    columns = [Column("program", number=False), Column("beam"), Column("seconds"), Column("sentences/s")]
    rows = []
    for (name, beam), taken in seconds.items():
        ratio = taken / seconds[TRANSFORMER, beam]
        figures = [(f"{beam}", beam), (f"{taken:.2f}", taken), (f"{sentences / taken:,.0f}", sentences / taken)]
        cells = [Cell(text, (value,)) for text, value in [*figures, (f"{ratio:.2f}", ratio)]]
        rows.append([text_cell(name), *cells])
    return Table([*columns, Column("share of the Transformer's time")], rows)


def _test_sentences(ckpt: str, path: str | None) -> list[str]:
    """Return the first sources of the test split of the run's data, or of the corpus at `path`."""
    (loaded,) = load_models(ckpt, resolve_device("cpu"))
    require_data_settings(loaded.config, loaded.path, "give the folder of a run")
    data = read(
        absolute_paths(merge_data(loaded.config["data"], {} if path is None else {"path": path})), DataConfig, "data"
    )
    return [pair.source for pair in load_corpus(build_source(data), data, ("test",))["test"]][:SENTENCES]


def _exported(ckpt: str) -> BaseTranslator:
    """Return the translator of the model in CTranslate2. Raises UserError for a model that it cannot compute."""
    format, loaded = CTranslate2(), load_model(ckpt)
    format.require(loaded)
    with tempfile.TemporaryDirectory() as name:
        write(format, Exportable(loaded, SEARCH), Path(name))
        return format.open(Path(name))


def _system(translator: BaseTranslator) -> System:
    return lambda texts, beam: [each.text for each in translator.translate(texts, beam_size=beam)]
