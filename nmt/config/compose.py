"""Composes a config from its name and the words of a command line ("model=rnn", "seed=2"). Hydra does the work."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import hydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob, IntervalSweep, Override, Quote, QuotedString
from hydra.errors import HydraException, OverrideParseException
from omegaconf import DictConfig, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import YAMLError

from nmt.config.groups import config_dir, groups, own_folder
from nmt.config.mistakes import check_choices, explain
from nmt.config.recipe import Recipe, changes, merged
from nmt.config.settings import absolute, with_absolute_paths
from nmt.errors import UserError

RUN_DIR, SWEEP_DIR = "hydra.run.dir", "hydra.sweep.dir"  # the folder of a run, and the folder of a multirun


def compose(config_name: str, words: Sequence[str] = ()) -> dict[str, Any]:
    """Return the config `config_name` ("train") with the words of a command line, plain and resolved.

    Raises UserError for words that cannot be read, for unknown groups, options and keys, and for values that are not
    given.
    """
    return compose_with_folder(config_name, words)[0]


def compose_with_folder(
    config_name: str, words: Sequence[str] = (), *, key: str | None = None
) -> tuple[dict[str, Any], str]:
    """As `compose`. Also returns the value of `key`, which is RUN_DIR or SWEEP_DIR; no word may set the other one."""
    overrides = [parse(word) for word in words]
    for override in overrides:
        if override.is_hydra_override() and override.key_or_group != key:
            raise UserError(
                f"{override.input_line}: has no effect here; {RUN_DIR}=FOLDER names the folder of one run, "
                f"{SWEEP_DIR}=FOLDER that of a multirun (-m), and -m --at-once 2 trains two jobs at the same time"
            )
    check_choices(overrides)
    own = own_folder()
    search_path = [] if own is None else [f"hydra.searchpath=[{quoted(f'file://{own}')}]"]
    lines = [override.input_line or "" for override in overrides]
    with hydra.initialize_config_dir(str(config_dir()), version_base="1.3"):
        try:
            config = hydra.compose(config_name, [*lines, *search_path], return_hydra_config=True)
            folder = "" if key is None else str(OmegaConf.select(config, key) or "")
            plain = {str(name): _plain(config, name) for name in config if name != "hydra"}
        except (HydraException, OmegaConfBaseException, YAMLError, ValueError) as error:
            raise UserError(explain(error, overrides)) from error
    if key is not None and not folder:
        raise UserError(f"{key}: got nothing, expected the path of a folder")
    return plain, folder


def _plain(config: DictConfig, name: Any) -> Any:
    value = config[name]
    return OmegaConf.to_container(value, resolve=True, throw_on_missing=True) if OmegaConf.is_config(value) else value


# Runs


def compose_run(words: Sequence[str], *, key: str = RUN_DIR) -> Recipe:
    """Return the recipe of a training run. `key` is SWEEP_DIR for a job of a multirun.

    Raises the UserErrors of `compose` and `nmt.config.settings.validate`.
    """
    plain, folder = compose_with_folder("train", words, key=key)
    plain = with_absolute_paths(plain)  # config.yaml and checkpoints may be used from another folder later
    return Recipe(plain | {"init": absolute(plain["init"])}, Path(absolute(folder)))


def with_checkpoint_settings(
    plain: Mapping[str, Any], start: Mapping[str, Any], words: Sequence[str]
) -> dict[str, Any]:
    """Return the settings of a run with the model, tokenizer and spans of the checkpoint that it starts from (`init`).

    `start` is the config of that checkpoint. What the words of the command line change in these sections is changed
    here too: the settings with them are compared with the settings without them. A word that chooses an option, such as
    model=rnn, replaces its section.
    """
    values = dict(plain)
    words = [word for word in words if not word.startswith("hydra.")]
    for section in ("model", "tokenizer", "spans"):
        own = [word for word in words if re.match(rf"[+~]*{section}([./@=]|$)", word)]
        if section in start and not any(parse(word).key_or_group in groups() for word in own):
            without = compose("train", [word for word in words if word not in own])[section] if own else plain[section]
            values[section] = merged(start[section], changes(without, plain[section]))
    return values


# Words of a command line


def parse(word: str) -> Override:
    """Return a word as Hydra reads it. A value that Hydra cannot read is taken as a text, in a list each item.

    A regular expression (`spans.NAME`) is always a text, because a backslash has a meaning for Hydra. So is a path that
    exists: the folder of a job has commas in its name.
    """
    key, equals, value = word.partition("=")
    if not key.strip("~+") or not (equals or word.startswith("~")):
        raise UserError(f"command line: got '{word}', expected key=value, as in seed=2 or model=rnn")
    inside = value[1:-1].split(",") if value[:1] == "[" and value[-1:] == "]" else None
    text = quoted(value) if inside is None else f"[{','.join(quoted(item.strip()) for item in inside)}]"
    is_pattern = key.lstrip("+").startswith("spans.") and value not in ("", "null") and value[0] not in "'\""
    is_path = "," in value and os.path.exists(os.path.expanduser(value))
    for line in [f"{key}={text}"] if is_pattern or is_path else [word, f"{key}={text}"]:
        with suppress(OverrideParseException):
            return OverridesParser.create().parse_overrides([line])[0]
    raise UserError(f"command line: cannot read '{word}'; expected key=value, as in seed=2 or model=rnn")


def quoted(value: str) -> str:
    """Return `value` quoted for Hydra's grammar, in which a backslash is special only before a quote and at the end."""
    return QuotedString(value, Quote.single).with_quotes()


def jobs(words: Sequence[str]) -> list[list[str]]:
    """Return the words of each job of a multirun: every combination of the values given with commas."""
    choices: dict[str, list[str]] = {}
    for override in map(parse, words):
        key = override.get_key_element()
        if not override.is_sweep_override():
            choices[key] = [override.input_line or ""]
        elif override.is_hydra_override() or isinstance(override.value(), Glob | IntervalSweep):
            raise UserError(f"{override.input_line}: expected one value, or values with commas, as in seed=1,2")
        else:
            choices[key] = [f"{key}={value}" for value in override.sweep_string_iterator()]
    return [list(job) for job in itertools.product(*choices.values())]
