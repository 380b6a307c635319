"""Writing a file whole or not at all, and by one process at a time."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

logger = logging.getLogger(__name__)


@contextmanager
def replacing(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file beside `path` that is synced and takes its place at the end of the block.

    Readers see the old file or the new one; where the block or the disk fails the old one stays. Raises OSError, which
    names `path`.
    """
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
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


def write_atomically(path: Path, content: bytes) -> None:
    """Write `content` to `path`, making its folder, whole or not at all. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with replacing(path) as file:
        file.write(content)


def lock_file(file: IO[bytes], *, waiting: str) -> bool:
    """Lock an open file until it is closed; if another process has locked it, log `waiting`, wait, and return True.

    On Windows, and on a file system without locks, this does nothing.
    """
    if sys.platform == "win32":
        return False
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        logger.info(waiting)
        fcntl.flock(file, fcntl.LOCK_EX)
        return True
    except OSError:
        pass
    return False
