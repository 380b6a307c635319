"""A folder for temporary files."""

from __future__ import annotations

import errno
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from nmt.errors import UserError

_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # the errors of a full disk, which name no file


@contextmanager
def temporary_folder() -> Iterator[Path]:
    """Yield a new folder, which is removed after the block. Raises UserError if it becomes full."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        try:
            yield Path(name)
        except OSError as error:
            if error.errno not in _FULL:
                raise
            raise UserError(
                f"{tempfile.gettempdir()}: {error.strerror}; make room in this folder of temporary files, or set the "
                "environment variable TMPDIR to another one"
            ) from error
