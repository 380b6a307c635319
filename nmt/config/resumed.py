"""Settings of a resumed run: those of its config.yaml, with overrides from the command line in their place."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nmt.config.explain import check_keys, check_options
from nmt.config.overrides import is_group, parse
from nmt.config.paths import absolute_paths
from nmt.config.schema import check_plain
from nmt.errors import UserError

NOTHING = object()  # the value of a key that a config does not have


def overridden(plain: Mapping[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
    """Return plain settings with `overrides` ("trainer.max_epochs=60") in their place.

    Raises UserError for unknown keys, and for options of a group: config.yaml holds their settings, not their names.
    """
    values = copy.deepcopy(dict(plain))
    parsed = parse(overrides)
    check_options(parsed)
    for override in parsed:
        key = override.key_or_group
        if is_group(override) or key.startswith("hydra") or override.is_delete():
            raise UserError(f"{override.input_line}: a resumed run keeps its folder and its options; set single keys")
    check_keys(parsed, values)
    for override in parsed:
        *parents, last = override.key_or_group.split(".")
        node: Any = values
        for parent in parents:
            node = node.get(parent) if isinstance(node, dict) else None
        if not isinstance(node, dict):
            raise UserError(f"{override.input_line}: {'.'.join(parents)} holds no settings in this run; set all of it")
        node[last] = override.value()
    check_plain(values)
    if overrides and isinstance(values.get("data"), dict):
        values["data"] = absolute_paths(values["data"])
    return values


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the dotted keys whose values differ, with the value before and now (`NOTHING` where there is none)."""
    old, new = dict(_flat(before, "")), dict(_flat(now, ""))
    keys = dict.fromkeys([*old, *new])
    found = {key: (old.get(key, NOTHING), new.get(key, NOTHING)) for key in keys}
    return {key: pair for key, pair in found.items() if pair[0] != pair[1]}


def _flat(settings: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in settings.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
