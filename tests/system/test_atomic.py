"""Files that are written completely or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from nmt.system.atomic import replacing, write_atomically


@pytest.mark.parametrize("name", ["n" * 255, "가" * 82 + ".de"])
def test_a_name_may_be_as_long_as_the_file_system_allows(tmp_path: Path, name: str) -> None:
    write_atomically(tmp_path / name, b"new")
    assert [path.name for path in tmp_path.iterdir()] == [name] and (tmp_path / name).read_bytes() == b"new"
    with replacing(tmp_path / name):
        (part,) = {*tmp_path.iterdir()} - {tmp_path / name}
        assert part.is_file()
    assert [path.name for path in tmp_path.iterdir()] == [name]
