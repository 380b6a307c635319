"""The recipe of a training run, and how it is read from the config.yaml in the run's folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nmt.config.plain_file import read_yaml
from nmt.config.resumed import overridden
from nmt.config.schema import check_plain, validate
from nmt.config.settings import TrainConfig
from nmt.errors import UserError
from nmt.system.run_files import CONFIG


@dataclass(frozen=True)
class Recipe:
    """The settings of a training run and the folder to which it writes.

    `plain` is the resolved config, which the run writes to its config.yaml and its checkpoints. `allow` lists the
    user's own packages whose classes it may name; if None, the config itself is trusted to say so. `settings` are the
    checked settings, from which the run is built. Raises the UserErrors of `nmt.config.schema.validate`.
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


def read_recipe(folder: Path, allow: Sequence[str] = (), overrides: Sequence[str] = ()) -> Recipe:
    """Return the recipe of the run in `folder`, with `overrides` in place of its settings.

    `allow` replaces the list of the file, which is not trusted because anyone may have written it.
    Raises UserError if the config.yaml cannot be read or does not hold the settings of a run.
    """
    path = folder / CONFIG
    plain = read_yaml(path, {"name": Any}, remedy="restore the file")
    try:
        check_plain(plain)
        validate({**plain, "allow": list(allow)})
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    return Recipe(overridden(plain, overrides), folder, allow)
