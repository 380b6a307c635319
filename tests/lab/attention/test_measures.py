"""Figures of attention maps, by hand and against loops over single weights."""

from __future__ import annotations

import math

import pytest
import torch
from torch import Tensor

from nmt.attention_map import AttentionMap, Kind
from nmt.lab.attention.measures import measures, scalars
from tests.attention_maps import make, make_map

SOURCE = ["▁A", "▁dog", ".", "</s>"]
TARGET = ["▁Ein", "▁Hund", ".", "</s>"]


def found(cross: Tensor) -> dict[str, float]:
    """Return the figures of a map with one layer and one head, whose cross attention is (4, 4)."""
    return {
        name: float(value)
        for name, value in measures([make_map(SOURCE, TARGET, cross=cross[None, None])], "cross").items()
    }


def approx(**values: float) -> object:
    return pytest.approx(values, abs=1e-6)


def test_rows_that_sum_to_less_than_one_count_as_if_they_summed_to_one() -> None:
    weights = torch.rand(4, 4, generator=torch.Generator().manual_seed(1)).softmax(-1)
    shares = torch.tensor([0.4, 1.0, 0.7, 0.9]).unsqueeze(1)
    assert found(shares * weights) == approx(**found(weights))


def test_a_diagonal_of_sentences_of_different_lengths() -> None:
    cross = torch.tensor([[1.0, 0, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 0, 1]])
    attention = make_map(["a", "b", "c", "d", "</s>"], ["x", "y", "</s>"], cross=cross[None, None])
    assert float(measures([attention], "cross")["diagonality"]) == pytest.approx(1)
    # Two of five columns get nothing, and each of the others a third: 5/3 of the mean.
    assert float(measures([attention], "cross")["coverage_deviation"]) == pytest.approx((2 * 1 + 3 * (2 / 3)) / 5)


def test_the_space_before_a_mark_belongs_to_the_mark() -> None:
    even = torch.full((1, 1, 1, 6), 1 / 6)
    attention = make_map(["▁A", "▁", "«", "▁", "5", "</s>"], ["</s>"], cross=even)
    assert float(measures([attention], "cross")["punctuation"]) == pytest.approx(2 / 6)


def test_the_first_row_of_a_decoder_has_no_choice() -> None:
    even = torch.ones(3, 3).tril() / torch.tensor([[1.0], [2.0], [3.0]])
    attention = make_map(SOURCE, ["▁Hund", ",", "</s>"], decoder_self=even[None, None])
    values = {name: float(value) for name, value in measures([attention], "decoder_self").items()}
    assert values["relative_entropy"] == pytest.approx(1) and values["sharp"] == 0
    assert values["entropy"] == pytest.approx((math.log(2) + math.log(3)) / 2)
    assert values["special"] == pytest.approx((1 / 2 + 1 / 3) / 2), "the columns are <s>, Hund and the comma"
    assert values["punctuation"] == pytest.approx(1 / 3 / 2)
    assert values["diagonality"] == pytest.approx(1 - (1 / 2 + (1 + 1 / 2) / 3) / 2)
    assert measures([make_map(SOURCE, ["</s>"], decoder_self=torch.ones(1, 1, 1, 1))], "decoder_self") == {}
    assert measures([], "cross") == {}


@pytest.mark.parametrize("kind", ["cross", "encoder_self", "decoder_self"])
def test_all_maps_together_equal_loops_over_weights(kind: Kind) -> None:
    maps = [make(), make(["▁Two", "▁dogs", "!", "</s>"], ["▁Zwei", "▁Hunde", "</s>"])]
    values = measures(maps, kind)
    of_rows = ("entropy", "relative_entropy", "sharp", "diagonality", "special", "punctuation")
    assert set(values) == {*of_rows, "coverage_deviation"}
    assert all(value.shape == (2, 3) for value in values.values())
    for layer in range(2):
        for head in range(3):
            rows = [row for each in maps for row in one_by_one(each, kind, layer, head)]
            for name in of_rows:
                mean = sum(row[name] for row in rows) / len(rows)
                assert float(values[name][layer, head]) == pytest.approx(mean, abs=1e-6), name


def one_by_one(attention: AttentionMap, kind: Kind, layer: int, head: int) -> list[dict[str, float]]:
    _, labels = attention.axes(kind)
    table = getattr(attention, kind)[layer, head].tolist()
    found = []
    for r, row in enumerate(table):
        row = row[: r + 1] if kind == "decoder_self" else row
        if len(row) == 1:
            continue
        place = r / (len(table) - 1)
        distances = [abs(place - c / (len(labels) - 1)) for c in range(len(row))]
        entropy = -sum(weight * math.log(weight) for weight in row if weight > 0)
        weighted = list(zip(row, labels, strict=False))
        found.append({
            "entropy": entropy,
            "relative_entropy": entropy / math.log(len(row)),
            "sharp": float(max(row) > 0.99),
            "diagonality": 1 - sum(w * d for w, d in zip(row, distances, strict=True)) / max(distances),
            "special": sum(weight for weight, label in weighted if label in ("<s>", "</s>")),
            "punctuation": sum(weight for weight, label in weighted if label in (",", ".", "!")),
        })  # fmt: skip
    return found


def test_scalars_have_a_name_for_each_kind_figure_layer_and_head() -> None:
    attention = make(layers=2, heads=3)
    values = scalars([attention])
    assert len(values) == 3 * 7 * 2 * 3
    expected = measures([attention], "encoder_self")["entropy"][1, 2]
    assert values["encoder_self/entropy/layer2.head3"] == float(expected)
    assert scalars([]) == {}
