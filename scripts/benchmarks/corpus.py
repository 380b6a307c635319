"""`python scripts/benchmark.py corpus`: measures time and memory for a corpus that need not fit in memory.

    python scripts/benchmark.py corpus [pairs=10000000] [folder=FOLDER] [any override of train.py]

The program generates pairs of invented words in a new folder inside FOLDER (default: the system's temporary folder) and
deletes them at the end. 10 million pairs take 3 GB. It measures, in separate processes:
- preparation: count and digest the pairs, train the tokenizer (on 100,000 pairs), encode;
- the second start: count and digest the pairs again, open the encoded corpus;
- the plan of an epoch; a resumed loader must yield the same batches as an uninterrupted one;
- memory: the peak of `train.py` over 30 updates, with the first 10,000 pairs and with all pairs. Anonymous memory
  belongs to the process alone. Total memory includes pages of the mapped file, which the system can reclaim.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path

import numpy as np
import torch

from nmt.build import build_source
from nmt.cli.arguments import take
from nmt.config.compose import compose
from nmt.config.settings import validate
from nmt.data.batches import BatchLoader
from nmt.data.corpus import load_corpus
from nmt.data.encoded import EncodedCorpus, encode_corpus
from nmt.data.filters.base import make_filters
from nmt.data.pair import Split
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.system import machine
from nmt.system.cache import cache_folder
from nmt.system.place import usable_cores
from nmt.text.protect import Spans

PAIRS, FEW_PAIRS, VALIDATION_PAIRS = 10_000_000, 10_000, 20
WORDS = 5_000
CHUNK = 100_000
SAMPLE_SECONDS = 0.01
BATCH_TOKENS = 1250
DONE_BATCHES, COMPARED_BATCHES = 20, 1000
RECIPE = (
    *("data=files", "tokenizer.vocab_size=8000", "tokenizer.max_pairs=100000", "trainer.max_steps=30"),
    *("trainer.max_epochs=null", "trainer.accelerator=cpu", "callbacks.samples=null", "logger=none"),
)


def run(arguments: Sequence[str]) -> None:
    """Generate the corpus, measure, and print the report. Raises UserError for a mistake in `arguments`."""
    pairs, rest = take(list(arguments), "pairs")
    folder, overrides = take(rest, "folder")
    count = int(pairs.replace("_", "")) if pairs and pairs.replace("_", "").isdecimal() else 0
    if pairs is None:
        count = PAIRS
    if count < FEW_PAIRS:
        raise UserError(f"pairs: got {pairs}, expected a number of at least {FEW_PAIRS:,}")
    if not Path("/proc/self/status").exists():
        raise UserError("benchmark.py corpus: needs the folder /proc to measure memory; run it on Linux")
    with tempfile.TemporaryDirectory(dir=folder, prefix="corpus-benchmark-") as temporary:
        for line in measure(count, Path(temporary), overrides):
            print(line, flush=True)


def measure(count: int, folder: Path, overrides: Sequence[str]) -> Iterator[str]:
    """Yield the lines of the report."""
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    yield f"hardware: {machine.summary(machine.describe())}, {usable_cores()} cores; load average {load}"
    os.environ["NMT_CACHE"] = str(folder / "cache")
    yield f"generated: {count:,} pairs, {generate(folder, count) / 1e6:,.0f} MB of text"
    settings = [*RECIPE, f"data.path={folder}", *overrides]
    spawned = multiprocessing.get_context("spawn")
    for stage in (first_start, second_start):
        with ProcessPoolExecutor(1, mp_context=spawned) as process:
            yield from process.submit(stage, settings).result()
    few, many = [*settings, f"data.limit={FEW_PAIRS}"], settings
    train(folder / "first", few)  # fills the cache, so that no measured run does
    peaks = {number: train(folder / f"run{number}", lines) for number, lines in ((FEW_PAIRS, few), (count, many))}
    for number, peak in peaks.items():
        yield f"memory of training on {number:,} pairs: {_megabytes(peak)}"
    more = {kind: peaks[count][kind] - peaks[FEW_PAIRS][kind] for kind in peaks[count]}
    yield f"memory above that of {FEW_PAIRS:,} pairs: {_megabytes(more)}"


def _megabytes(peak: Mapping[str, int]) -> str:
    return ", ".join(f"{value / 1e6:,.0f} MB {kind}" for kind, value in peak.items())


# Text


def generate(folder: Path, count: int) -> int:
    """Write `count` training pairs and a few validation pairs. Return the size of the training text in bytes.

    A sentence has 4 to 24 words, drawn by Zipf's law. The target is the source translated word by word, in reverse
    order.
    """
    draw = np.random.default_rng(0)
    languages = [np.array(["".join(draw.choice(list(letters), draw.integers(2, 11))) for _ in range(WORDS)])
                 for letters in ("abcdefghijklmnoprstuvw", "aeioubdfghklmnprstzäöü")]  # fmt: skip
    sources, targets = (words.tolist() for words in languages)
    frequency = np.cumsum(1 / np.arange(10, WORDS + 10))
    for split, number in (("val", VALIDATION_PAIRS), ("train", count)):
        with (folder / f"{split}.en").open("w", encoding="utf-8") as source, \
                (folder / f"{split}.de").open("w", encoding="utf-8") as target:  # fmt: skip
            for start in range(0, number, CHUNK):
                lengths = draw.integers(4, 25, min(CHUNK, number - start)).tolist()
                drawn = iter(np.searchsorted(frequency, draw.random(sum(lengths)) * frequency[-1]).tolist())
                for length in lengths:
                    words = list(islice(drawn, length))
                    source.write(" ".join([sources[word] for word in words]) + "\n")
                    target.write(" ".join([targets[word] for word in reversed(words)]) + "\n")
    return sum((folder / f"train.{language}").stat().st_size for language in ("en", "de"))


# Measurements; each runs in a separate process


def first_start(settings: list[str]) -> list[str]:
    """Time every step from the text to the encoded corpus. Return the lines of the report."""
    corpus, _, seconds = _prepare(settings)
    size = sum(file.stat().st_size for file in cache_folder().glob("corpus-*/*"))
    rate = len(corpus) / (seconds["counting"] + seconds["encoding"])
    return [
        f"preparation: {rate:,.0f} pairs/s ({_listed(seconds)}; the rate leaves out the tokenizer); "
        f"encoded corpus {size / 1e6:,.0f} MB"
    ]


def second_start(settings: list[str]) -> list[str]:
    """Time the same steps with a full cache, and the plans of two epochs. Check the batches of a resumed loader."""
    _, encoded, seconds = _prepare(settings)
    loader, resumed = (BatchLoader(lambda _: encoded, BATCH_TOKENS, seed=1) for _ in range(2))
    plans = []
    for epoch in (0, 1):
        loader.set_epoch(epoch)
        started = time.perf_counter()
        loader.plan()
        plans.append(time.perf_counter() - started)
    batches = iter(loader)
    for _ in range(DONE_BATCHES):
        next(batches)
    resumed.load_state_dict(loader.state_dict())
    pairs = list(islice(zip(batches, resumed, strict=True), COMPARED_BATCHES))
    equal = (torch.equal(a.source, b.source) and torch.equal(a.target_out, b.target_out) for a, b in pairs)
    return [
        f"second start: {sum(seconds.values()):,.0f} s ({_listed(seconds)})",
        f"plan of an epoch: {max(plans):.1f} s, {len(loader):,} batches of {BATCH_TOKENS:,} padded tokens; "
        f"resumed after {DONE_BATCHES}: the next {len(pairs):,} batches are {'the' if all(equal) else 'NOT the'} same",
    ]


def _prepare(settings: list[str]) -> tuple[Split, EncodedCorpus, dict[str, float]]:
    """Return the training pairs, the encoded corpus, and the seconds of each step."""
    config = validate(compose("train", settings))
    times = [time.perf_counter()]
    splits = load_corpus(build_source(config.data), config.data)
    corpus = splits["train"]
    times.append(time.perf_counter())
    tokenizer = Tokenizer.train(corpus, config.tokenizer, cache_dir=cache_folder(), spans=Spans(config.spans))
    times.append(time.perf_counter())
    filters = make_filters(config.data, {}, splits)
    encoded = encode_corpus(corpus, tokenizer, filters, folder=cache_folder())
    times.append(time.perf_counter())
    steps = zip(("counting", "tokenizer", "encoding"), times, times[1:], strict=False)
    return corpus, encoded, {step: end - start for step, start, end in steps}


def _listed(seconds: Mapping[str, float]) -> str:
    return ", ".join(f"{step} {value:,.1f} s" for step, value in seconds.items())


def train(folder: Path, settings: Sequence[str]) -> dict[str, int]:
    """Run train.py and return its peak memory in bytes: anonymous memory and total memory."""
    program = "from nmt.cli.train import main; main()"
    command = [sys.executable, "-c", program, *settings, f"hydra.run.dir={folder}"]
    peak = {"anonymous": 0, "in total": 0}
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    while process.poll() is None:
        try:
            status = Path(f"/proc/{process.pid}/status").read_text(encoding="ascii")
        except OSError:  # the process has ended since the poll
            break
        for kind, field in (("anonymous", "RssAnon"), ("in total", "VmHWM")):
            found = re.search(rf"{field}:\s+(\d+) kB", status)
            peak[kind] = max(peak[kind], int(found[1]) * 1024 if found else 0)
        time.sleep(SAMPLE_SECONDS)
    if process.wait():
        raise UserError(f"train.py {' '.join(settings)}: ended with status {process.returncode}")
    return peak
