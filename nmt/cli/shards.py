"""An output file that one or several processes write, each a shard of its lines, which a stop does not destroy.

The lines of input are cut into chunks, and the shards take turns to have the next chunk. So the same lines are
translated together with any number of shards, and the output is the same. Each line of input gives one line of output.

Until a shard is finished, its lines are in `NAME.partial` beside the output file `NAME`, or in `NAME.3-of-16.partial`
if there are several shards. Its first line records, as JSON, everything that the lines depend on. A shard that was
stopped continues from this file. A finished shard is called `NAME.3-of-16`. The process that finds all shards finished
joins them, and no process waits for another one.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeVar

from nmt.errors import UserError
from nmt.system.atomic import replacing_or_packing, try_lock

CHUNK = 1024  # lines translated together: enough for batches of similar length; a kill loses at most these

T = TypeVar("T")


@dataclass(frozen=True)
class Shard:
    """The chunks of an input that one of `count` processes translates; `number` counts them from 1."""

    number: int = 1
    count: int = 1

    def __str__(self) -> str:
        """Return the shard as the setting `shard` names it."""
        return f"{self.number}/{self.count}"

    def size(self, total: int) -> int:
        """Return how many of `total` lines this shard has."""
        first, step = (self.number - 1) * CHUNK, self.count * CHUNK
        return sum(min(CHUNK, total - start) for start in range(first, total, step))

    def chunks(self, lines: Iterable[T], *, done: int = 0) -> Iterator[list[T]]:
        """Yield the chunks of this shard, without those of its first `done` lines, which are complete chunks."""
        rest = iter(lines)
        chunks = iter(lambda: list(itertools.islice(rest, CHUNK)), [])
        return itertools.islice(chunks, self.number - 1 + done // CHUNK * self.count, None, self.count)

    def finished_path(self, output: Path) -> Path:
        """Return the file of this shard when all its lines are written, until the shards are joined."""
        return output.with_name(f"{output.name}.{self.number}-of-{self.count}")

    def partial_path(self, output: Path) -> Path:
        """Return the file of this shard until all its lines are written."""
        path = output if self.count == 1 else self.finished_path(output)
        return path.with_name(f"{path.name}.partial")


class UnfinishedShard:
    """The lines that a shard has so far.

    `kept` is the number of lines that a stop leaves in its file: the same command goes on after them.
    """

    def __init__(self, file: IO[bytes], kept: int) -> None:
        self._file = file
        self._written = self.kept = kept

    def add(self, lines: Iterable[str]) -> None:
        """Append the lines of a chunk, which have their line ends. After that, they survive a kill of the process."""
        for line in lines:
            self._file.write(line.encode("utf-8"))
            self._written += 1
        self._file.flush()
        self.kept = self._written


@contextmanager
def unfinished_shard(output: Path, shard: Shard, record: Mapping[str, Any]) -> Iterator[UnfinishedShard | None]:
    """Yield the lines that a shard of `output` has so far, to append the others. When the block ends, it is finished.

    Lines are kept in complete chunks. If the block raises an exception, or the process is killed, another call with the
    same `record` goes on. Yields None if the shard was finished before. Raises UserError if a single process finds that
    `output` exists, if another process writes the shard, or if the lines of a shard have another record.
    """
    if shard.count > 1 and output.is_file():  # other processes have joined all shards since this one began
        yield None
        return
    refuse_existing(output)
    output.parent.mkdir(parents=True, exist_ok=True)
    for other in _all(shard.count):
        done = other.finished_path(output)
        with suppress(FileNotFoundError), done.open("rb") as lines:
            _check_head(lines.readline(), done, _head(record, other))
    path, finished = shard.partial_path(output), shard.finished_path(output)
    with _named(path), path.open("a+b") as file:
        if try_lock(file) is False:
            what = f"output={output}" if shard.count == 1 else f"shard={shard}"
            raise UserError(f"{what}: another process is writing it; wait for it, or give another name")
        if finished.exists():
            path.unlink(missing_ok=True)
            yield None
            return
        refuse_existing(output)
        yield _opened(file, path, _head(record, shard))
        file.flush()
        os.fsync(file.fileno())
        path.replace(finished)


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Add the name `path` to an OSError of the block that names no file, as that of a full disk."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def join_shards(output: Path, count: int, record: Mapping[str, Any], total: int) -> list[int]:
    """Write the `total` lines of all shards to `output`, completely or not at all; packed if its name ends in .gz.

    Returns the numbers of the shards that are not finished; then nothing is written. If another process joins them at
    this moment, this one leaves it to that. Raises UserError if `output` exists, or if the lines of a shard have
    another record or are not complete.
    """
    shards = _all(count)
    paths = [shard.finished_path(output) for shard in shards]
    if missing := [shard.number for shard, path in zip(shards, paths, strict=True) if not path.exists()]:
        return [] if output.exists() else missing
    with ExitStack() as stack:
        try:
            files = [stack.enter_context(path.open("r+b")) for path in paths]
        except FileNotFoundError:  # another process has joined and removed them
            return []
        if try_lock(files[0]) is False or not paths[0].exists():
            return []
        refuse_existing(output)
        for shard, path, file in zip(shards, paths, files, strict=True):
            _check_head(file.readline(), path, _head(record, shard))
        with replacing_or_packing(output) as target:
            for start, file, path in zip(range(0, total, CHUNK), itertools.cycle(files), itertools.cycle(paths)):
                _copy_lines(file, path, target, min(CHUNK, total - start))
        for path in paths:
            path.unlink(missing_ok=True)
    return []


def _copy_lines(file: IO[bytes], path: Path, target: IO[bytes], count: int) -> None:
    whole = 0
    for line in itertools.islice(file, count):
        target.write(line)
        whole += line.endswith(b"\n")
    if whole < count:
        raise UserError(f"{path}: it ends too early; copy it again, or remove it and translate its shard again")


def _all(count: int) -> list[Shard]:
    return [Shard(number, count) for number in range(1, count + 1)]


def refuse_existing(output: Path) -> None:
    """Raise UserError if there is something at `output`."""
    if output.exists() and not output.is_file():
        raise UserError(f"output={output}: a folder or device, expected the name of a new file")
    if output.exists():
        raise UserError(f"output={output}: exists already; remove it, or give another name")


def _opened(file: IO[bytes], path: Path, head: bytes) -> UnfinishedShard:
    file.seek(0)
    found = file.readline()
    if head.startswith(found) and found != head:  # nothing yet, or killed while the record was written
        file.truncate(0)
        file.write(head)
        file.flush()
    else:
        _check_head(found, path, head)
    kept, end, position = 0, len(head), len(head)
    for number, line in enumerate(file, start=1):
        position += len(line)
        if number % CHUNK == 0 and line.endswith(b"\n"):
            kept, end = number, position
    file.truncate(end)
    return UnfinishedShard(file, kept)


# The record of a shard, which is the first line of its file


def _head(record: Mapping[str, Any], shard: Shard) -> bytes:
    return json.dumps({**record, "shard": str(shard)}, sort_keys=True).encode() + b"\n"


def _check_head(found: bytes, path: Path, head: bytes) -> None:
    """Raise UserError, which names the differences, if the lines of a shard were made with another record."""
    if found != head:
        raise UserError(
            f"{path}: its lines were made with {_difference(found, json.loads(head))}; repeat the command that began "
            "it, or remove this file to begin anew"
        )


def _difference(head: bytes, record: Mapping[str, Any]) -> str:
    try:
        theirs = dict(json.loads(head))
    except (ValueError, TypeError, RecursionError):
        return "something else than this program"
    keys = sorted(key for key in {*theirs, *record} if theirs.get(key) != record.get(key))
    if "search" in keys:  # another strategy has other settings
        keys = [key for key in keys if not key.startswith("search.")]
    return f"another {', '.join(keys)}"
