"""An output file that is written in several runs of a program, each going on where the last one was stopped.

Until all lines are written, they are in `NAME.partial` beside the file. Its first line is a record of what the lines
depend on, as JSON. One line of output stands for one line of input, so the number of its lines says what is done.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from nmt.errors import UserError
from nmt.system.atomic import replacing_or_packing, try_lock

COPY_BYTES = 1 << 20


class Unfinished:
    """The lines that an output file has so far.

    `done` is the number of lines when the file was opened. `kept` is the number of lines that a stop leaves in it: the
    same command goes on after them.
    """

    def __init__(self, file: IO[bytes], start: int, done: int) -> None:
        self._file = file
        self._start = start
        self._written = self.done = self.kept = done

    def write(self, line: str) -> None:
        """Append a line, which has its line end."""
        self._file.write(line.encode("utf-8"))
        self._written += 1

    def flush(self) -> None:
        """Give the lines of whole chunks to the operating system. From then on, they stay if the process is killed."""
        self._file.flush()
        self.kept = self._written

    def copy_to(self, output: Path) -> None:
        """Write the lines to `output`, completely or not at all; compressed if its name ends in .gz."""
        self._file.seek(self._start)
        with replacing_or_packing(output) as target:
            shutil.copyfileobj(self._file, target, COPY_BYTES)


@contextmanager
def unfinished(output: Path, record: Mapping[str, Any], *, chunk: int) -> Iterator[Unfinished]:
    """Yield the lines that `output` has so far, to append more. When the block ends, make `output` of them.

    Lines are kept in whole chunks of `chunk` lines, so that the same lines are translated together as without a stop.
    If the block raises an exception, or the process is killed, another call with the same `record` goes on. Raises
    UserError if `output` exists, if another process writes it, or if the lines so far have another record.
    """
    _refuse_existing(output)
    path = partial_path(output)
    output.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a+b") as file:
        if try_lock(file) is False:
            raise UserError(f"output={output}: another process is writing it; wait for it, or give another name")
        _refuse_existing(output)
        lines = _opened(file, path, json.loads(json.dumps(record)), chunk)
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


def _opened(file: IO[bytes], path: Path, record: Mapping[str, Any], chunk: int) -> Unfinished:
    head = json.dumps(record, sort_keys=True).encode() + b"\n"
    file.seek(0)
    found = file.readline()
    if head.startswith(found) and found != head:  # nothing yet, or killed while the record was written
        file.truncate(0)
        file.write(head)
        file.flush()
        return Unfinished(file, len(head), 0)
    if found != head:
        raise UserError(
            f"{path}: its lines were made with {_difference(found, record)}; repeat the command that began it, or "
            "remove this file to begin anew"
        )
    done, end, position = 0, len(head), len(head)
    for number, line in enumerate(file, start=1):
        position += len(line)
        if number % chunk == 0 and line.endswith(b"\n"):
            done, end = number, position
    file.truncate(end)
    return Unfinished(file, len(head), done)


def _difference(head: bytes, record: Mapping[str, Any]) -> str:
    """Return in words what is different in the record of the existing lines."""
    try:
        theirs = dict(json.loads(head))
    except (ValueError, TypeError, RecursionError):
        return "something else than this program"
    keys = sorted(key for key in {*theirs, *record} if theirs.get(key) != record.get(key))
    if "search" in keys:  # another strategy has other settings
        keys = [key for key in keys if not key.startswith("search.")]
    return f"another {', '.join(keys)}"
