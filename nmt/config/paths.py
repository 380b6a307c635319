"""Paths in the settings, made absolute, so that a run's config and checkpoint can be used from other folders too."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# Keys of a data section whose values are files or folders. Those of the first line name a corpus of one's own.
OWN_FILES = ("path", "train", "val", "test", "train_alignment", "val_alignment")
PATHS = (*OWN_FILES, "root")


def absolute_paths(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain data settings with absolute paths. A `name` is a path if a folder of this name exists.

    Values that are not paths are not changed. The source refuses them later.
    """
    found = {key: _absolute(data[key]) for key in PATHS if key in data}
    name = data.get("name")
    if isinstance(name, str) and os.path.isdir(name):
        found["name"] = os.path.abspath(name)  # the client of the Hub takes the name of a local folder as well
    return {**data, **found}


def _absolute(value: Any) -> Any:
    if isinstance(value, str):
        return os.path.abspath(Path(os.path.expanduser(value)))
    return [_absolute(item) for item in value] if isinstance(value, Sequence) else value
