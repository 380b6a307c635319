"""Roles of heads, against loops over rows and, of a decoder, by hand."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest
import torch

from nmt.attention_map import AttentionMap
from nmt.lab.heads.roles import ROLES, role, roles
from nmt.tokens import Piece
from tests.attention_maps import make, make_map

SOURCE = ["▁the", "▁dog", "▁the", "▁bone", "</s>"]
COUNTS = Counter({"▁the": 100, "▁dog": 5, "▁bone": 2, "▁der": 50, "▁Hund": 3})


def test_a_decoder_reads_the_start_and_only_earlier_tokens() -> None:
    # Columns: <s>, der, Hund, und. Row 0 has no choice. "und" is not in the counts, so it is rarest where it is seen.
    weights = torch.tensor([[1.0, 0, 0, 0], [0.1, 0.9, 0, 0], [0.1, 0.2, 0.7, 0], [0.6, 0.1, 0.1, 0.2]])[None, None]
    attention = make_map(SOURCE, ["▁der", "▁Hund", "▁und", "</s>"], decoder_self=weights)
    found = {name: float(value) for name, value in roles([attention], "decoder_self", COUNTS).items()}
    assert found == pytest.approx({"previous": 0.0, "same": 2 / 3, "rare": 2 / 3, "end": 1 / 3})


def test_a_span_is_as_frequent_as_its_mark() -> None:
    weights = torch.tensor([[0.1, 0.8, 0.1]]).expand(1, 1, 1, 3)
    attention = make_map(["▁dog", "{name}", "</s>"], ["</s>"], cross=weights)
    first, _, last = attention.source_pieces
    marked = replace(attention, source_pieces=[first, Piece("{name}", mark="｟0｠"), last])
    found = [roles([each], "cross", Counter({"▁dog": 5, "｟0｠": 50})) for each in (attention, marked)]
    assert [float(each["rare"]) for each in found] == [1, 0]


def test_several_maps_heads_and_layers_against_loops() -> None:
    maps: list[AttentionMap] = [make(), make(["▁A", "▁dog", ".", "</s>"], ["▁Ein", "▁Hund", "</s>"])]
    counts = Counter({"▁A": 9, "▁dog": 2, ",": 30, "▁man": 7, ".": 20})
    found = roles(maps, "encoder_self", counts)
    assert tuple(found) == ROLES and all(value.shape == (2, 3) for value in found.values())
    hits: Counter[str] = Counter()
    rows: Counter[str] = Counter()
    for each in maps:
        assert each.encoder_self is not None
        labels = each.axes("encoder_self")[1]
        lowest = min(counts[label] for label in labels[:-1])
        for r, row in enumerate(each.encoder_self[1, 2].tolist()):
            top = row.index(max(row))
            for name, place in (("previous", r - 1), ("same", r), ("next", r + 1)):
                rows[name] += 0 <= place < len(labels)
                hits[name] += top == place
            hits["end"] += labels[top] == "</s>"
            hits["rare"] += labels[top] != "</s>" and counts[labels[top]] == lowest
            rows.update(["end", "rare"])
    for name in ROLES:
        assert float(found[name][1, 2]) == pytest.approx(hits[name] / rows[name]), name


def test_a_head_has_a_role_if_it_has_it_in_half_of_the_rows() -> None:
    assert role({"previous": 0.2, "next": 0.6}) == "next"
    assert role({"previous": 0.4, "next": 0.3}) is None and role({}) is None
