"""The arguments of a command line: read as the settings of a program, or made ready for `nmt.config.compose`.

The settings of a program are the keys of its YAML file. The file holds each default value, with the lines of --help
above it. A dataclass holds the type of each key.
"""

from __future__ import annotations

import itertools
import os
import re
import sys
import typing
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, TypeVar

from nmt.cli.program import Program
from nmt.config.groups import config_dir, with_configs_of
from nmt.config.settings import PATHS
from nmt.errors import UserError, raise_if_any
from nmt.system.run_files import find_checkpoint, is_exported

PathText = Annotated[str, "path"]  # any characters; a leading ~ is the home folder
FreeText = Annotated[str, "free text"]  # taken literally; on the command line only
Folders = Annotated[list[str], "folders"]  # all arguments that name folders, without a key
OpenMapping = dict[str, Any]  # empty in the YAML: its entries replace settings of the checkpoint
Choice = Annotated[dict[str, Any], "choice"]  # KEY=NAME chooses the node of configs/PROGRAM/KEY/NAME.yaml
DATA_PATHS = tuple(f"data.{key}" for key in PATHS)
# A line of a YAML file that --help prints: "# key=VALUE   words", or a continuation line below it.
HELP_LINE = re.compile(r"# (\S.*?|) {2,}(\S.*)")
HELP_COLUMN = 29  # where the descriptions begin


@dataclass(kw_only=True)
class Settings:
    """The settings of a program."""

    opens_exported = False  # whether `ckpt` may also be a folder that export.py wrote

    def contradictions(self) -> Iterator[str]:
        """Yield a message for each setting that contradicts another setting or has no effect with it."""
        return iter(())


C = TypeVar("C", bound=Settings)


@dataclass(kw_only=True)
class ModelSettings(Settings):
    """The settings of _model.yaml, which the programs that load a model share."""

    allow: list[str]
    device: str


@dataclass(kw_only=True)
class SearchSettings(ModelSettings):
    """The settings of _search.yaml, which the programs that translate share."""

    search: OpenMapping


def configured(settings: type[C]) -> Callable[[Callable[[C], None]], Program]:
    """Make a program from a function of its settings, a dataclass read from the YAML file with the module's name.

    Its help text is the docstring of its module, with the settings in the place of `{settings}`.
    """

    def made(work: Callable[[C], None]) -> Program:
        name = work.__module__.rpartition(".")[2]
        prose = sys.modules[work.__module__].__doc__ or ""
        return Program(
            lambda argv: work(read_config(name, argv, settings)),
            lambda argv: prose.replace("{settings}", "\n".join(settings_help(name))),
        )

    return made


def settings_files(name: str) -> list[str]:
    """Return the texts of a program's YAML file, and of the files `_...` that it shares with other programs."""
    own = (config_dir() / f"{name}.yaml").read_text("utf-8")
    shared = (base for base in re.findall(r"^ *- (_\w+)", own, re.MULTILINE) if base != "_self_")
    return [own, *(text for base in shared for text in settings_files(base))]


def settings_help(name: str) -> Iterator[str]:
    """Yield the lines of --help about the settings of a program."""
    for line in (line for text in settings_files(name) for line in text.splitlines()):
        if found := HELP_LINE.fullmatch(line):
            yield f"  {found[1]:{HELP_COLUMN - 3}} {found[2]}"


def take_config_dir(argv: Sequence[str]) -> tuple[str | None, list[str]]:
    """Remove `--config-dir FOLDER` (also `--config-dir=FOLDER`, `-cd FOLDER`) from `argv`.

    Returns the folder (None if it is not given) and the other arguments. Raises UserError if the folder is missing.
    """
    folder, others, words = None, [], iter(argv)
    for word in words:
        name, equals, value = word.partition("=")
        if name not in ("--config-dir", "-cd"):
            others.append(word)
            continue
        folder = value if equals else next(words, "")
        if not folder:
            raise UserError(f"{name}: got nothing, expected a folder with your configs")
    return folder, others


