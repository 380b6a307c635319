"""The output of the programs: messages for a person, and lines of data. Messages go through `logging`."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import MemoryHandler
from pathlib import Path
from typing import IO, TextIO, cast

from tqdm import tqdm

from nmt.errors import UserError
from nmt.system.atomic import replacing_or_packing, try_lock
from nmt.system.run_files import LOG

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_OURS = ("nmt", "pytorch_lightning", "lightning_fabric")


# Lines


def print_stderr(text: str) -> None:
    """Print a line for a person on standard error, at once."""
    print(text, file=sys.stderr, flush=True)


def utf8_output() -> TextIO:
    """Return standard output for lines of data, set to UTF-8 and plain line feeds in every locale."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    return sys.stdout


def new_file(path: str | None) -> Path | None:
    """Return the path of the setting `output`. Raises UserError if it exists."""
    if path is not None and os.path.exists(path):
        raise UserError(f"output={path}: exists already; give another name")
    return None if path is None else Path(path)


@contextmanager
def output_file(path: Path | None) -> Iterator[TextIO]:
    """Yield a file for lines of output: `path`, gzipped if its name ends in .gz, or standard output if it is None.

    The file is written completely or not at all. Raises OSError if it cannot be written.
    """
    if path is None:
        stdout = utf8_output()
        yield stdout
        stdout.flush()
        return
    with replacing_or_packing(path) as binary:
        file = io.TextIOWrapper(cast("io.BufferedWriter", binary), encoding="utf-8", newline="\n")
        yield file
        file.detach()


# Messages


class _Terminal(logging.StreamHandler[TextIO]):
    """Prints messages, above a progress bar if there is one."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print the message."""
        tqdm.write(self.format(record), file=self.stream)
        self.flush()


class RunLog:
    """The messages of a run: on the terminal at once, and in the file train.log when the run has a folder.

    The terminal shows the messages of this package and of Lightning, each after `prefix`. The file gets these messages
    and also Python's warnings and the messages of other packages, each with its time. `folder` is the folder, if it
    exists already. With `quiet`, nothing is shown or kept.
    """

    def __init__(self, prefix: str = "", *, quiet: bool = False) -> None:
        self.folder: Path | None = None
        terminal = _Terminal(sys.stdout)
        terminal.setFormatter(logging.Formatter(f"{prefix}%(message)s"))
        terminal.addFilter(lambda record: record.name.partition(".")[0] in _OURS)
        self._waiting = MemoryHandler(10_000, flushLevel=logging.CRITICAL + 1, flushOnClose=False)
        self._handlers: list[logging.Handler] = [logging.NullHandler()] if quiet else [terminal, self._waiting]
        for handler in self._handlers:
            logging.getLogger().addHandler(handler)
        for name in _OURS:
            logging.getLogger(name).setLevel(logging.INFO)
        logging.captureWarnings(True)

    def begin(self, folder: Path) -> None:
        """Make the folder, and write all messages since the start and from now on to its log.

        Raises UserError if another process writes to the log.
        """
        folder.mkdir(parents=True, exist_ok=True)
        file = logging.FileHandler(folder / LOG, encoding="utf-8")
        self._handlers.append(file)
        if try_lock(cast("IO[bytes]", file.stream)) is False:
            raise UserError(f"{folder}: another process is training this run; wait until it has ended")
        file.setFormatter(logging.Formatter(FORMAT))
        self.folder = folder
        self._waiting.setTarget(file)
        self._waiting.flush()
        logging.getLogger().addHandler(file)
        logging.getLogger().removeHandler(self._waiting)

    def close(self) -> None:
        """Write the error that is being handled, if any, to the log, and end it. A user's mistake has no traceback."""
        error = sys.exc_info()[1]
        if self.folder is not None and isinstance(error, Exception):
            trace = None if isinstance(error, UserError) else sys.exc_info()
            record = logging.LogRecord("nmt", logging.ERROR, __file__, 0, str(error), None, trace)
            self._handlers[-1].handle(record)
        logging.captureWarnings(False)
        for name in _OURS:
            logging.getLogger(name).setLevel(logging.NOTSET)
        for handler in self._handlers:
            logging.getLogger().removeHandler(handler)
            handler.close()


@contextmanager
def messages_on(stream: TextIO) -> Iterator[None]:
    """Write the messages of this package to `stream` while the block runs, without times and levels.

    Inside another such block for the same stream, it does nothing, so that each message is written once.
    """
    logger = logging.getLogger("nmt")
    if any(isinstance(each, logging.StreamHandler) and each.stream is stream for each in logger.handlers):
        yield
        return
    handler, level = _Terminal(stream), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
