"""Composes a config from its name and overrides, and makes the recipe of a run from it.

Hydra composes the YAML files. `nmt.config.schema` and `nmt.config.instantiate` check the values.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from nmt.config.explain import check_files, check_keys, check_options, explain
from nmt.config.overrides import is_group, parse, quoted
from nmt.config.recipe import Recipe
from nmt.config.schema import check_plain
from nmt.config.settings import absolute, with_absolute_paths
from nmt.config.yaml_files import check_texts, config_dir, own_folder, unreadable
from nmt.errors import UserError, one_line

if TYPE_CHECKING:
    from omegaconf import DictConfig


def compose(config_name: str, overrides: Sequence[str] = ()) -> dict[str, Any]:
    """Return the config `config_name` ("train") with `overrides` ("model=rnn", "seed=2"), plain and resolved.

    Raises UserError for overrides that cannot be read, for unknown groups, options and keys, for required values that
    are not given, and for values that `nmt.config.schema.check_plain` refuses.
    """
    with _resolving(_compose(config_name, overrides)) as config:
        return _plain(config)


def compose_run(overrides: Sequence[str], *, job: int | None = None, name: str | None = None) -> Recipe:
    """Return the recipe of a training run. `job` is the run's number in a multirun, None for a single run.

    `name` is the name of the job's folder inside the multirun's folder, by default the number. Raises the UserErrors of
    `compose` and `nmt.config.settings.validate`.
    """
    with _resolving(_compose("train", _numbered(overrides, job, name))) as config:
        keys = ("hydra.run.dir",) if job is None else ("hydra.sweep.dir", "hydra.sweep.subdir")
        folder = Path(os.path.abspath(Path(*(_folder_name(config, key) for key in keys))))
        plain = _plain(config)
    plain = with_absolute_paths(plain)  # config.yaml and checkpoints may be used from another folder later
    plain["init"] = absolute(plain["init"])
    return Recipe(plain, folder)


def sweep_folder(overrides: Sequence[str]) -> Path:
    """Return the folder of a multirun, computed from the overrides of its first job.

    Raises UserError if the YAML sets hydra.sweeper.params, because Hydra would add jobs that `jobs` does not know, and
    for a launcher that would run no job at a time.
    """
    with _resolving(_compose("train", _numbered(overrides, 0))) as config:
        params = config.hydra.sweeper.get("params")
        if params:
            raise UserError(
                f"hydra.sweeper: got params {one_line(params)}, expected none; leave them out, "
                "and give the values on the command line with commas, as in seed=1,2"
            )
        if config.hydra.launcher.get("n_jobs") == 0:
            raise UserError("hydra.launcher.n_jobs: got 0, expected at least 1, or -1 for all cores")
        return Path(os.path.abspath(_folder_name(config, "hydra.sweep.dir")))


def show(
    overrides: Sequence[str],
    part: Literal["job", "hydra", "all"],
    changed: Mapping[str, Any],
    *,
    resolve: bool,
    job: int | None,
) -> str:
    """Return the composed training config as YAML. `part` selects the settings of the run, those of Hydra, or all.

    `changed` are sections that the run takes from elsewhere, as from the checkpoint that it starts from. Only the
    settings of the run can be resolved (`resolve`): some of Hydra's own have values only in a run.
    """
    from omegaconf import OmegaConf

    with _resolving(_compose("train", _numbered(overrides, job))) as config:
        keys = [str(key) for key in config if part == "all" or (key == "hydra") == (part == "hydra")]
        shown: Any = _plain(config) if resolve else OmegaConf.masked_copy(config, keys)
        shown.update({key: value for key, value in changed.items() if key in keys})
        return OmegaConf.to_yaml(shown)


def _numbered(overrides: Sequence[str], job: int | None, name: str | None = None) -> list[str]:
    if job is None:
        return list(overrides)
    return [*overrides, f"hydra.job.num={job}", f"hydra.job.id={quoted(name or str(job))}"]


def _compose(config_name: str, overrides: Sequence[str]) -> DictConfig:
    """Return the config that Hydra composes, including its node `hydra`."""
    import hydra
    from hydra.errors import HydraException
    from omegaconf import OmegaConf
    from yaml import YAMLError

    parsed = parse(overrides)
    check_options(parsed, multirun=config_name == "train")
    check_files(parsed)
    with hydra.initialize_config_dir(str(config_dir()), version_base="1.3"):
        try:
            config = hydra.compose(config_name, [*overrides, *search_path()], return_hydra_config=True)
        except YAMLError as error:
            raise unreadable(error) from error
        except UnicodeDecodeError:
            check_texts()
            raise
        except (HydraException, TypeError, ValueError) as error:  # OmegaConf's for a key in a list
            # Hydra reports only the first unknown key. To report all, compose the chosen groups and check each key.
            chosen = [override.input_line or "" for override in parsed if is_group(override)]
            with suppress(HydraException):  # for an unknown group, the first error is reported
                tree: Any = OmegaConf.to_container(hydra.compose(config_name, [*chosen, *search_path()]), resolve=False)
                check_keys(parsed, tree)
            raise UserError(explain(error, parsed)) from error
    for override in parsed:  # Hydra can set an item of a list (betas.0=0.9), which a resumed run could not
        name = override.key_or_group.rpartition(".")[0]
        if OmegaConf.is_list(OmegaConf.select(config, name)):
            key = override.key_or_group
            raise UserError(f"{key}: unknown key, because {name} is a list; set all of it, as in {name}=[a,b]")
    return config


@contextmanager
def _resolving(config: DictConfig) -> Iterator[DictConfig]:
    """Allow interpolations such as `${hydra:...}` to be resolved in the block. Raises UserError if one cannot be."""
    from hydra.core.hydra_config import HydraConfig
    from omegaconf.errors import OmegaConfBaseException

    before = HydraConfig.instance().cfg
    HydraConfig.instance().set_config(config)
    try:
        yield config
    except OmegaConfBaseException as error:
        raise UserError(f"config: {one_line(error)}") from error
    finally:
        HydraConfig.instance().cfg = before


def search_path() -> list[str]:
    """Return the overrides with which Hydra finds the configs of --config-dir."""
    own = own_folder()
    return [] if own is None else [f"hydra.searchpath=[{quoted(f'file://{own}')}]"]


def _folder_name(config: DictConfig, key: str) -> str:
    from omegaconf import OmegaConf

    name = OmegaConf.select(config, key)
    if name in (None, ""):
        raise UserError(f"{key}: got nothing, expected the path of a folder")
    return str(name)


def _plain(config: DictConfig) -> dict[str, Any]:
    """Return a composed config as plain values, without the node `hydra`."""
    from omegaconf import MissingMandatoryValue, OmegaConf

    keys = [str(key) for key in config if key != "hydra"]
    try:
        values = {key: _plain_value(config[key]) for key in keys}
    except MissingMandatoryValue as error:
        missing = sorted(OmegaConf.missing_keys(OmegaConf.masked_copy(config, keys)))
        raise UserError(*(f"{key}: not given; set {key}=..." for key in missing)) from error
    check_plain(values)
    return values


def _plain_value(value: Any) -> Any:
    from omegaconf import OmegaConf

    return OmegaConf.to_container(value, resolve=True, throw_on_missing=True) if OmegaConf.is_config(value) else value
