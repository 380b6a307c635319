"""How every program ends: one line and a status for what users can mend, a traceback for what they cannot."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable
from typing import NoReturn

from nmt.errors import UserError

USER_ERROR, INTERRUPTED, BROKEN_PIPE = 2, 128 + 2, 128 + 13


def main(run: Callable[[list[str]], None]) -> NoReturn:
    """Run a program with the command line's arguments and leave with its status.

    0: done. 2: a UserError, an OSError or a package that is not installed, printed as one line `error: ...` on standard
    error. 130: Ctrl-C. 141: the reader of our output went away. Any other exception keeps its traceback (status 1).
    """
    status = 0
    if isinstance(sys.stdout, io.TextIOWrapper):  # text of any script, on a terminal that has not all of them
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        run(sys.argv[1:])
        sys.stdout.flush()
    except UserError as error:
        print_error(error)
        status = USER_ERROR
    except ModuleNotFoundError as error:
        if (error.name or "nmt").partition(".")[0] == "nmt":
            raise
        print_error(
            f"{error} in {sys.executable}; activate the environment (. .venv/bin/activate), or install it there"
        )
        status = USER_ERROR
    except KeyboardInterrupt:
        status = INTERRUPTED
    except BrokenPipeError:
        _discard_output()
        status = BROKEN_PIPE
    except OSError as error:  # a disk that is full, a folder that may not be read
        print_error(of_system(error))
        try:
            sys.stdout.flush()
        except OSError:
            _discard_output()
        status = USER_ERROR
    sys.exit(status)


def of_system(error: OSError) -> str:
    """Return a line about what the system refused."""
    where = f"{error.filename}: " if error.filename else ""
    return f"{where}{error.strerror or error}; check the path, its permissions and the space left there"


def _discard_output() -> None:
    """Python flushes standard output once more at exit: give that flush somewhere to go."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def print_error(error: object) -> None:
    """Print an error for the user as one line on standard error."""
    print("error:", " ".join(str(error).split()), file=sys.stderr, flush=True)
