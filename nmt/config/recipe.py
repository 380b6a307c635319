"""The recipe of a run: its settings and folder, also for a run that continues or starts from an earlier one."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from nmt.config.explain import check_keys, check_options, is_about
from nmt.config.overrides import Choice, is_group, parse
from nmt.config.schema import check_plain, read_yaml
from nmt.config.settings import TrainConfig, validate, with_absolute_paths
from nmt.errors import UserError
from nmt.system.run_files import CONFIG

NOTHING = object()  # the value of a key that a config does not have


FLOAT32, BFLOAT16 = "32-true", "bf16-mixed"  # of which `trainer.precision=auto` chooses one


@dataclass(frozen=True)
class Recipe:
    """The settings of a training run and the folder to which it writes.

    `plain` is the resolved config, which the run writes to its config.yaml and its checkpoints. `allow` lists the
    user's own packages whose classes it may name; if None, the list in the config itself is trusted. `settings` are the
    checked settings, from which the run is built. Raises the UserErrors of `nmt.config.settings.validate`.
    """

    plain: Mapping[str, Any]
    folder: Path
    allow: Sequence[str] | None = field(default=None, compare=False)  # also in the settings
    settings: TrainConfig = field(init=False)

    def __post_init__(self) -> None:
        allow = {} if self.allow is None else {"allow": list(self.allow)}
        object.__setattr__(self, "settings", validate({**self.plain, **allow}))

    def to_yaml(self) -> str:
        """Return the content of the run's config.yaml."""
        from omegaconf import OmegaConf

        return OmegaConf.to_yaml(OmegaConf.create(dict(self.plain)))

    def with_precision(self, precision: str) -> Recipe:
        """Return the recipe with another `trainer.precision`."""
        return replace(self, plain={**self.plain, "trainer": {**self.plain["trainer"], "precision": precision}})


# A resumed run


def read_recipe(folder: Path, allow: Sequence[str] = (), overrides: Sequence[str] = ()) -> Recipe:
    """Return the recipe of the run in `folder`, with `overrides` in place of its settings.

    `allow` replaces the list of the file, which is not trusted because anyone may have written it.
    Raises UserError if the config.yaml cannot be read or does not hold the settings of a run.
    """
    path = folder / CONFIG
    values = _overridden(read_yaml(path, dict[str, Any], remedy="restore the file"), overrides)
    with naming_config(path, overrides):
        return Recipe(values, folder, allow)


@contextmanager
def naming_config(path: Path, overrides: Sequence[str]) -> Iterator[None]:
    """Put the name of a run's config.yaml before each problem in the block that is not about the `overrides`."""
    try:
        yield
    except UserError as error:
        typed = [override.key_or_group for override in parse(overrides)]
        problems = (text if is_about(text, typed) else f"{path}: {text}" for text in error.problems)
        raise UserError(*problems) from error


def _overridden(plain: Mapping[str, Any], overrides: Sequence[str]) -> dict[str, Any]:
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
    return with_absolute_paths(values) if overrides else values


def changes(before: Mapping[str, Any], now: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the dotted keys whose values differ, with the old and the new value (`NOTHING` if there is none)."""
    old, new = dict(_flat(before, "")), dict(_flat(now, ""))
    pairs = {key: (old.get(key, NOTHING), new.get(key, NOTHING)) for key in dict.fromkeys([*old, *new])}
    return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}


def _flat(settings: Mapping[str, Any], prefix: str) -> Iterator[tuple[str, Any]]:
    for key, value in settings.items():
        if isinstance(value, Mapping) and value:
            yield from _flat(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value


# A run that starts from the weights of another one


def with_checkpoint_settings(
    plain: Mapping[str, Any], start: Mapping[str, Any], overrides: Sequence[str]
) -> dict[str, Any]:
    """Return the settings `plain` of a run with the model, tokenizer and spans of the checkpoint that it starts from.

    `start` is the config of that checkpoint. A section stays unchanged if the command line `overrides` or its
    experiment sets a key in it; the program that trains compares the section with the checkpoint. Settings of a debug
    option alone, such as a small vocabulary, are replaced: the run uses the tokenizer of the checkpoint.
    """
    values = copy.deepcopy(dict(plain))
    parsed = parse(overrides)
    typed = [override.key_or_group for override in parsed]
    files = Choice.of(parsed).files
    users = [*typed, *(key for file in files if file.group != "debug" for key in [*file.lines, *file.chosen])]
    debug = {key for file in files if file.group == "debug" for key in file.lines} - {*typed}
    for section in ("model", "tokenizer", "spans"):
        before = copy.deepcopy(start.get(section, values[section]))
        if not any(re.match(rf"{section}([./]|$)", key) for key in users):
            values[section] = before
            continue
        for key in before.keys() & values[section].keys():
            if f"{section}.{key}" in debug:
                values[section][key] = before[key]
    return values
