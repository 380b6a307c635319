"""The settings in which two runs differ, which may have been trained by different versions of this project."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import MISSING, fields
from typing import Any

from nmt.config.instantiate import class_of
from nmt.config.paths import HIDDEN
from nmt.config.settings import DataConfig, TokenizerConfig, TrainConfig, TrainerConfig

_SECTIONS = {"": TrainConfig, "data": DataConfig, "tokenizer": TokenizerConfig, "trainer": TrainerConfig}
_PACKAGES = ("nmt", "torch")  # whose classes are imported to look up a default
_SHOWN = (
    "callbacks.data_report",
    "callbacks.samples",
    "callbacks.watch",
    "callbacks.progress",
    "logger",
    "trainer.log_every_n_steps",
)


def differences(one: Mapping[str, Any], other: Mapping[str, Any], section: str = "") -> set[str]:
    """Return the settings, as in model.encoder.layers, that have different values in the configs of two runs.

    A setting that only one config has is newer than the other run, which was trained with its default: so it differs if
    its value is another one, or if it has no default. What only shows the training is no difference, and neither is a
    metric that only one run has. A path that a published config hides may be any path.
    """
    found = set()
    for key in one.keys() | other.keys():
        where = f"{section}.{key}" if section else key
        first, second = (each[key] if key in each else _default(one, key, section) for each in (one, other))
        if where in _SHOWN or (section == "scores" and (key not in one or key not in other)):
            continue
        if isinstance(first, Mapping) and isinstance(second, Mapping):
            found |= differences(first, second, where)
        elif first != second and not _hidden(first, second):
            found.add(where)
    return found


def _default(node: Mapping[str, Any], key: str, section: str) -> Any:
    """Return the default of a key of this section or node, or MISSING."""
    parameter = _parameters(node).get(key)
    if parameter is not None and parameter.default is not inspect.Parameter.empty:
        return parameter.default
    for each in fields(_SECTIONS[section]) if section in _SECTIONS else ():
        if each.name == key:
            return each.default if each.default_factory is MISSING else each.default_factory()
    return MISSING


def _parameters(node: Mapping[str, Any]) -> Mapping[str, inspect.Parameter]:
    """Return the parameters of the class that a node names, or none if there is no such class in these packages."""
    try:
        found = class_of(node, within=_PACKAGES)
        return {} if found is None else inspect.signature(found).parameters
    except Exception:  # a strange config may name a module that cannot be imported here, or a class without a signature
        return {}


def _hidden(one: Any, other: Any) -> bool:
    """Return whether both runs have a path here, and one of the paths was hidden when its config was published."""
    return one is not None and other is not None and bool({str(one), str(other)} & HIDDEN)
