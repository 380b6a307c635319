"""`python scripts/benchmark.py serve`: how many requests a server answers, how fast, and what happens with too many.

    python scripts/benchmark.py serve ckpt=RUN [data.path=FOLDER] [seconds=20] [rate=N] [any setting of serve.py]

It starts scripts/serve.py. Then 1, 8 and 64 clients, each with one connection, send sentences of the test split for
`seconds` seconds: one in a request, and the next as soon as the answer is there. After that, `rate` requests arrive in
a second, whether others were answered or not; by default twice as many as were answered at best. The clients run on the
same machine and take a part of its time. Before that, some sentences are translated that are not timed.

The columns: answered requests and their target tokens in a second (eos counted), the median, the 95th and the 99th
percentile of the time of an answered request, the number of requests that got status 503, and the number of other
errors. A client gives up after 20 s.
"""

from __future__ import annotations

import asyncio
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

import numpy as np

from nmt.build import build_source
from nmt.cli.arguments import take
from nmt.cli.engine import load
from nmt.cli.evaluate import data_of
from nmt.cli.table import Cell, Column, Table, to_markdown
from nmt.data.corpus import load_corpus
from nmt.data.tokenizer import Tokenizer
from nmt.errors import UserError, counted
from nmt.system import machine, process
from nmt.translation.loading import require_data_settings

USAGE = "ckpt=RUN [data.path=FOLDER] [seconds=20] [rate=N] [any setting of serve.py]"
PROGRAM = Path(__file__).resolve().parents[1] / "serve.py"
CLIENTS, SENTENCES, WARMUP, SECONDS = (1, 8, 64), 1000, 2.0, 20.0
OVERLOAD = 2  # times the rate that the server can answer
TIMEOUT = 20.0  # seconds that a client waits, as Weblate does
HEAD = ("load", "requests/s", "tokens/s", "median (ms)", "95th (ms)", "99th (ms)", "503", "errors")


@dataclass
class Measured:
    """The requests of all clients: the times in seconds and the translations of those that were answered.

    `refused` got status 503, and `errors` anything else.
    """

    load: str
    seconds: float = 0.0
    times: list[float] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    refused: int = 0
    errors: int = 0

    @property
    def rate(self) -> float:
        """The requests that were answered in a second."""
        return len(self.times) / self.seconds

    def note(self, status: int, body: bytes, seconds: float) -> None:
        """Note the answer to a request."""
        if status == 200:
            self.times.append(seconds)
            self.texts.append(json.loads(body)["translatedText"])
        elif status == 503:
            self.refused += 1
        else:
            self.errors += 1


@dataclass(frozen=True)
class Subject:
    """What is sent to the server: sentences between two languages. The tokenizer counts the tokens of the answers."""

    sentences: Sequence[str]
    source: str
    target: str
    tokenizer: Tokenizer

    def bodies(self, first: int = 0) -> Iterator[bytes]:
        """Return the bodies of requests without end, from a sentence on."""
        for sentence in cycle([*self.sentences[first:], *self.sentences[:first]]):
            yield json.dumps({"q": sentence, "source": self.source, "target": self.target}).encode()


def run(arguments: Sequence[str]) -> None:
    """Measure, and print the report. Raises UserError for a mistake in `arguments`."""
    path, rest = take(list(arguments), "data.path")
    seconds, rest = _number("seconds", rest, most=3600)
    rate, rest = _number("rate", rest, most=100_000)
    ckpt, _ = take(rest, "ckpt")
    seconds = seconds or SECONDS
    if ckpt is None:
        raise UserError(f"benchmark.py serve: got {' '.join(arguments) or 'nothing'}, expected {USAGE}")
    subject = _subject(ckpt, path)
    with started(rest) as port:
        measure(port, subject, 1, WARMUP)
        found = [measure(port, subject, clients, seconds) for clients in CLIENTS]
        found.append(overload(port, subject, rate or OVERLOAD * max(each.rate for each in found), seconds))
    print(f"hardware: {machine.summary(machine.describe())}; {seconds:g} s each\n", flush=True)
    print(to_markdown(_table(found, subject.tokenizer)))


