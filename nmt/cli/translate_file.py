"""Translates the lines of a file, with a progress bar, in memory that does not grow with the file.

Until all lines are translated, the finished lines are in `NAME.partial` beside the output file. A translation that was
stopped continues from this file. Its first line records, as JSON, everything that the translations depend on. Each line
of input gives one line of output, so the number of lines shows how many are done.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TextIO

import nmt
from nmt.build import search_node
from nmt.cli.output import messages_on, print_stderr
from nmt.cli.translation_lines import LineTranslator
from nmt.data.progress import PassProgress, clock
from nmt.data.sources.files import read_texts
from nmt.errors import UserError, counted
from nmt.system.atomic import replacing_or_packing, try_lock

CHUNK = 1024  # lines translated together: enough for batches of similar length; a kill loses at most these
COPY_BYTES = 1 << 20


@dataclass(frozen=True)
class Source:
    """The file to translate; in JSON Lines and TSV, the sentences are in `column`."""

    path: Path
    column: str

    def lines(self, note: Callable[[str], None] = lambda text: None) -> Iterator[tuple[int, str]]:
        """Yield the number and the sentence of each line, as `nmt.data.sources.files.read_texts` does."""
        return read_texts(self.path, self.column, remedy="name the one with the sentences: column=NAME", note=note)


def translate_file(
    line_translator: LineTranslator, source: Source, output: Path | None, stdout: TextIO, checkpoints: Sequence[Path]
) -> None:
    """Translate every line of `source` to `output`, or to `stdout` if `output` is None.

    The file is read once before, so that a line that cannot be translated is found at the beginning. If `output` was
    begun by the same command and not finished, the translation goes on. Raises UserError as `unfinished_file` and
    `nmt.data.sources.files.read_texts` do, and for a line that is too long if such lines are refused.
    """
    total, digest = survey(line_translator, source)
    with messages_on(sys.stderr):
        if output is None:
            _translate(line_translator, source, stdout.writelines, 0, total, quiet=stdout.isatty())
            return
        with unfinished_file(output, record_of(line_translator, checkpoints, digest)) as lines:
            if lines.kept:
                print_stderr(f"{partial_path(output)}: goes on after line {lines.kept:,} of {total:,}")
            try:
                _translate(line_translator, source, lines.add, lines.kept, total)
            except KeyboardInterrupt:
                if lines.kept:
                    where = f"{lines.kept:,} of {total:,} lines are in {partial_path(output)}"
                    print_stderr(f"stopped; {where}, the same command goes on from there")
                else:
                    first = f"the first {min(CHUNK, total):,} lines"
                    print_stderr(f"stopped before {first} were done, the same command begins anew")
                raise


def survey(line_translator: LineTranslator, source: Source) -> tuple[int, str]:
    """Return the number of sentences of a file and a digest of them. Raises UserError for the first unusable line."""
    digest, count = hashlib.sha256(), 0
    for number, line in source.lines(note=print_stderr):
        count += 1
        line_translator.translator.check_source(line, f"{source.path}:{number}")
        digest.update(line.encode("utf-8") + b"\n")
    return count, digest.hexdigest()


def record_of(line_translator: LineTranslator, checkpoints: Sequence[Path], digest: str) -> dict[str, Any]:
    """Return everything that the lines of output depend on, under the names that messages use."""
    search = search_node(line_translator.translator.search)
    return {
        "input": digest,
        "checkpoint": [_file_digest(path) for path in checkpoints],
        "search": search.pop("_target_"),
        **{f"search.{key}": value for key, value in search.items()},
        "format": "jsonl" if line_translator.jsonl else "text",
        "with_attention": line_translator.with_attention,
        "device": line_translator.translator.device_type,
        "version of the program": nmt.__version__,
    }


def _file_digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _translate(
    line_translator: LineTranslator,
    source: Source,
    write: Callable[[Iterable[str]], None],
    done: int,
    total: int,
    *,
    quiet: bool = False,
) -> None:
    """Translate the lines of `source` after the first `done`, and print the speed. `quiet`: without a progress bar."""
    started = time.monotonic()
    rest = itertools.islice(source.lines(), done, None)
    shown = PassProgress("translating", total, unit="lines", done=done, stderr=True)
    with nullcontext() if quiet else shown as progress:
        while chunk := list(itertools.islice(rest, CHUNK)):
            places = [f"{source.path}:{number}" for number, _ in chunk]
            write(line_translator.lines([sentence for _, sentence in chunk], places))
            if progress is not None:
                progress.advance(len(chunk))
    line_translator.close()
    seconds, count = time.monotonic() - started, total - done
    print_stderr(f"translated {counted(count, 'line')} in {clock(seconds)}, {count / seconds:,.1f} lines/s")


# The output file while it is not finished


class UnfinishedFile:
    """The lines that an output file has so far.

    `kept` is the number of lines that a stop leaves in it: the same command goes on after them.
    """

    def __init__(self, file: IO[bytes], start: int, kept: int) -> None:
        self._file = file
        self._start = start
        self._written = self.kept = kept

    def add(self, lines: Iterable[str]) -> None:
        """Append the lines of a chunk, which have their line ends. After that, they survive a kill of the process."""
        for line in lines:
            self._file.write(line.encode("utf-8"))
            self._written += 1
        self._file.flush()
        self.kept = self._written

    def copy_to(self, output: Path) -> None:
        """Write the lines to `output`, completely or not at all; compressed if its name ends in .gz."""
        self._file.seek(self._start)
        with replacing_or_packing(output) as target:
            shutil.copyfileobj(self._file, target, COPY_BYTES)


@contextmanager
def unfinished_file(output: Path, record: Mapping[str, Any]) -> Iterator[UnfinishedFile]:
    """Yield the lines that `output` has so far, to append more. When the block ends, write them to `output`.

    Lines are kept in complete chunks, so that the same lines are translated together as without a stop. If the block
    raises an exception, or the process is killed, another call with the same `record` goes on. Raises UserError if
    `output` exists, if another process writes it, or if the lines so far have another record.
    """
    _refuse_existing(output)
    path = partial_path(output)
    output.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        if try_lock(file) is False:
            raise UserError(f"output={output}: another process is writing it; wait for it, or give another name")
        _refuse_existing(output)
        lines = _opened(file, path, json.loads(json.dumps(record)))
        yield lines
        lines.copy_to(output)
        path.unlink()


def partial_path(output: Path) -> Path:
    """Return the file that holds the lines of `output` until all are written."""
    return output.with_name(f"{output.name}.partial")


def _refuse_existing(output: Path) -> None:
    if output.exists() and not output.is_file():
        raise UserError(f"output={output}: a folder or device, expected the name of a new file")
    if output.exists():
        raise UserError(f"output={output}: exists already; remove it, or give another name")


def _opened(file: IO[bytes], path: Path, record: Mapping[str, Any]) -> UnfinishedFile:
    head = json.dumps(record, sort_keys=True).encode() + b"\n"
    file.seek(0)
    found = file.readline()
    if head.startswith(found) and found != head:  # nothing yet, or killed while the record was written
        file.truncate(0)
        file.write(head)
        file.flush()
    elif found != head:
        raise UserError(
            f"{path}: its lines were made with {_difference(found, record)}; repeat the command that began it, or "
            "remove this file to begin anew"
        )
    kept, end, position = 0, len(head), len(head)
    for number, line in enumerate(file, start=1):
        position += len(line)
        if number % CHUNK == 0 and line.endswith(b"\n"):
            kept, end = number, position
    file.truncate(end)
    return UnfinishedFile(file, len(head), kept)


def _difference(head: bytes, record: Mapping[str, Any]) -> str:
    """Return in words how the record of the existing lines differs."""
    try:
        theirs = dict(json.loads(head))
    except (ValueError, TypeError, RecursionError):
        return "something else than this program"
    keys = sorted(key for key in {*theirs, *record} if theirs.get(key) != record.get(key))
    if "search" in keys:  # another strategy has other settings
        keys = [key for key in keys if not key.startswith("search.")]
    return f"another {', '.join(keys)}"
