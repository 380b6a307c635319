"""The arguments of a command line: read as the settings of a program, or made ready for `nmt.config.compose`.

The settings of a program are the keys of its YAML file. The file holds each default value, with the lines of --help
above it. A dataclass holds the type of each key.
"""

from __future__ import annotations

import os
import re
import sys
import typing
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

from nmt.cli.output import print_stderr
from nmt.cli.program import Program
from nmt.config.compose import compose
from nmt.config.groups import config_dir, use_configs_of
from nmt.config.schema import read
from nmt.errors import UserError, raise_if_any
from nmt.system.run_files import find_checkpoint, is_exported

if TYPE_CHECKING:
    from nmt.translation.base import BaseTranslator

PathText = Annotated[str, "path"]  # any characters; a leading ~ is the home folder
FreeText = Annotated[str, "free text"]  # taken literally; on the command line only
OpenMapping = dict[str, Any]  # empty in the YAML: its entries replace settings of the checkpoint
# What a translator is made of
LOADING = ("ckpt", "device", "engine", "allow", "search", "source_lang", "target_lang", "terms")


@dataclass(kw_only=True)
class Settings:
    """The settings of a program."""

    @classmethod
    def taken(cls, words: list[str]) -> tuple[dict[str, Any], list[str]]:
        """Return the settings that this program reads itself, and the words that Hydra reads: here, all of them."""
        return {}, words

    def contradictions(self) -> Iterator[str]:
        """Yield a message for each setting that contradicts another setting or has no effect with it."""
        return iter(())


C = TypeVar("C", bound=Settings)


@dataclass(kw_only=True)
class ModelSettings(Settings):
    """The settings of _model.yaml, which the programs that load a model share."""

    source_lang: str | None
    target_lang: str | None
    allow: list[str]
    device: str

    def load(self, **fields: Any) -> tuple[BaseTranslator, Sequence[Any]]:
        """Return the translator that the settings describe, and its models (see `nmt.translation.loading.load`)."""
        from nmt.translation.loading import load  # here, because importing torch takes seconds

        translator, models = load(**{key: value for key, value in vars(self).items() if key in LOADING}, **fields)
        if translator.terms and not translator.tokenizer.spans:
            print_stderr("warning: terms: ignored, because this model was trained without spans (spans=common)")
        return translator, models


@dataclass(kw_only=True)
class SearchSettings(ModelSettings):
    """The settings of _search.yaml, which the programs that translate share."""

    engine: Literal["torch", "ctranslate2"]
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
    """Yield the lines of --help about the settings of a program: "# key=VALUE   words", and those that continue it."""
    for line in (line for text in settings_files(name) for line in text.splitlines()):
        if found := re.fullmatch(r"# (.*? {2,}\S.*)", line):
            yield f"  {found[1]}"


def take_config_dir(argv: Sequence[str]) -> list[str]:
    """Look for configs in the folder of `--config-dir FOLDER` (or `=FOLDER`, or `-cd`); return the other arguments."""
    folder, others, words = None, [], iter(argv)
    for word in words:
        name, equals, value = word.partition("=")
        if name in ("--config-dir", "-cd"):
            folder = value if equals else next(words, "")
        else:
            others.append(word)
    use_configs_of(folder)
    return others


def take(argv: Sequence[str], key: str) -> tuple[str | None, list[str]]:
    """Return the value of `key=VALUE` as typed (None if it is not given), and the other arguments.

    Raises UserError if the key is given twice, or its text is not UTF-8.
    """
    places = [place for place, word in enumerate(argv) if word.lstrip("+").startswith(f"{key}=")]
    if not places:
        return None, list(argv)
    if len(places) > 1:
        raise UserError(f"{key}: given {len(places)} times, expected once; put the whole text in one pair of quotes")
    text = argv[places[0]].partition("=")[2]
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
    words = take_config_dir(argv)
    texts: dict[str, Any] = {}
    for key in _keys(schema, FreeText):
        texts[key], words = take(words, key)
    own, words = schema.taken(words)
    paths, open_keys = _keys(schema, PathText), _keys(schema, OpenMapping)
    # "++" lets Hydra add a key to a mapping, as in search.beam_size=5.
    words = [f"++{word}" if "=" in word and word.partition(".")[0] in open_keys else word for word in words]
    settings = read(compose(name, words), schema)
    settings = replace(settings, **{key: at_home(getattr(settings, key)) for key in paths}, **texts, **own)
    if (ckpt := getattr(settings, "ckpt", None)) is not None:
        if not ckpt:
            raise UserError("ckpt: got nothing, expected at least one model")
        for path in [ckpt] if isinstance(ckpt, str) else ckpt:
            if not is_exported(path):
                find_checkpoint(path)
    raise_if_any(settings.contradictions())
    return settings


def at_home(value: Any) -> Any:
    """Return a path, or each path of a list, with the home folder in place of a leading ~, as most shells do it."""
    return [at_home(each) for each in value] if isinstance(value, list) else value and os.path.expanduser(value)


def _keys(schema: type, kind: Any) -> list[str]:
    """Return the keys of a dataclass whose annotation is `kind`, or a union or list with it."""
    hints = typing.get_type_hints(schema, include_extras=True)
    return [name for name, hint in hints.items() if repr(kind) in repr(hint)]
