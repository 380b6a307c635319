"""The recipe of a run: its settings and its folder, also for a run that is resumed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from nmt.config.schema import read_yaml
from nmt.config.settings import TrainConfig, validate, with_absolute_paths
from nmt.errors import UserError, did_you_mean
from nmt.system.run_files import CONFIG

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override

NOTHING = object()  # the value of a key that a config does not have


@dataclass(frozen=True)
class Recipe:
    """The settings of a training run and the folder to which it writes.

    `plain` is the resolved config, which the run writes to its config.yaml and its checkpoints. `settings` are the
    checked settings, from which the run is built. Raises the UserErrors of `nmt.config.settings.validate`.
    """

    plain: Mapping[str, Any]
    folder: Path
    settings: TrainConfig = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "settings", validate(self.plain))

    def to_yaml(self) -> str:
        """Return the content of the run's config.yaml."""
        return str(yaml.safe_dump(dict(self.plain), allow_unicode=True, sort_keys=False))


def read_recipe(folder: Path, allow: Sequence[str] = (), overrides: Sequence[Override] = ()) -> Recipe:
    """Return the recipe of the run in `folder`, with `overrides` ("trainer.max_epochs=60") in place of its settings.

    `allow` replaces the list of the file, which is not trusted because anyone may have written it.
    Raises UserError if the config.yaml cannot be read or does not hold the settings of a run, and for unknown keys.
    """
    path = folder / CONFIG
    values = read_yaml(path, dict[str, Any], remedy="restore the file")
    for override in overrides:
        section, _, key = override.key_or_group.rpartition(".")
        node = section_of(values, section)
        known = key in node or override.is_add() or override.is_force_add()
        if override.is_sweep_override() or override.is_delete() or not known:
            near = did_you_mean(key, node)
            raise UserError(f"{override.input_line}: a resumed run changes single keys of its config.yaml{near}")
        node[key] = override.value()
    try:
        return Recipe({**(with_absolute_paths(values) if overrides else values), "allow": list(allow)}, folder)
    except UserError as error:
        raise UserError(f"resume={folder}: {error}") from error


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the dotted keys whose values differ, with the old and the new value (`NOTHING` if there is none)."""
    old, new = dict(_flat(before, "")), dict(_flat(now, ""))
    pairs = {key: (old.get(key, NOTHING), new.get(key, NOTHING)) for key in dict.fromkeys([*old, *new])}
    return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}


def section_of(values: dict[str, Any], dotted: str) -> dict[str, Any]:
    """Return the mapping at a dotted key of `values`; if there is none, a new one is put there."""
    for part in dotted.split(".") if dotted else ():
        if not isinstance(values.get(part), dict):
            values[part] = {}
        values = values[part]
    return values


def _flat(settings: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in settings.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
