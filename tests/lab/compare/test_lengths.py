"""Sentences grouped by length."""

from __future__ import annotations

import itertools

from nmt.lab.compare.lengths import length_groups, length_unit
from tests.tiny_run import sentences


def test_every_sentence_is_in_the_one_group_of_its_length() -> None:
    lines = sentences(400, seed=3)
    groups = length_groups(lines, "en")
    assert sorted(index for group in groups for index in group.indices) == list(range(400)) and len(groups) == 6
    for group in groups:
        lengths = {len(lines[index].split()) for index in group.indices}
        assert (min(lengths), max(lengths)) == (group.low, group.high) and len(group.indices) > 20
    assert all(one.high < other.low for one, other in itertools.pairwise(groups))


def test_few_sentences_or_one_length_make_one_group() -> None:
    assert [str(group) for group in length_groups(["a b", "a", "a b c"], "en")] == ["1-3"]
    assert [str(group) for group in length_groups(["a b"] * 500, "en")] == ["2"]
    assert [str(group) for group in length_groups(["\u5f00 \u95e8", "\u5f00"], "zh")] == ["1-2"]
    assert (length_unit("en"), length_unit("zh-TW"), length_unit("ja")) == ("words", "characters", "characters")
