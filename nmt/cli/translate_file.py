"""Translates the lines of a file, in memory that does not grow with the file.

Until all lines are translated, they are in `NAME.partial` beside the output file `NAME`. A translation that was stopped
goes on from there.
"""

from __future__ import annotations

import io
import itertools
import os
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import BinaryIO, TextIO

from nmt.cli.output import messages_on, new_file, print_stderr
from nmt.cli.translation_lines import LineTranslator
from nmt.data.progress import PassProgress, clock
from nmt.errors import UserError, counted
from nmt.system.atomic import replacing_or_packing, try_lock

CHUNK = 1024  # lines translated together: enough for batches of similar length; a kill loses at most these


def translate_file(
    line_translator: LineTranslator,
    name: str,
    lines: Callable[..., Iterator[tuple[int, str]]],
    output: Path | None,
    stdout: TextIO,
) -> None:
    """Translate each line of a file to `output`, or to `stdout` if `output` is None, and print the speed.

    `lines` is `nmt.data.sources.files.read_texts` for the file called `name`. The file is read twice, so a line that
    cannot be translated is found at the beginning. Raises UserError as `unfinished` and `read_texts` do, and for a line
    that is too long if such lines are refused.
    """
    total = 0
    for number, line in lines():
        line_translator.translator.check_source(line, f"{name}:{number}")
        total += 1
    written = nullcontext((stdout, 0)) if output is None else unfinished(output, total)
    with messages_on(sys.stderr), written as (file, done):
        started, rest = time.monotonic(), itertools.islice(lines(), done, None)
        quiet = output is None and stdout.isatty()
        with PassProgress("translating", total, unit="lines", done=done, stderr=True, quiet=quiet) as progress:
            while chunk := list(itertools.islice(rest, CHUNK)):
                places = [f"{name}:{number}" for number, _ in chunk]
                file.writelines(line_translator.lines([text for _, text in chunk], places))
                file.flush()
                progress.advance(len(chunk))
        line_translator.close()
        seconds, count = max(time.monotonic() - started, 1e-9), total - done  # a coarse clock may not have moved
        print_stderr(f"translated {counted(count, 'line')} in {clock(seconds)}, {count / seconds:,.1f} lines/s")


@contextmanager
def unfinished(output: Path, total: int) -> Iterator[tuple[TextIO, int]]:
    """Yield the file `output`.partial, open at its end, and how many of the `total` lines are in it: complete chunks.

    At the end of the block it becomes `output`, packed if that name ends in .gz. If the block raises an exception, or
    the process is killed, another call goes on with its lines. Raises UserError if `output` exists, if another process
    writes it, or if there are more lines than `total`.
    """
    output.parent.mkdir(parents=True, exist_ok=True)
    partial = output.with_name(f"{output.name}.partial")
    with partial.open("a+b") as binary, io.TextIOWrapper(binary, encoding="utf-8", newline="\n") as file:
        if try_lock(binary) is False:
            raise UserError(f"output={output}: another process is writing it; wait for it, or give another name")
        new_file(str(output))
        if done := _keep_whole_chunks(binary):
            print_stderr(f"{partial}: goes on after line {done:,} of {total:,}; remove this file to begin anew")
        if done > total:
            raise UserError(f"{partial}: more lines than the input has; remove this file, or give another output=")
        try:
            yield file, done
        except KeyboardInterrupt:
            print_stderr(f"stopped; the same command goes on after the lines in {partial}")
            raise
        file.flush()
        os.fsync(file.fileno())
        new_file(str(output))
        if output.suffix.lower() == ".gz":
            binary.seek(0)
            with replacing_or_packing(output) as packed:
                shutil.copyfileobj(binary, packed)
            partial.unlink()
        else:
            partial.replace(output)


def _keep_whole_chunks(file: BinaryIO) -> int:
    """Remove the lines after the last complete chunk, and return the number of the other ones."""
    file.seek(0)
    kept = end = position = 0
    for number, line in enumerate(file, start=1):
        position += len(line)
        if number % CHUNK == 0 and line.endswith(b"\n"):
            kept, end = number, position
    file.truncate(end)
    return kept
