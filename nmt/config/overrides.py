"""The overrides of a command line in Hydra's grammar, and the options and files that they choose."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from nmt.config.yaml_files import YamlFile, groups, own_folder, read_file
from nmt.errors import UserError, one_line

if TYPE_CHECKING:
    from hydra.core.override_parser.types import Override

# A name in {name: value} that Hydra cannot read: in quotes, or with a letter such as ä
_UNREADABLE_NAME = re.compile(r"""[{,]\s*(?:'[^']*'|"[^"]*"|[^\s{}\[\],:'"]*[^\x00-\x7f][^{}\[\],:'"]*)\s*:""")
RECIPES = ("debug", "experiment")  # groups whose files set keys of all sections; the first beats the second


def quoted(value: str) -> str:
    """Return `value` quoted for Hydra's grammar, in which a backslash is special only before a quote and at the end."""
    from hydra.core.override_parser.types import Quote, QuotedString

    return QuotedString(value, Quote.single).with_quotes()


def parse(overrides: Sequence[str]) -> list[Override]:
    """Return the overrides as parsed by Hydra. Raises UserError for an override that Hydra cannot parse."""
    from hydra.core.override_parser.overrides_parser import OverridesParser
    from hydra.errors import OverrideParseException

    for before, line in zip(["", *overrides], overrides, strict=False):
        if ("=" not in line and not line.startswith("~")) or line.startswith("="):
            if before.endswith(","):
                raise UserError(
                    f"command line: got a space after '{before}'; write values without spaces: {before}{line}"
                )
            raise UserError(f"command line: got '{line}', expected key=value, as in seed=2 or model=rnn")
    try:
        return list(OverridesParser.create().parse_overrides(list(overrides)))
    except OverrideParseException as error:
        reason = one_line(error.message.splitlines()[0])
        raise UserError(
            f"command line: cannot read '{error.override}' ({reason}); {_remedy(error.override)}"
        ) from error


def _remedy(unreadable: str) -> str:
    """Return where an override that Hydra cannot parse needs quotes, or other names."""
    key, _, value = unreadable.partition("=")
    if value[:1] == "{" and _UNREADABLE_NAME.search(value):
        return f'each name before a colon needs letters of English, and no quotes: {key}="{{name: ...}}"'
    special = "with commas, quotes, brackets, braces or letters such as ä needs"
    if value[:1] in ("[", "{"):
        example = "['...']" if value[0] == "[" else "{train: ['...']}"
        return f'each text in it {special} quotes of its own, inside the quotes of the shell: {key}="{example}"'
    return f"a value {special} a second pair of quotes inside the quotes of the shell: {key}=\"'...'\""


def is_group(override: Override) -> bool:
    """Return whether an override chooses an option of a config group."""
    return override.key_or_group in groups() or override.key_or_group.startswith("hydra/")


def jobs(overrides: Sequence[str]) -> list[list[str]]:
    """Return the overrides of each job of a multirun, in the order in which Hydra runs them."""
    from hydra.core.override_parser.types import Glob

    choices: dict[str, list[str]] = {}
    for override in parse(overrides):
        key = override.get_key_element()
        if not override.is_sweep_override():
            choices[key] = [f"{key}={override.get_value_element_as_str()}"]
        elif override.is_hydra_override():
            raise UserError(
                f"{override.input_line}: got several values, expected one for all jobs; a value with a comma needs "
                f"quotes: {key}=\"'...'\""
            )
        elif isinstance(override.value(), Glob):
            raise UserError(f"{override.input_line}: glob() is not supported; list the options: {key}=A,B")
        elif override.is_discrete_sweep():
            choices[key] = [f"{key}={value}" for value in override.sweep_string_iterator()]
        else:
            raise UserError(f"{override.input_line}: interval() is not supported; list the values: {key}=1,2,3")
    return [list(job) for job in itertools.product(*choices.values())]


@dataclass(frozen=True)
class Choice:
    """The choices of a command line: settings, options and files.

    `keys` are the settings that it sets or deletes itself. `options` maps each group to its option, from the command
    line, or else from a recipe or the defaults. `files` are the files that may contradict others, by precedence:
    recipes (experiment and debug, and their bases), then the options of --config-dir. The other shipped files fit each
    other, so a mistake in their keys comes from the command line.
    """

    keys: Sequence[str]
    options: Mapping[str, str]
    files: Sequence[YamlFile]

    @classmethod
    def of(cls, overrides: Sequence[Override]) -> Self:
        """Return the choice of a command line. Raises UserError for a file that cannot be read."""
        defaults, known, own = read_file("train").chosen, groups(), own_folder()
        keys = [each.key_or_group for each in overrides if each.is_delete() or each.key_or_group not in known]
        given = {each.key_or_group: _written(each.value()) for each in overrides if each.key_or_group in known}
        named = [(group, (defaults | given)[group]) for group in RECIPES]
        files = [file for group, option in named if option in known[group] for file in _with_bases(group, option)]
        options = defaults | _options(files) | given
        for group, value in options.items():
            for option in value.strip("[]").split(","):
                if group not in RECIPES and own is not None and (own / group / f"{option}.yaml").is_file():
                    files.append(read_file(f"{group}/{option}"))
        return cls(keys, options, files)

    @property
    def recommended(self) -> dict[str, str]:
        """The option of each group if the command line chose none."""
        return read_file("train").chosen | _options(self.files)


def _written(value: object) -> str:
    return f"[{','.join(map(str, value))}]" if isinstance(value, list) else str(value)


def _options(files: Sequence[YamlFile]) -> dict[str, str]:
    return {group: value for file in reversed(files) for group, value in file.chosen.items()}


def _with_bases(group: str, option: str, above: Sequence[str] = ()) -> Iterator[YamlFile]:
    """Yield a recipe, and after it the recipes that it builds on. The recipes in `above` build on this one."""
    file = read_file(f"{group}/{option}")
    yield file
    for base, line in reversed(file.bases.items()):
        if base in (*above, option):
            raise UserError(f"{file.name}, line {line}: {group}={base} would build on itself; remove this line")
        if base in groups()[group]:
            yield from _with_bases(group, base, (*above, option))
