"""The output of the programs: messages for a person, and lines of data.

A terminal obeys control characters, and a stranger may have put them into names, values and models. So text for a
person is escaped. Lines of data are escaped on a terminal only; in a file or a pipe they stay unchanged.

Messages go through `logging`. Long lines are wrapped at the width of the terminal, or at 100 columns in a file or a
pipe. The log file of a run has each message on one line, with its time, so that a search finds the complete message.
"""

from __future__ import annotations

import io
import logging
import os
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO, cast

from nmt.cli.table import terminal_width
from nmt.errors import UserError, printable
from nmt.system.atomic import replacing_or_packing

UNWRAPPED: Mapping[str, bool] = {"unwrapped": True}  # `extra` of a message with a command, which is copied from it
INDENT = "    "  # of the continued lines of a message
FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_OURS = ("nmt", "pytorch_lightning", "lightning_fabric")


# Words and lines


def print_stdout(text: str, *, end: str = "\n") -> None:
    """Print lines for a person on standard output, escaped as `printable` does, except for line feeds."""
    print(printable(text, keep="\n"), end=end)


def print_stderr(text: str) -> None:
    """As `print_stdout`, at once, on standard error."""
    print(printable(text, keep="\n"), file=sys.stderr, flush=True)


class _OnTerminal(io.TextIOBase):
    """A terminal to which lines of output are written."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        """Write lines. Characters that a terminal would obey are escaped, except line feeds and tabs."""
        return self._stream.write(printable(text, keep="\n\t"))

    def flush(self) -> None:
        """Pass on the written text."""
        self._stream.flush()

    def isatty(self) -> bool:
        """Return True."""
        return True


def utf8_output() -> TextIO:
    """Return standard output for lines of data, set to UTF-8 and plain line feeds in every locale."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    return cast("TextIO", _OnTerminal(sys.stdout)) if sys.stdout.isatty() else sys.stdout


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


class _Printable(logging.Formatter):
    """Escapes characters that a terminal would obey, except line feeds: a message may quote a stranger's values."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the text of the message."""
        return printable(super().format(record), keep="\n")


class _Wrapped(_Printable):
    """Wraps the lines of messages at words. Every line begins with `prefix`."""

    def __init__(self, stream: Callable[[], TextIO], prefix: str = "") -> None:
        """Take a function that returns the stream of the lines."""
        super().__init__()
        self._stream = stream
        self._prefix = prefix

    def format(self, record: logging.LogRecord) -> str:
        lines = super().format(record).split("\n")
        if not getattr(record, "unwrapped", False):
            width = _width(self._stream()) - len(self._prefix)
            lines = [part for line in lines for part in wrapped(line, width)]
        return "\n".join(self._prefix + line for line in lines)


class _Terminal(logging.Handler):
    """Prints to the current `sys.stdout`. A live progress bar replaces that stream, and so stays below the messages."""

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
        """Close the file. Python tries once more to write the remaining text."""
        with suppress(OSError):
            super().close()


def wrapped(line: str, width: int) -> list[str]:
    """Return a line as lines of at most `width` columns, the continued ones with an indent. Hangul takes two columns.

    A longer word is not broken, because it may be a path.
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
    """Return the width of the terminal `stream`, or `terminal_width()` if the stream is not a terminal."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or terminal_width()
    except (OSError, ValueError):  # no terminal, or not even a file
        return terminal_width()


@contextmanager
def logged(path: Path | None, *, prefix: str = "") -> Iterator[None]:
    """Log to the terminal and to the file `path` while the block runs. If `path` is None, log nothing.

    The terminal shows the messages of this package and of Lightning, each after `prefix`. The file gets these messages
    and also Python's warnings and the messages of other packages. New lines are appended to it. If an exception ends
    the block, it is written to the file and raised again; a user's mistake is written without a traceback.
    """
    handlers = [logging.NullHandler()] if path is None else _handlers(path, prefix)
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
