"""Where the messages of a program go: to the terminal, and with their times to the log file of the run.

On the terminal, long lines are wrapped at its width; where a file or a pipe takes its place, at 100 columns. The log
file has each message on one line, so that a search finds the whole of it.
"""

from __future__ import annotations

import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from nmt.cli.processes import is_first_process
from nmt.cli.table import terminal_width
from nmt.errors import UserError, printable

WHOLE: Mapping[str, bool] = {"whole": True}  # `extra` of a message that is not wrapped: a command is copied from it
INDENT = "    "  # of the continued lines of a message
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_OURS = ("nmt", "pytorch_lightning", "lightning_fabric")


class _Printable(logging.Formatter):
    """Escapes what a terminal would obey, except line feeds, because a message may quote a stranger's values."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of the message."""
        return printable(super().format(record), but="\n")


class _Wrapped(_Printable):
    """Wraps the lines of messages at words. Every line begins with `prefix`."""

    def __init__(self, stream: Callable[[], TextIO], prefix: str = "") -> None:
        """Take what returns the stream that the lines are for."""
        super().__init__()
        self._stream = stream
        self._prefix = prefix

    def format(self, record: logging.LogRecord) -> str:
        """Return the message, wrapped."""
        lines = super().format(record).split("\n")
        if not getattr(record, "whole", False):
            width = _width(self._stream()) - len(self._prefix)
            lines = [part for line in lines for part in wrapped(line, width)]
        return "\n".join(self._prefix + line for line in lines)


class _Terminal(logging.Handler):
    """Prints to the current `sys.stdout`. A live progress bar replaces it, and so stays below the messages."""

    def emit(self, record: logging.LogRecord) -> None:
        """Print the message."""
        print(self.format(record), flush=True)


class _File(logging.FileHandler):
    """Writes to a file. When the disk is full, it says so once, and the messages are only on the terminal."""

    failed = False

    def handleError(self, record: logging.LogRecord) -> None:
        """Report a failed write in one line; other errors as logging does."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
        elif not self.failed:
            self.failed = True
            print(f"{self.baseFilename}: {error.strerror}; the next messages are not in it", file=sys.stderr)

    def close(self) -> None:
        """Close the file. Python tries once more to write what did not fit."""
        with suppress(OSError):
            super().close()


def wrapped(line: str, width: int) -> list[str]:
    """Return a line as lines of at most `width` columns, the continued ones with an indent. Hangul takes two columns.

    A word that is longer stays whole, because it may be a path.
    """
    from rich.cells import cell_len

    own = line[: len(line) - len(line.lstrip(" "))]
    first, *words = re.findall(r" *[^ ]+", line) or [line]
    lines = [first]
    for word in words:
        if cell_len(lines[-1] + word) <= max(width, 2 * len(INDENT)):
            lines[-1] += word
        else:
            lines.append(own + INDENT + word.lstrip(" "))
    return lines


def _width(stream: TextIO) -> int:
    """Return the columns of the terminal that `stream` is; if it is none, those of `terminal_width`."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or terminal_width()
    except (OSError, ValueError):  # no terminal, or not even a file
        return terminal_width()


@contextmanager
def logged(path: Path, *, prefix: str = "") -> Iterator[None]:
    """Log to the terminal and to the file `path` while the block runs.

    The terminal shows the messages of this package and of Lightning, each after `prefix`. The file gets these messages
    and also Python's warnings and the messages of other packages. New lines are appended to it. If an exception ends
    the block, it is written to the file and raised again; a user's mistake is written without a traceback. If a run
    has several processes, only the first one logs.
    """
    handlers = _handlers(path, prefix) if is_first_process() else [logging.NullHandler()]
    root = logging.getLogger()
    levels = {name: logging.getLogger(name).level for name in _OURS}
    for handler in handlers:
        root.addHandler(handler)
    for name in _OURS:
        logging.getLogger(name).setLevel(logging.INFO)
    logging.captureWarnings(True)
    try:
        yield
    except (Exception, KeyboardInterrupt) as error:
        _write_end(handlers[-1], error)
        raise
    finally:
        logging.captureWarnings(False)
        for name, level in levels.items():
            logging.getLogger(name).setLevel(level)
        for handler in handlers:
            root.removeHandler(handler)
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
    handler = logging.StreamHandler(stream)
    handler.setFormatter(_Wrapped(lambda: stream))
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def _handlers(path: Path, prefix: str) -> list[logging.Handler]:
    terminal = _Terminal()
    terminal.setFormatter(_Wrapped(lambda: sys.stdout, prefix))
    terminal.addFilter(lambda record: record.name.partition(".")[0] in _OURS)
    file = _File(path, encoding="utf-8")
    file.setFormatter(_Printable(FORMAT))
    return [terminal, file]


def _write_end(handler: logging.Handler, error: BaseException) -> None:
    expected = isinstance(error, UserError | KeyboardInterrupt)
    trace = None if expected else (type(error), error, error.__traceback__)
    text = str(error) or type(error).__name__
    handler.handle(logging.LogRecord("nmt", logging.ERROR, __file__, 0, text, None, trace))
