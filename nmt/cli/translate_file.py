"""Translates the lines of a file, with a progress bar, in memory that does not grow with the file."""

from __future__ import annotations

import hashlib
import itertools
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TextIO

import nmt
from nmt.build import search_node
from nmt.cli.answers import Answers
from nmt.cli.log import messages_on
from nmt.cli.output import tell
from nmt.cli.unfinished import Unfinished, partial_path, unfinished
from nmt.data.progress import PassProgress, clock
from nmt.data.sources.files import read_texts
from nmt.errors import counted

CHUNK = 1024  # lines translated together: enough for batches of similar length; a kill loses the work on at most one


class Lines(Protocol):
    """Where lines go: an `Unfinished` file or standard output. `done` lines are there already."""

    done: int

    def write(self, line: str) -> None:
        """Append a line, which has its line end."""

    def flush(self) -> None:
        """Pass on what was written."""


class Stream:
    """Lines that go to a text stream."""

    done = 0

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, line: str) -> None:
        """Write a line, which has its line end."""
        self._stream.write(line)

    def flush(self) -> None:
        """Pass on what was written."""
        self._stream.flush()


@dataclass(frozen=True)
class Source:
    """The file to translate; in JSON Lines and TSV, the sentences are in `column`."""

    path: Path
    column: str

    def lines(self, note: Callable[[str], None] = lambda text: None) -> Iterator[tuple[int, str]]:
        """Yield the number and the sentence of each line, as `nmt.data.sources.files.read_texts` does."""
        return read_texts(self.path, self.column, remedy="name the one with the sentences: column=NAME", note=note)


def translate_file(
    answers: Answers, source: Source, output: Path | None, stdout: TextIO, checkpoints: Sequence[Path]
) -> None:
    """Translate every line of `source` to `output`, or to `stdout` if `output` is None.

    The file is read once before, so that a line that cannot be translated is found at the beginning. If `output` was
    begun by the same command and not finished, the translation goes on. Raises UserError as `nmt.cli.unfinished` and
    `nmt.data.sources.files.read_texts` do, and for a line that is too long if such lines are refused.
    """
    total, digest = survey(answers, source)
    if output is None:
        with messages_on(sys.stderr):
            _translate(answers, source, Stream(stdout), total, quiet=stdout.isatty())
        return
    with unfinished(output, settings(answers, checkpoints, digest), chunk=CHUNK) as lines:
        if lines.done:
            tell(f"{partial_path(output)}: goes on after line {lines.done:,} of {total:,}")
        with _told_how_to_go_on(output, lines, total), messages_on(sys.stderr):
            _translate(answers, source, lines, total)


def survey(answers: Answers, source: Source) -> tuple[int, str]:
    """Return the number of sentences of a file and a digest of them. Raises UserError for the first unusable line."""
    digest, count = hashlib.sha256(), 0
    for number, line in source.lines(note=tell):
        count += 1
        answers.translator.check_source(line, f"{source.path}:{number}")
        digest.update(line.encode("utf-8") + b"\n")
    return count, digest.hexdigest()


def settings(answers: Answers, checkpoints: Sequence[Path], digest: str) -> dict[str, Any]:
    """Return what the lines of output depend on, by the name that a message gives it."""
    search = search_node(answers.translator.search)
    return {
        "input": digest,
        "checkpoint": [_file_digest(path) for path in checkpoints],
        "search": search.pop("_target_"),
        **{f"search.{key}": value for key, value in search.items()},
        "format": "jsonl" if answers.jsonl else "text",
        "with_attention": answers.with_attention,
        "device": answers.translator.device.type,
        "version of the program": nmt.__version__,
    }


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _translate(answers: Answers, source: Source, lines: Lines, total: int, *, quiet: bool = False) -> None:
    """Translate the lines of `source` that are not done, and print the speed. `quiet`: without a progress bar."""
    started = time.monotonic()
    rest = itertools.islice(source.lines(), lines.done, None)
    shown = PassProgress("translating", total, unit="lines", done=lines.done, stderr=True)
    with nullcontext() if quiet else shown as progress:
        while chunk := list(itertools.islice(rest, CHUNK)):
            places = [f"{source.path}:{number}" for number, _ in chunk]
            for line in answers.lines([sentence for _, sentence in chunk], places):
                lines.write(line)
            lines.flush()
            if progress is not None:
                progress.advance(len(chunk))
    answers.close()
    seconds, count = time.monotonic() - started, total - lines.done
    tell(f"translated {counted(count, 'line')} in {clock(seconds)}, {count / seconds:,.1f} lines/s")


@contextmanager
def _told_how_to_go_on(output: Path, lines: Unfinished, total: int) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        kept = f"{lines.kept:,} of {total:,} lines are in {partial_path(output)}, the same command goes on from there"
        nothing = f"before the first {min(CHUNK, total):,} lines were done, the same command begins anew"
        tell(f"stopped; {kept}" if lines.kept else f"stopped {nothing}")
        raise