def take(argv: Sequence[str], key: str) -> tuple[str | None, list[str]]:
    """Remove `key=VALUE` from `argv`.

    Returns the value exactly as typed (None if it is not given) and the other arguments. Raises UserError if the key is
    given twice, its text goes on in the next argument, or it is not UTF-8.
    """
    places = [place for place, word in enumerate(argv) if word.lstrip("+").startswith(f"{key}=")]
    if not places:
        return None, list(argv)
    if len(places) > 1:
        raise UserError(f"{key}: given {len(places)} times, expected once; put the whole text in one pair of quotes")
    text = argv[places[0]].partition("=")[2]
    rest = itertools.takewhile(lambda word: "=" not in word and word[:1] != "-", argv[places[0] + 1 :])
    if more := list(rest):  # the text has no quotes, so the shell has divided it
        raise UserError(f'{key}: put the whole value in quotes: {key}="{" ".join([text, *more])}"')
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UserError(f"{key}: the text on the command line is not UTF-8; check the terminal's encoding") from error
    return text, [*argv[: places[0]], *argv[places[0] + 1 :]]


def read_config(name: str, argv: Sequence[str], schema: type[C]) -> C:
    """Return the settings of `name`.yaml with the arguments `argv`.

    Raises UserError for a mistake in the arguments, for a checkpoint (`ckpt`) that does not exist, and for settings
    that contradict each other. These errors come before torch is imported, which takes seconds.
    """
    from nmt.config.compose import compose
    from nmt.config.schema import read

    config_folder, words = take_config_dir(argv)
    texts: dict[str, Any] = {}
    for key in _keys(schema, FreeText):
        texts[key], words = take(words, key)
    for key in _keys(schema, Folders):
        texts[key] = [word for word in words if _is_folder(word)]
        words = [word for word in words if word not in texts[key]]
    paths, open_keys = _keys(schema, PathText), _keys(schema, OpenMapping)
    for key in _keys(schema, Choice):
        words = [f"{name}/{key}@{word}" if word.startswith(f"{key}=") else word for word in words]
    for word in words:
        if "ckpt" in paths and "=" not in word and os.path.exists(word):
            raise UserError(f"command line: got '{word}'; write ckpt={word}")
        if word.startswith("data=") and "data" in open_keys:
            raise UserError(f"{word}: the run's data are fixed; replace single settings, as in data.path=FOLDER")
    words = quoted_paths(words, (*paths, *DATA_PATHS))
    # "++" lets Hydra add a key to a mapping, as in search.beam_size=5.
    words = [f"++{word}" if "=" in word and word.partition(".")[0] in open_keys else word for word in words]
    with with_configs_of(config_folder):
        settings = read(compose(name, words), schema)
    if (ckpt := getattr(settings, "ckpt", None)) is not None:
        for path in [ckpt] if isinstance(ckpt, str) else ckpt:
            if not (schema.opens_exported and is_exported(path)):
                find_checkpoint(path)
    settings = replace(settings, **texts)
    raise_if_any(settings.contradictions())
    return settings


def changed(name: str, settings: object) -> list[str]:
    """Return the settings that differ from `name`.yaml and from the files that it shares with other programs."""
    import yaml

    default = {key: value for text in settings_files(name) for key, value in yaml.safe_load(text).items()}
    return [key for key, value in vars(settings).items() if value != default[key]]


def _is_folder(word: str) -> bool:
    """Return whether an argument names a folder. The folder of a multirun's job contains "=" too."""
    key, equals, _ = word.partition("=")
    return not equals or "/" in key or os.path.isdir(word)


def _keys(schema: type, kind: Any) -> list[str]:
    """Return the keys of a dataclass whose annotation is `kind`, or a union or list with it."""
    hints = typing.get_type_hints(schema, include_extras=True)
    return [name for name, hint in hints.items() if _holds(hint, kind)]


def _holds(hint: Any, kind: Any) -> bool:
    return bool(hint == kind) or any(_holds(each, kind) for each in typing.get_args(hint))


def quoted_paths(argv: Sequence[str], keys: Collection[str]) -> list[str]:
    """Return `argv` with the paths of `keys` quoted for Hydra, and with the home folder in place of a leading ~.

    A list, and a value that has quotes already, stays as it is.
    """
    from nmt.config.compose import quoted

    words = [(word, *word.partition("=")[::2]) for word in argv]
    return [
        f"{key}={quoted(os.path.expanduser(value))}"
        if key.lstrip("+") in keys and value not in ("", "null") and value[0] not in "'\"["
        else word
        for word, key, value in words
    ]
