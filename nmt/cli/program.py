"""How every program ends: a user's mistake gives one line and status 2, any other error gives a traceback."""

from __future__ import annotations

import errno
import gc
import io
import os
import signal
import sys
from collections.abc import Callable
from typing import Any, NoReturn

from nmt.errors import UserError

USER_ERROR, BROKEN_PIPE = 2, 128 + 13
# Importing torch and Lightning makes a million objects. By default Python looks for unreachable cycles after every 700
# new objects, which takes a tenth of a program's start. Training makes no such cycles.
OBJECTS_BEFORE_GARBAGE_COLLECTION = 100_000


def main(run: Callable[[list[str]], None]) -> NoReturn:
    """Run a program with the arguments of the command line, and exit with its status.

    0: success. 2: a UserError, an OSError or a missing package, printed on standard error as one line `error: ...`.
    130: Ctrl-C; in training also 143 (SIGTERM) and 129 (SIGHUP). 141: the reader of standard output has closed it. Any
    other exception prints its traceback (status 1). A terminal that is closed meanwhile ends nothing by itself.
    """
    status = 0
    gc.set_threshold(OBJECTS_BEFORE_GARBAGE_COLLECTION)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal may lack characters of our text
        sys.stdout.reconfigure(errors="backslashreplace")
    outlive_terminal()
    try:
        run(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt as stop:
        status = 128 + getattr(stop, "number", signal.SIGINT)  # nmt.training.interruption.Stopped has a number
    except BrokenPipeError:
        _discard_output()
        status = BROKEN_PIPE
    except Exception as error:
        message = users_message(error)
        if message is None:
            raise
        print_error(message)
        try:
            sys.stdout.flush()
        except OSError:
            _discard_output()
        status = USER_ERROR
    sys.exit(status)


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
    """Return what to tell the user about an error that they can correct; None for any other error."""
    if isinstance(error, UserError):
        return str(error)
    if isinstance(error, OSError):  # for example a full disk, or a folder without read permission
        where = f"{error.filename}: " if error.filename else ""
        if isinstance(error, FileExistsError | NotADirectoryError):  # a path goes through a file
            return f"{where}a file stands where a folder is needed; give another path"
        return f"{where}{error.strerror or error}; check the path, its permissions and the free disk space"
    if isinstance(error, ModuleNotFoundError) and (error.name or "nmt").partition(".")[0] != "nmt":
        return f"{error} in {sys.executable}; activate the environment (. .venv/bin/activate), or install the package"
    return None


def _discard_output() -> None:
    """Redirect standard output to the null device, because Python flushes it once more at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_error(error: object) -> None:
    """Print `error` as one line on standard error."""
    print("error:", " ".join(str(error).split()), file=sys.stderr, flush=True)
