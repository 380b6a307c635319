"""`python scripts/benchmark.py serve`: how many requests a server answers, and how fast.

    python scripts/benchmark.py serve ckpt=RUN [data.path=FOLDER] [seconds=20] [any setting of serve.py]

It starts scripts/serve.py. Then 1, 8 and 64 clients, each with one connection, send sentences of the test split for
`seconds` seconds: one in a request, and the next as soon as the answer is there. The clients run on the same machine
and take a part of its time. Before that, some sentences are translated that are not timed.

The columns: requests and target tokens in a second (eos counted), the median, the 95th and the 99th percentile of the
time of a request, and the number of requests with another answer than 200.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from itertools import cycle, islice
from pathlib import Path
from typing import cast

import numpy as np

from nmt.build import build_source
from nmt.cli.arguments import take
from nmt.cli.engine import Engine, load
from nmt.cli.evaluate import data_of
from nmt.cli.table import Cell, Column, Table, to_markdown
from nmt.data.corpus import load_corpus
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError
from nmt.system import machine
from nmt.translation.loading import require_data_settings

USAGE = "ckpt=RUN [data.path=FOLDER] [seconds=20] [any setting of serve.py]"
PROGRAM = Path(__file__).resolve().parents[1] / "serve.py"
CLIENTS, SENTENCES, WARMUP, SECONDS = (1, 8, 64), 1000, 2.0, 20.0
HEAD = ("clients", "requests/s", "tokens/s", "median (ms)", "95th (ms)", "99th (ms)", "errors")


@dataclass
class Measured:
    """The requests of all clients: their times in seconds, the translations, and the number that failed."""

    clients: int
    seconds: float = 0.0
    times: list[float] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    errors: int = 0


@dataclass(frozen=True)
class Subject:
    """What is sent to the server: sentences between two languages. The tokenizer counts the tokens of the answers."""

    sentences: Sequence[str]
    source: str
    target: str
    tokenizer: Tokenizer


def run(arguments: Sequence[str]) -> None:
    """Measure, and print the report. Raises UserError for a mistake in `arguments`."""
    path, rest = take(list(arguments), "data.path")
    given, rest = take(rest, "seconds")
    ckpt, _ = take(rest, "ckpt")
    engine, _ = take(rest, "engine")
    seconds = _seconds(given)
    if ckpt is None:
        raise UserError(f"benchmark.py serve: got {' '.join(arguments) or 'nothing'}, expected {USAGE}")
    subject = _subject(ckpt, cast("Engine", engine or "torch"), path)
    with started(rest) as port:
        measure(port, subject, 1, WARMUP)
        found = [measure(port, subject, clients, seconds) for clients in CLIENTS]
    print(f"hardware: {machine.summary(machine.describe())}; {seconds:g} s each\n", flush=True)
    print(to_markdown(_table(found, subject.tokenizer)))


def _seconds(given: str | None) -> float:
    try:
        seconds = SECONDS if given is None else float(given)
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= 3600:
        raise UserError(f"seconds={given}: expected a number above 0 and at most 3600")
    return seconds


def _subject(ckpt: str, engine: Engine, path: str | None) -> Subject:
    """Return the first sources of the test split of a run."""
    chosen = load(ckpt, engine, device="cpu", allow=[])
    loaded = chosen.models[0]
    require_data_settings(loaded.config, loaded.path, "give the folder of a run")
    data = data_of(loaded, {} if path is None else {"path": path})
    pairs = islice(load_corpus(build_source(data), data, ("test",))["test"], SENTENCES)
    sources = [pair.source for pair in pairs]
    return Subject(sources, data.source_lang, data.target_lang, chosen.translator.tokenizer)


@contextmanager
def started(words: Sequence[str]) -> Iterator[int]:
    """Run serve.py on a free port while the block runs, and yield the port. Raises UserError if it does not start."""
    command = [sys.executable, str(PROGRAM), *words, "port=0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        try:
            line = server.stderr.readline().strip()
            if (found := re.search(r"http://127\.0\.0\.1:(\d+);", line)) is None:
                raise UserError(f"serve.py: {line}")
            yield int(found[1])
            if server.poll() is not None:
                raise UserError(f"serve.py: ended with status {server.returncode}: {server.stderr.read()[-2000:]}")
        finally:
            server.terminate()


def measure(port: int, subject: Subject, clients: int, seconds: float) -> Measured:
    """Let so many clients send sentences for `seconds` seconds, and wait for their last answers."""
    found = Measured(clients)
    begun = time.perf_counter()
    threads = [
        threading.Thread(target=_send, args=(port, subject, number, begun + seconds, found))
        for number in range(clients)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found.seconds = time.perf_counter() - begun
    return found


def _send(port: int, subject: Subject, number: int, end: float, found: Measured) -> None:
    """Send sentences until the time `end`, each client from another place on."""
    start = number * 37 % len(subject.sentences)
    connection = HTTPConnection("127.0.0.1", port, timeout=60)
    for sentence in cycle([*subject.sentences[start:], *subject.sentences[:start]]):
        begun = time.perf_counter()
        if begun > end:
            break
        body = json.dumps({"q": sentence, "source": subject.source, "target": subject.target})
        try:
            connection.request("POST", "/translate", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            content = json.loads(answer.read())
        except (OSError, HTTPException):
            found.errors += 1
            connection.close()  # the next request opens it again
            continue
        if answer.status == 200:
            found.times.append(time.perf_counter() - begun)
            found.texts.append(content["translatedText"])
        else:
            found.errors += 1
    connection.close()


def _table(found: Sequence[Measured], tokenizer: Tokenizer) -> Table:
    rows = []
    for each in found:
        tokens = sum(map(len, tokenizer.encode_target(each.texts)))
        times = [1000 * float(np.percentile(each.times, share)) if each.times else 0.0 for share in (50, 95, 99)]
        figures = [
            (",d", each.clients),
            (",.1f", len(each.times) / each.seconds),
            (",.0f", tokens / each.seconds),
            *((",.0f", value) for value in times),
            (",d", each.errors),
        ]
        rows.append([Cell(f"{value:{form}}", (value,)) for form, value in figures])
    return Table([Column(heading) for heading in HEAD], rows)
