"""What the tests of the programs share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.train_frame import Runs

if TYPE_CHECKING:
    from tests.tiny_run import Run
    from tests.translated_file import FileCall


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Runs:
    """An empty working folder, and a training that takes no time."""
    monkeypatch.chdir(tmp_path)
    return Runs(monkeypatch)


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Another working folder, which must stay empty."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    monkeypatch.chdir(folder)
    yield folder
    assert list(folder.iterdir()) == []


@pytest.fixture
def translated(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> FileCall:
    """A call of the program's function that translates a file."""
    from nmt.cli import translate_file
    from tests.translated_file import CHUNK, FileCall

    monkeypatch.setattr(translate_file, "CHUNK", CHUNK)
    return FileCall(run, tmp_path)
