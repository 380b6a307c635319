"""The recipe of a training run, and how it is read from the config.yaml in the run's folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nmt.config.schema import validate
from nmt.config.settings import TrainConfig
from nmt.errors import UserError
from nmt.run_files import CONFIG


@dataclass(frozen=True)
class Recipe:
    """The settings of a training run and the folder to which it writes.

    `settings` are the checked settings. `plain` is the resolved config, which the run writes to its config.yaml and its
    checkpoints.
    """

    settings: TrainConfig
    plain: Mapping[str, Any]
    folder: Path

    def to_yaml(self) -> str:
        """Return the content of the run's config.yaml."""
        from omegaconf import OmegaConf

        return OmegaConf.to_yaml(OmegaConf.create(dict(self.plain)))


def read_recipe(folder: Path, allow: Sequence[str] = ()) -> Recipe:
    """Return the recipe of the run in `folder`.

    In `settings`, `allow` replaces the list of the file, which is not trusted because anyone may have written it.
    Raises UserError if the config.yaml cannot be read or does not hold the settings of a run.
    """
    from omegaconf import OmegaConf
    from yaml import YAMLError

    path = folder / CONFIG
    try:
        plain = OmegaConf.to_container(OmegaConf.load(path), resolve=False)
    except (YAMLError, OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read as YAML: {error}") from error
    if not plain or not isinstance(plain, dict):
        raise UserError(f"{path}: got no settings, expected the config of a run")
    values = {str(key): value for key, value in plain.items()}
    try:
        return Recipe(validate({**values, "allow": list(allow)}), values, folder)
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
