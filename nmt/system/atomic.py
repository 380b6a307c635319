"""Writes a file completely or not at all, locks a file against other processes, and names the folder of the cache."""

from __future__ import annotations

import gzip
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Yield a new file in the folder of `path`. At the end of the block it is synced to disk and replaces `path`.

    Readers see either the old file or the complete new one. If the block or the disk fails, the old file stays. Raises
    OSError with the name `path`.
    """
    start = path.name[:50]  # a name may have 255 bytes, and a character has up to 4 of them in UTF-8
    part = path.with_name(f".{start}.{os.urandom(8).hex()}.part")  # random, so that no other process uses this name
    try:
        with part.open("w+b") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror or str(error), str(path)) from error
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def replacing_or_packing(path: Path) -> Iterator[IO[bytes]]:
    """As `replacing`, but compress with gzip if the name of `path` ends in .gz. Make the folder if needed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        if path.suffix.lower() != ".gz":
            yield file
            return
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as packed:  # no name, no time in it
            yield cast("IO[bytes]", packed)


def write_atomically(path: Path, content: bytes) -> None:
    """Write `content` to `path` completely or not at all. Make the folder if needed. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(content)


def require_writable(folder: Path) -> None:
    """Make the folder if needed. Raises OSError if no file can be made in it."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryFile(dir=folder):
        pass


def try_lock(file: IO[bytes]) -> bool:
    """Lock an open file until it is closed. Return False if another process has locked it.

    On Windows, and on a file system without locks, this function does nothing.
    """
    if sys.platform != "win32":
        import fcntl

        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            return not isinstance(error, BlockingIOError)
    return True


def cache_folder() -> Path:
    """Return the folder of tokenizers, encoded corpora and data reports: $NMT_CACHE, or `nmt` in the user's cache."""
    users = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(os.environ.get("NMT_CACHE") or f"{users}/nmt").expanduser()
