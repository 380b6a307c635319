"""Runs every program: prints its help text, and turns its errors into messages and an exit status."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from nmt.errors import UserError, one_line, printable

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
    closed it. Any other exception prints its traceback (status 1).
    """
    status = 0
    gc.set_threshold(OBJECTS_BEFORE_GARBAGE_COLLECTION)
    if isinstance(sys.stdout, io.TextIOWrapper):  # a terminal may lack characters of our text
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        work(sys.argv[1:])
        sys.stdout.flush()
    except KeyboardInterrupt:
        status = 128 + signal.SIGINT
    except BrokenPipeError:
        status = BROKEN_PIPE
    except Exception as error:
        message = users_message(error)
        if message is None:
            raise
        print_error(message)
        status = USER_ERROR
    finally:
        try:
            sys.stdout.flush()
        except OSError:  # Python would try again at exit, and change the status
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(status)


def users_message(error: Exception) -> str | None:
    """Return the message for an error that the user can correct; None for any other error."""
    if isinstance(error, UserError):
        return str(error)
    if isinstance(error, OSError):  # for example a full disk, or a folder without read permission
        where = f"{error.filename}: " if error.filename else ""
        return f"{where}{error.strerror or error}; check the path, its permissions and the free disk space"
    if type(error).__name__ == "OutOfMemoryError":  # of torch, which this module does not import
        remedy = "use smaller batches, as in data.batch_tokens=2000 for a training, or a smaller model"
        return f"the device's memory is too small ({str(error).partition('.')[0]}); {remedy}"
    if type(error).__name__ == "MisconfigurationException":
        return f"Lightning refuses these settings: {one_line(error)}"
    if isinstance(error, ModuleNotFoundError) and (error.name or "").partition(".")[0] not in sys.modules:
        what = one_line(error).rstrip(".")
        return f"{what} in {sys.executable}; activate the environment (. .venv/bin/activate), or install the package"
    return None


def print_error(error: object) -> None:
    """Print `error` as one line on standard error."""
    print("error:", printable(one_line(error)), file=sys.stderr, flush=True)
