"""The folder of temporary files."""

from __future__ import annotations

import errno
import tempfile

import pytest

from nmt.errors import UserError
from nmt.system.atomic import temporary_folder


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_a_full_disk_is_that_of_the_temporary_folder(number: int) -> None:
    with pytest.raises(UserError, match=rf"^{tempfile.gettempdir()}: .*TMPDIR"), temporary_folder() as folder:
        (folder / "file").touch()
        raise OSError(number, "no room")
    assert not folder.exists()


def test_another_error_in_the_block_stays_as_it_is() -> None:
    with pytest.raises(PermissionError, match=r"another\.txt"), temporary_folder():
        raise PermissionError(errno.EACCES, "Permission denied", "another.txt")
