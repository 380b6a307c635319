"""The long program of docs/library.md: the toolkit as a library, without Hydra, Lightning or a run folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.lab  # the program draws an attention map

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "library.md").read_text("utf-8")
(PROGRAM,) = re.findall(r"^```python\n(import random.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def names(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the program's names stand for after it has run, in an empty folder."""
    found: dict[str, Any] = {"folder": tmp_path_factory.mktemp("library")}
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(found["folder"])
        exec(PROGRAM, found)
    return found


def test_what_it_learns_and_saves(names: dict[str, Any]) -> None:
    assert [each.text for each in names["found"]] == ["eins zwei drei", "sechs fünf"]
    assert names["right"].score > names["wrong"].score + 1
    assert (names["folder"] / "model.safetensors").is_file() and (names["folder"] / "map.png").is_file()
