"""Where a training run's messages go: the terminal in plain words, and the run's log file with times."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from nmt.errors import UserError

FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
_OURS = ("nmt", "pytorch_lightning", "lightning_fabric")


class _Terminal(logging.Handler):
    """Prints to what standard output is at that moment, so that a live progress bar stays below the lines."""

    def emit(self, record: logging.LogRecord) -> None:
        print(self.format(record), flush=True)


@contextmanager
def logged(path: Path, *, prefix: str = "") -> Iterator[None]:
    """Send our messages and Lightning's to the terminal and, with warnings and others' complaints, to the file `path`.

    New lines are appended to the file. On the terminal, each message begins with `prefix`. An exception that ends the
    block is written to the file, with its traceback unless it is a mistake of the user's, and raised again. The
    processes that Lightning starts beside the first one stay silent.
    """
    handlers = _handlers(path, prefix) if process_rank() == 0 else [logging.NullHandler()]
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
    """Write the messages of this package to `stream`, in plain words."""
    handler = logging.StreamHandler(stream)
    logger = logging.getLogger("nmt")
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
    terminal.setFormatter(logging.Formatter(prefix.replace("%", "%%") + "%(message)s"))
    terminal.addFilter(lambda record: record.name.partition(".")[0] in _OURS)
    file = logging.FileHandler(path, encoding="utf-8")
    file.setFormatter(logging.Formatter(FORMAT))
    return [terminal, file]


def _write_end(handler: logging.Handler, error: BaseException) -> None:
    expected = isinstance(error, UserError | KeyboardInterrupt)
    trace = None if expected else (type(error), error, error.__traceback__)
    text = str(error) or type(error).__name__
    handler.handle(logging.LogRecord("nmt", logging.ERROR, __file__, 0, text, None, trace))


def process_rank() -> int:
    """Return this process's number among those of a run on several devices; 0 is the one that writes."""
    for name in ("RANK", "LOCAL_RANK", "SLURM_PROCID"):
        if os.environ.get(name, "").isdigit():
            return int(os.environ[name])
    return 0
