"""Paths in the settings, made absolute, so that a run's config and checkpoint can be used from other folders too."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

# Keys of a data section whose values are files or folders, and those that name a corpus of one's own.
FILES = ("path", "train", "val", "test", "train_alignment", "val_alignment")
HIDDEN = {"FOLDER", "FILE", "RUN_FOLDER"}  # these words replace the paths in a config that is published
OWN_FILES = (*FILES, "more")  # `more` has the key train in each of its entries
PATHS = (*FILES, "root")


def absolute_paths(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return plain data settings with absolute paths. A `name` is a path if a folder of this name exists.

    Values that are not paths are not changed. The source refuses them later.
    """
    found = {key: absolute(data[key]) for key in PATHS if key in data}
    if isinstance(data.get("more"), Mapping):
        more = data["more"].items()
        found["more"] = {key: absolute_paths(each) if isinstance(each, Mapping) else each for key, each in more}
    name = data.get("name")
    if isinstance(name, str) and os.path.isdir(name):
        found["name"] = os.path.abspath(name)  # the client of the Hub takes the name of a local folder as well
    return {**data, **found}


def absolute(value: Any) -> Any:
    """Return a path, or each path of a list, as an absolute one. What is neither is not changed."""
    if isinstance(value, str):
        return os.path.abspath(Path(os.path.expanduser(value)))
    return [absolute(item) for item in value] if isinstance(value, Sequence) else value
