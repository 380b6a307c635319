"""Runs every program: prints its help text, and turns its errors into messages and an exit status.

A user's mistake gives one line and status 2, any other error gives a traceback.
"""

from __future__ import annotations

import errno
import gc
import io
import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, NoReturn, TextIO

from nmt.errors import UserError, one_line, printable
from nmt.training.interruption import ignore_the_rest, stopped_by_ctrl_c

USER_ERROR, BROKEN_PIPE = 2, 128 + 13
# Importing torch and Lightning makes a million objects. By default Python looks for unreachable cycles after every 700
# new objects, which takes a tenth of a program's start. Training makes no such cycles.
OBJECTS_BEFORE_GARBAGE_COLLECTION = 100_000


@dataclass(frozen=True)
class Program:
    """A program of the command line: a function of its arguments, and the text of its --help.

    `main()` runs it with the arguments of this process and exits with its status, as `run` describes. `main(argv)` runs
    it and returns, for tests and for programs that call others. It raises UserError for a mistake in the arguments.
    """

    work: Callable[[list[str]], None]
    help_text: Callable[[Sequence[str]], str]

    def __call__(self, argv: Sequence[str] | None = None) -> None:
        """Run the program."""
        if argv is None:
            run(self)
        if {"-h", "--help"} & set(argv):
            print(self.help_text(argv).rstrip())
        else:
            self.work(list(argv))


def program(work: Callable[[list[str]], None]) -> Program:
    """Make a program from a function of the arguments. Its help text is the docstring of its module."""
    return Program(work, lambda argv: sys.modules[work.__module__].__doc__ or "")


def run(work: Callable[[list[str]], None]) -> NoReturn:
    """Run a program with the arguments of the command line, and exit with its status.

    0: success. 2: a UserError, an OSError or a missing package, printed on standard error as one line `error: ...`.
    130: Ctrl-C; in training also 143 (SIGTERM), 129 (SIGHUP) and 138 (SIGUSR1). 141: the reader of standard output has
    closed it. Any other exception prints its traceback (status 1). A program goes on if its terminal is closed. Without
    standard output, a program does not start (status 2). Without standard error, its messages are lost.
    """
    status = 0
    gc.set_threshold(OBJECTS_BEFORE_GARBAGE_COLLECTION)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal may lack characters of our text
        sys.stdout.reconfigure(errors="backslashreplace")
    outlive_terminal()
    stopped_by_ctrl_c()
    try:
        _replace_closed_streams()
        work(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt as stop:
        status = 128 + getattr(stop, "number", signal.SIGINT)
    except BrokenPipeError:
        status = BROKEN_PIPE
    except SystemExit as stop:
        if not isinstance(stop.__context__, BrokenPipeError):  # rich makes a SystemExit of it
            raise
        status = BROKEN_PIPE
    except Exception as error:
        if isinstance(error, OSError) and not error.filename and not _flushed(sys.stdout):
            error.filename = "standard output"
        message = users_message(error)
        if message is None:
            raise
        print_error(message)
        status = USER_ERROR
    finally:
        for stream in (sys.stdout, sys.stderr):
            _flushed(stream)
        ignore_the_rest()
    sys.exit(status)


def _replace_closed_streams() -> None:
    """Open the null device for each closed standard stream. Otherwise the next file would get the stream's number.

    `sys.stdin` stays None. Raises UserError if standard output is closed, because results would be lost.
    """
    closed = [name for name in ("stdin", "stdout", "stderr") if getattr(sys, name) is None]
    for name in closed:
        number = os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is the number of the stream
        os.set_inheritable(number, True)
        if name != "stdin":
            setattr(sys, name, os.fdopen(number, "w", encoding="utf-8"))
    if "stdout" in closed:
        raise UserError("standard output is closed; redirect it to a file, as in > lines.txt, or to /dev/null")


class _TerminalFile(io.FileIO):
    """Writes to a terminal, and to nothing after the terminal was closed."""

    def write(self, data: Any, /) -> int:
        """Write bytes and return how many were taken."""
        try:
            return super().write(data)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return memoryview(data).nbytes


def outlive_terminal() -> None:
    """Let this process go on when its terminal is closed: from then on, output to it is dropped without an error."""
    if os.name != "posix":  # elsewhere a process ends with its terminal
        return
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, io.TextIOWrapper) and stream.isatty():
            stream.flush()
            file = io.BufferedWriter(_TerminalFile(stream.fileno(), "w", closefd=False))
            setattr(sys, name, io.TextIOWrapper(file, stream.encoding, stream.errors, line_buffering=True))


def users_message(error: Exception) -> str | None:
    """Return the message for an error that the user can correct; None for any other error."""
    if isinstance(error, UserError):
        return str(error)
    if isinstance(error, OSError):  # for example a full disk, or a folder without read permission
        where = f"{error.filename}: " if error.filename else ""
        if isinstance(error, FileExistsError | NotADirectoryError):  # a path goes through a file
            return f"{where}a file stands where a folder is needed; give another path"
        return f"{where}{error.strerror or error}; check the path, its permissions and the free disk space"
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] in {*sys.modules} - {"nmt"}:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if not frame.filename.startswith("<")]
        where = f"{frames[-1].filename}, line {frames[-1].lineno}"
        return f"{where}: {error}; correct the name, or install a version that has it"
    if isinstance(error, ModuleNotFoundError) and (error.name or "nmt").partition(".")[0] != "nmt":
        return f"{error} in {sys.executable}; activate the environment (. .venv/bin/activate), or install the package"
    if isinstance(error, ModuleNotFoundError) and error.name is None:  # not of an import: a package names another one
        return f"{one_line(error).rstrip('.')}; install the missing package, or leave out the setting that needs it"
    return None


def _flushed(stream: TextIO) -> bool:
    """Flush a stream. If that fails, drop its content: Python would try again at exit, and change the status."""
    try:
        stream.flush()
    except (OSError, KeyboardInterrupt):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
        return False
    return True


def print_error(error: object) -> None:
    """Print `error` as one line on standard error. Do nothing if it has no reader or the disk is full."""
    with suppress(OSError):
        print("error:", printable(one_line(error)), file=sys.stderr, flush=True)
