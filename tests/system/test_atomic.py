"""Files that are written completely or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from nmt.system.atomic import remove_unfinished, replacing, write_atomically


@pytest.mark.parametrize("name", ["n" * 255, "가" * 82 + ".de"])
def test_file_whose_name_is_as_long_as_the_file_system_allows_is_written(tmp_path: Path, name: str) -> None:
    write_atomically(tmp_path / name, b"new")
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_bytes() == b"new"


def test_unfinished_file_with_a_long_name_is_removed(tmp_path: Path) -> None:
    with replacing(tmp_path / ("n" * 255)):
        (part,) = tmp_path.iterdir()
        (tmp_path / "copy").hardlink_to(part)
    (tmp_path / "copy").rename(part)  # as after a kill
    remove_unfinished(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["n" * 255]