def _number(key: str, arguments: Sequence[str], most: float) -> tuple[float | None, list[str]]:
    """Take `key=NUMBER` out of `arguments`: return the number, None if it is not given, and the others."""
    given, rest = take(arguments, key)
    try:
        number = None if given is None else float(given)
    except ValueError:
        number = 0.0
    if number is not None and not 0 < number <= most:
        raise UserError(f"{key}={given}: expected a number above 0 and at most {most:,}")
    return number, rest


def _subject(ckpt: str, path: str | None) -> Subject:
    """Return the first sources of the test split of a run."""
    translator, models = load(ckpt, device="cpu", allow=[])
    loaded = models[0]
    require_data_settings(loaded.config, loaded.path, "give the folder of a run")
    data = data_of(loaded, {} if path is None else {"path": path})
    pairs = islice(load_corpus(build_source(data), data, ("test",))["test"], SENTENCES)
    sources = [pair.source for pair in pairs]
    return Subject(sources, data.source_lang, data.target_lang, translator.tokenizer)


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
    found = Measured(counted(clients, "client"))
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
    connection = HTTPConnection("127.0.0.1", port, timeout=TIMEOUT)
    for body in subject.bodies(number * 37 % len(subject.sentences)):
        begun = time.perf_counter()
        if begun > end:
            break
        try:
            connection.request("POST", "/translate", body, {"Content-Type": "application/json"})
            answer = connection.getresponse()
            found.note(answer.status, answer.read(), time.perf_counter() - begun)
        except (OSError, HTTPException):
            found.errors += 1
            connection.close()  # the next request opens it again
    connection.close()


def overload(port: int, subject: Subject, rate: float, seconds: float) -> Measured:
    """Send `rate` requests in a second for `seconds` seconds, at even distances, and wait for their answers."""
    process.allow_many_files()
    found = Measured(f"{rate:,.1f} requests/s arrive")
    begun = time.perf_counter()
    asyncio.run(_arrive(port, subject, [begun + number / rate for number in range(round(rate * seconds))], found))
    found.seconds = time.perf_counter() - begun
    return found


async def _arrive(port: int, subject: Subject, times: Sequence[float], found: Measured) -> None:
    async with asyncio.TaskGroup() as requests:
        for when, body in zip(times, subject.bodies(), strict=False):
            await asyncio.sleep(max(0.0, when - time.perf_counter()))
            requests.create_task(_ask(port, body, found))


async def _ask(port: int, body: bytes, found: Measured) -> None:
    """Send a request on a connection of its own."""
    head = (
        f"POST /translate HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    )
    begun = time.perf_counter()
    try:
        async with asyncio.timeout(TIMEOUT):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            try:
                writer.write(head.encode() + body)
                status, _, content = (await reader.read()).partition(b"\r\n\r\n")
            finally:
                writer.close()
    except (OSError, TimeoutError):
        found.errors += 1
    else:
        found.note(int(status.split()[1]) if status else 0, content, time.perf_counter() - begun)


def _table(found: Sequence[Measured], tokenizer: Tokenizer) -> Table:
    rows = []
    for each in found:
        tokens = sum(map(len, tokenizer.encode_target(each.texts)))
        times = [1000 * float(np.percentile(each.times, share)) if each.times else 0.0 for share in (50, 95, 99)]
        figures = [
            (",.1f", each.rate),
            (",.0f", tokens / each.seconds),
            *((",.0f", value) for value in times),
            (",d", each.refused),
            (",d", each.errors),
        ]
        rows.append([Cell(each.load, (each.load,)), *(Cell(f"{value:{form}}", (value,)) for form, value in figures)])
    return Table([Column(heading) for heading in HEAD], rows)
