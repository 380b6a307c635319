"""What rests on marks, and the differences between the models."""

from __future__ import annotations

import pytest
import torch

from nmt.lab.claims.heads import equal, on_marks
from tests.attention_maps import ENGLISH, GERMAN, make, make_map


def test_equal_weights_give_each_token_the_same() -> None:
    found = equal(make())
    marks = sum(label in (",", ".", "</s>") for label in ENGLISH)
    for kind in ("encoder_self", "cross"):
        assert on_marks([found], kind) == pytest.approx(100 * marks / len(ENGLISH))  # type: ignore[arg-type]
    # A row may attend to `<s>` and the pieces before it. The first row has no choice and does not count.
    read = ["<s>", *GERMAN[:-1]]
    rows = [sum(label in ("<s>", ".") for label in read[:end]) / end for end in range(2, len(read) + 1)]
    assert on_marks([found], "decoder_self") == pytest.approx(100 * sum(rows) / len(rows))


def test_weights_on_marks_count_in_all_heads() -> None:
    cross = torch.zeros(1, 2, 2, 3)
    cross[0, 0, :, 1], cross[0, 1, :, 2] = 1, 0.5  # one head on the comma, the other half on `</s>`
    cross[0, 1, :, 0] = 0.5
    assert on_marks([make_map(["▁a", ",", "</s>"], ["▁b", "</s>"], cross=cross)], "cross") == pytest.approx(75)
