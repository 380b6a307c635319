"""Prepares the arguments of a command line for `nmt.config.compose`, and reads the settings of a program."""

from __future__ import annotations

import itertools
import os
from collections.abc import Collection, Sequence
from inspect import signature
from typing import TypeVar

from nmt.config.overrides import quoted
from nmt.config.paths import PATHS
from nmt.errors import UserError
from nmt.system.run_files import find_checkpoints

C = TypeVar("C")

PATH_KEYS = (
    "ckpt",
    "init",
    "baseline",
    "input",
    "source",
    "target",
    "reverse",
    "gold",
    "output",
    "out",
    "compare",
    "animation",
    "runs",
    "multi30k",
    "hydra.run.dir",
    "hydra.sweep.dir",
    *(f"data.{key}" for key in PATHS),
)


def wants_help(argv: Sequence[str]) -> bool:
    """Return whether the arguments contain -h or --help."""
    return bool({"-h", "--help"} & set(argv))


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
    places = [place for place, word in enumerate(argv) if word.startswith(f"{key}=")]
    values = [argv[place][len(key) + 1 :] for place in places]
    if len(values) == 1 and (more := _words_after(argv, places[0])):
        raise UserError(f'{key}: put the whole value in quotes: {key}="{" ".join([*values, *more])}"')
    if len(values) > 1:
        raise UserError(f"{key}: given {len(values)} times, expected once; put the whole text in one pair of quotes")
    try:
        "".join(values).encode("utf-8")
    except UnicodeEncodeError as error:
        raise UserError(f"{key}: the text on the command line is not UTF-8; check the terminal's encoding") from error
    return (values[0] if values else None), [word for word in argv if not word.startswith(f"{key}=")]


def _words_after(argv: Sequence[str], place: int) -> list[str]:
    """Return the words without "=" that follow a place in `argv`: the rest of a text without quotes."""
    return list(itertools.takewhile(lambda word: "=" not in word and word[:1] != "-", argv[place + 1 :]))


def overrides(argv: Sequence[str], *, open_keys: Collection[str]) -> list[str]:
    """Return `argv` as Hydra overrides.

    A path may contain any character. The mappings `open_keys` are empty in the YAML, because their entries replace
    settings of the checkpoint. An override of such an entry (`search.beam_size=5`) gets "++" in front, which lets Hydra
    add a key.
    """
    return [f"++{word}" if "=" in word and word.partition(".")[0] in open_keys else word for word in quoted_paths(argv)]


def read_config(name: str, argv: Sequence[str], schema: type[C], *, open_keys: Collection[str] = ()) -> C:
    """Return the settings of `name`.yaml with the arguments `argv`; `overrides` explains `open_keys`.

    Raises UserError for a mistake in the arguments, and for a checkpoint (`ckpt`) that does not exist. This is said at
    once, before torch is imported, which takes seconds.
    """
    from nmt.config.compose import compose
    from nmt.config.schema import read
    from nmt.config.yaml_files import also_in

    config_folder, words = take_config_dir(argv)
    for word in words:
        if "ckpt" in signature(schema).parameters and "=" not in word and os.path.exists(word):
            raise UserError(f"command line: got '{word}'; write ckpt={word}")
        if word.startswith("data=") and "data" in open_keys:
            raise UserError(f"{word}: the run's data are fixed; replace single settings, as in data.path=FOLDER")
    with also_in(config_folder):
        settings = read(compose(name, overrides(words, open_keys=open_keys)), schema)
    if (ckpt := getattr(settings, "ckpt", None)) is not None:
        find_checkpoints(ckpt)
    return settings


def quoted_paths(argv: Sequence[str], *, but: str = "") -> list[str]:
    """Return `argv` with paths quoted for Hydra and a leading ~ expanded. Hydra accepts few characters without quotes.

    Each path of a list is quoted. A value stays unchanged if it has quotes already, if it is a list of lists, or if it
    contains one of the characters in `but`. For train.py these are the comma, which separates the values of a
    multirun (in a list it separates the paths), and the backslash, which quotes the next character.
    """
    ready = []
    for word in argv:
        key, _, value = word.partition("=")
        if key in PATH_KEYS and value not in ("", "null"):
            word = f"{key}={_quoted_list(value, but) if value[0] == '[' else _quoted_path(value, but)}"
        ready.append(word)
    return ready


def _quoted_path(value: str, but: str) -> str:
    return value if value[0] in "'\"" or set(value) & set(but) else quoted(os.path.expanduser(value))


def _quoted_list(value: str, but: str) -> str:
    inside = value[1:-1]
    if not inside or value[-1] != "]" or set(inside) & set("[]'\"" + but.replace(",", "")):
        return value
    return f"[{','.join(quoted(os.path.expanduser(path.strip())) for path in inside.split(','))}]"
