"""The notebook about attention runs, and prints what is stored in it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from scripts import notebook

pytestmark = pytest.mark.lab  # it draws maps

ROOT = Path(__file__).resolve().parents[1]
NUMBER = re.compile(r"-?\d+\.\d+")


def printed(outputs: list[dict[str, Any]]) -> str:
    return "".join(line for each in outputs for line in each.get("text", []))


@pytest.mark.slow
def test_every_cell_prints_and_draws_what_is_stored() -> None:
    read = notebook.read()
    stored = [cell["outputs"] for cell in read["cells"] if cell["cell_type"] == "code"]
    found = notebook.outputs(read)
    for before, after in zip(stored, found, strict=True):
        assert [each["output_type"] for each in before] == [each["output_type"] for each in after]
        texts = [printed(before), printed(after)]
        words, others = (NUMBER.sub("#", text).split() for text in texts)
        assert words == others
        numbers, more = (list(map(float, NUMBER.findall(text))) for text in texts)
        assert numbers == pytest.approx(more, abs=0.02, rel=0.01)
    assert sum(each["output_type"] == "display_data" for outputs in found for each in outputs) == 5
    assert "same output: True" in "".join(map(printed, found))


def test_the_file_is_small_and_links_lead_somewhere() -> None:
    assert notebook.NOTEBOOK.stat().st_size < 500_000
    text = "".join(line for cell in notebook.read()["cells"] for line in cell["source"])
    names = re.findall(r"\]\(([\w./-]+)\)", text)
    assert names and [name for name in names if not (ROOT / "docs" / name).exists()] == []
