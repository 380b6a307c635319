"""The text of train.py --help: what it says of the groups and their options."""

from __future__ import annotations

import re

import pytest

from nmt.cli.train import help_text


def test_no_summary_of_a_shipped_option_is_cut_off() -> None:
    assert not [line for line in help_text([]).splitlines() if line.endswith(" ...")]


@pytest.mark.parametrize(
    ("group", "option"), [("model", "transformer"), ("model/attention", "bahdanau"), ("model/positions", "sinusoidal")]
)
def test_the_default_of_a_group_has_a_star(group: str, option: str) -> None:
    _, _, after = help_text([]).partition(f"\n  {group}=\n")
    options = after[: re.search(r"^ {0,3}\S|^$", after, re.MULTILINE).start()]  # type: ignore[union-attr]
    assert re.findall(r"^    \* (\w+)", options, re.MULTILINE) == [option]
