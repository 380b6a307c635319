"""The output of the programs: messages for a person, and lines of data. Messages go through `logging`."""

from __future__ import annotations

import io
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO, cast

from tqdm import tqdm

from nmt.errors import UserError
from nmt.system.atomic import replacing_or_packing

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


@contextmanager
def logged(path: Path | None, *, prefix: str = "") -> Iterator[None]:
    """Log to the terminal and to the file `path` while the block runs. If `path` is None, log nothing.

    The terminal shows the messages of this package and of Lightning, each after `prefix`. The file gets these messages
    and also Python's warnings and the messages of other packages, each with its time. New lines are appended to it. If
    an exception ends the block, it is written to the file and raised again; a user's mistake is written without a
    traceback.
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
    handler, level = _Terminal(stream), logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def _handlers(path: Path, prefix: str) -> list[logging.Handler]:
    terminal, file = _Terminal(sys.stdout), logging.FileHandler(path, encoding="utf-8")
    terminal.setFormatter(logging.Formatter(f"{prefix}%(message)s"))
    terminal.addFilter(lambda record: record.name.partition(".")[0] in _OURS)
    file.setFormatter(logging.Formatter(FORMAT))
    return [terminal, file]


def _write_end(handler: logging.Handler, error: BaseException) -> None:
    expected = isinstance(error, UserError | KeyboardInterrupt)
    trace = None if expected else (type(error), error, error.__traceback__)
    text = str(error) or type(error).__name__
    handler.handle(logging.LogRecord("nmt", logging.ERROR, __file__, 0, text, None, trace))
