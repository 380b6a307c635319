"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from nmt.cli import program
from nmt.system.atomic import cache_folder, remove_unfinished, replacing, write_atomically


@pytest.mark.parametrize("name", ["n" * 255, "가" * 82 + ".de"])
def test_a_name_may_be_as_long_as_the_file_system_allows(tmp_path: Path, name: str) -> None:
    write_atomically(tmp_path / name, b"new")
    assert [path.name for path in tmp_path.iterdir()] == [name] and (tmp_path / name).read_bytes() == b"new"
    with replacing(tmp_path / name):
        (part,) = {*tmp_path.iterdir()} - {tmp_path / name}
        (tmp_path / "copy").hardlink_to(part)
    (tmp_path / "copy").rename(part)  # as after a kill
    remove_unfinished(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("home", [None, "/proc/nowhere"])
def test_without_a_home_caches_are_temporary_and_no_folder_is_named_after_a_tilde(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str], home: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("NMT_CACHE", "XDG_CACHE_HOME", "MPLCONFIGDIR"):
        monkeypatch.setenv(name, "")  # so that it is as before after the test
    real = os.path.expanduser
    monkeypatch.setattr(os.path, "expanduser", lambda path: path if home is None else real(path))
    monkeypatch.setenv("HOME", home or "")
    folder = cache_folder()
    assert folder == cache_folder() and folder.is_absolute() and os.access(folder.parent, os.W_OK)
    assert os.environ["XDG_CACHE_HOME"] == str(folder.parent) == os.environ["MPLCONFIGDIR"]
    assert capsys.readouterr().err.count("cannot be written") == 1
    if home is None:
        monkeypatch.setattr(sys, "argv", ["train.py", "hydra.run.dir=~/run"])
        with pytest.raises(SystemExit):
            program.run(lambda words: Path(words[0]).mkdir())
        assert "error: =~/run: this user has no home folder" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
