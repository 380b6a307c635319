"""The model and the tokenizer of a run that starts from the weights of another one (`init`)."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from typing import Any

from nmt.config.overrides import Choice, parse

SECTIONS = ("model", "tokenizer")


def adopted(plain: Mapping[str, Any], start: Mapping[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """Return the settings `plain` of a run with the model and the tokenizer of the checkpoint that it starts from.

    `start` is the config of that checkpoint. A section stays as it is if the command line `overrides` or its
    experiment sets anything in it; the program that trains compares it with the checkpoint. But what only a debug
    option sets, such as a small vocabulary, gives way: the run uses the tokenizer of the checkpoint.
    """
    values = copy.deepcopy(dict(plain))
    parsed = parse(overrides)
    typed = [override.key_or_group for override in parsed]
    files = Choice.of(parsed).files
    users = [*typed, *(key for file in files if file.group != "debug" for key in [*file.lines, *file.chosen])]
    debug = {key for file in files if file.group == "debug" for key in file.lines} - {*typed}
    for section in SECTIONS:
        before = copy.deepcopy(start.get(section, values[section]))
        if not any(re.match(rf"{section}([./]|$)", key) for key in users):
            values[section] = before
            continue
        for key in before.keys() & values[section].keys():
            if f"{section}.{key}" in debug:
                values[section][key] = before[key]
    return values
