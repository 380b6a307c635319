"""The table for a terminal has every weight, whatever its width."""

from __future__ import annotations

import re

import numpy as np
import pytest
import torch
from rich.cells import cell_len

from nmt.lab.attention.terminal import source_shares, table
from nmt.lab.attention.view import View, view
from tests.attention_maps import ENGLISH, GERMAN, make, make_map


def lines_of(attention, width=200, **choice) -> list[str]:
    seen = view(attention, **choice)
    return [line.plain for line in table(seen, seen.panel()[0], width)]


def test_a_table_by_hand() -> None:
    cross = torch.tensor([[0.996, 0.004, 0.0], [0.25, 0.5, 0.25]])[None, None]
    assert lines_of(make_map(["▁a", "▁Donaudampf", "</s>"], ["▁x", "</s>"], cross=cross)) == [
        "      ▁a ▁Donauda… </s>",
        "▁x   100         ·    ·",
        "</s>  25        50   25",
    ]


@pytest.mark.parametrize("width", [24, 60, 80, 200])
def test_every_weight_is_there_once_and_no_line_is_too_wide(width: int) -> None:
    attention = make()
    assert attention.cross is not None
    lines = lines_of(attention, width)
    assert max(map(cell_len, lines)) <= width
    rows: dict[int, list[str]] = {number: [] for number in range(len(GERMAN))}
    for part in "\n".join(lines).split("\n\n"):
        _, *body = part.split("\n")
        assert len(body) == len(GERMAN)
        for number, line in enumerate(body):
            rows[number] += re.split(" +", line)[1:]
    for number, cells in rows.items():
        expected = [round(100 * float(weight)) for weight in attention.cross.mean((0, 1))[number]]
        assert [0 if cell == "·" else int(cell) for cell in cells] == pytest.approx(expected, abs=1)
        assert len(cells) == len(ENGLISH)


def test_where_a_row_cannot_look_the_cell_is_empty() -> None:
    _, first, second, *_ = lines_of(make(), kind="decoder_self")
    assert len(first.split()) == 2 and len(second.split()) == 3


def test_wide_characters_stand_in_their_columns() -> None:
    cross = torch.full((1, 1, 2, 2), 0.5)
    lines = lines_of(make_map(["▁한국어번역", "</s>"], ["▁남자", "▁x"], cross=cross))
    assert [cell_len(line) for line in lines] == [cell_len(lines[0])] * 3
    assert lines[0] == "       ▁한국어… </s>"


def test_a_text_stands_beside_the_weight_of_its_cell() -> None:
    panel = np.array([[0.0, 0.25], [0.5, 1.0]], np.float32)
    axes = (["▁x", "</s>"], ["embedding", "layer 1"])
    cells = [["▁a", "▁Donaudampf"], ["</s>", "."]]
    seen = View(make(), "Lens", ("translation", "layer"), axes, panel[None, None], [2, 2], cells=cells)
    assert [line.plain for line in table(seen, panel, 80)] == [
        "     embedding       layer 1",
        "▁x      · ▁a    25 ▁Donauda…",
        "</s>   50 </s> 100 .",
    ]


def test_the_source_shares_are_of_the_first_columns() -> None:
    panel = np.array([[0.25, 0.5, 0.25], [0.0, 0.1, 0.9]], np.float32)
    axes = (["▁x", "</s>"], ["▁a", "</s>", "<s>"])
    seen = View(make(), "Shares", ("translation", "all"), axes, panel[None, None], [3, 3], source=2)
    assert source_shares(seen, panel) == "from the source, in %: ▁x 75, </s> 10; mean 42"
