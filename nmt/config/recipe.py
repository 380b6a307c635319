"""The recipe of a training run, and how it is read from the config.yaml in the run's folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nmt.config.resumed import overridden
from nmt.config.schema import DEEPEST, check_plain, validate
from nmt.config.settings import TrainConfig
from nmt.errors import UserError, one_line
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


def read_recipe(folder: Path, allow: Sequence[str] = (), overrides: Sequence[str] = ()) -> Recipe:
    """Return the recipe of the run in `folder`, with `overrides` in place of its settings.

    In `settings`, `allow` replaces the list of the file, which is not trusted because anyone may have written it.
    Raises UserError if the config.yaml cannot be read or does not hold the settings of a run.
    """
    path = folder / CONFIG
    plain = _read(path)
    try:
        check_plain(plain)
        validate({**plain, "allow": list(allow)})
    except UserError as error:
        raise UserError(f"{path}: {error}") from error
    values = overridden(plain, overrides)
    return Recipe(validate({**values, "allow": list(allow)}), values, folder)


def _read(path: Path) -> dict[str, Any]:
    """Return the content of a config.yaml. Raises UserError for what the program never writes into one."""
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    try:
        text = path.read_text("utf-8")
        problem = _strange(text)
        plain = None if problem else OmegaConf.to_container(OmegaConf.create(text), resolve=False)
    except (YAMLError, OSError, ValueError, OmegaConfBaseException) as error:  # UnicodeDecodeError is a ValueError
        raise UserError(f"{path}: cannot be read as YAML: {one_line(error)}") from error
    if problem:
        raise UserError(f"{path}: got {problem}, expected plain settings; write the values themselves")
    if not plain or not isinstance(plain, dict):
        raise UserError(f"{path}: got no settings, expected the config of a run")
    return {str(key): value for key, value in plain.items()}


def _strange(text: str) -> str | None:
    """Return what a YAML text has that can make it huge or run code, or None. Nothing is constructed from it."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = f"in line {event.start_mark.line + 1}"
        if getattr(event, "anchor", None) is not None:
            return f"an anchor or alias (& or *) {line}"
        if getattr(event, "tag", None) is not None:
            return f"a tag ({event.tag}) {line}"
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            return f"more than {DEEPEST} levels {line}"
    return None
