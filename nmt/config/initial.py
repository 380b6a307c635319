"""The model and the tokenizer of a run that starts from the weights of another one (`init`)."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from typing import Any

from nmt.config.chosen import set_by_debug, set_by_user

SECTIONS = ("model", "tokenizer")


def adopted(plain: Mapping[str, Any], start: Mapping[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """Return the settings `plain` of a run with the model and the tokenizer of the checkpoint that it starts from.

    `start` is the config of that checkpoint. A section stays as it is if the command line `overrides` or its
    experiment sets anything in it; the program that trains compares it with the checkpoint. But what only a debug
    option sets, such as a small vocabulary, gives way: the run uses the tokenizer of the checkpoint.
    """
    values = copy.deepcopy(dict(plain))
    for section in SECTIONS:
        before = copy.deepcopy(start.get(section, values[section]))
        if not set_by_user(overrides, section):
            values[section] = before
            continue
        for key in set_by_debug(overrides, section):
            if key in before and key in values[section]:
                values[section][key] = before[key]
    return values
