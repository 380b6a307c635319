"""Composes a config from its name and the words of a command line ("model=rnn", "seed=2"). Hydra does the work."""

from __future__ import annotations

import copy
import itertools
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import hydra
from hydra.core.override_parser.overrides_parser import OverridesParser
from hydra.core.override_parser.types import Glob, IntervalSweep, Override, Quote, QuotedString
from hydra.errors import HydraException, MissingConfigException, OverrideParseException
from omegaconf import DictConfig, MissingMandatoryValue, OmegaConf
from omegaconf.errors import OmegaConfBaseException
from yaml import MarkedYAMLError, YAMLError

from nmt.config.groups import config_dir, groups, own_folder
from nmt.config.recipe import NOTHING, Recipe, changes, section_of
from nmt.config.settings import absolute, with_absolute_paths
from nmt.errors import UserError, did_you_mean, nearest, one_line
from nmt.parameters import shown
from nmt.system.place import start_of_run

RUN_DIR, SWEEP_DIR = "hydra.run.dir", "hydra.sweep.dir"  # the folder of a run, and the folder of a multirun
OTHER = -99999  # a value that no setting has


def compose(config_name: str, words: Sequence[str] = ()) -> dict[str, Any]:
    """Return the config `config_name` ("train") with the words of a command line, plain and resolved.

    Raises UserError for words, groups, options and keys that are unknown, and for values that are not given.
    """
    return _composed(config_name, words)[0]


def _composed(config_name: str, words: Sequence[str], key: str | None = None) -> tuple[dict[str, Any], str]:
    """As `compose`. Also returns the value of `key`, which is RUN_DIR or SWEEP_DIR; no word may set the other one."""
    overrides = [parse(word) for word in words]
    for override in overrides:
        if override.is_hydra_override() and override.key_or_group != key:
            raise UserError(
                f"{override.input_line}: has no effect here; {RUN_DIR}=FOLDER names the folder of one run, "
                f"and {SWEEP_DIR}=FOLDER that of a multirun (-m)"
            )
    _check_choices(overrides)
    try:
        config = _loaded(config_name, [override.input_line or "" for override in overrides])
        folder = "" if key is None else str(OmegaConf.select(config, key) or "")
        values = {str(name): config[name] for name in config if name != "hydra"}
        for name, value in values.items():
            if OmegaConf.is_config(value):
                values[name] = OmegaConf.to_container(value, resolve=True, throw_on_missing=True)
    except (HydraException, OmegaConfBaseException, YAMLError, ValueError) as error:
        raise UserError(_explain(error, overrides)) from error
    if wrong := {"experiment", "debug"} & {*values}:
        raise UserError(f"{min(wrong)}: its file must begin with '# @package _global_' and hold keys with values")
    if key is not None and not folder:
        raise UserError(f"{key}: got nothing, expected the path of a folder")
    return values, folder


def _loaded(config_name: str, lines: Sequence[str]) -> DictConfig:
    own = own_folder()
    search_path = [] if own is None else [f"hydra.searchpath=[{quoted(f'file://{own}')}]"]
    with hydra.initialize_config_dir(str(config_dir()), version_base="1.3"):
        # With Hydra's own `now`, a run would get another folder when torchrun starts its processes again.
        OmegaConf.register_new_resolver("now", lambda form: start_of_run().strftime(form), use_cache=True, replace=True)
        return hydra.compose(config_name, [*lines, *search_path], return_hydra_config=True)


# Runs


def compose_run(words: Sequence[str], *, key: str = RUN_DIR) -> Recipe:
    """Return the recipe of a training run. `key` is SWEEP_DIR for a job of a multirun.

    Raises the UserErrors of `compose` and `nmt.config.settings.validate`.
    """
    plain, folder = _composed("train", words, key)
    # config.yaml and checkpoints may be used from another folder later
    return Recipe(with_absolute_paths(plain), Path(absolute(folder)))


def with_checkpoint_settings(
    plain: Mapping[str, Any], start: Mapping[str, Any], words: Sequence[str]
) -> dict[str, Any]:
    """Return the settings of a run with the model, tokenizer and spans of the checkpoint that it starts from (`init`).

    `start` is the config of that checkpoint. What the words of the command line set in these sections is set here too:
    the settings with them are compared with the settings with other values. A word that chooses an option, such as
    model=rnn, replaces its section. With init_tokenizer=new, the run has its own tokenizer and spans.
    """
    values = copy.deepcopy(dict(plain))
    words = [word for word in words if not word.startswith("hydra.")]
    for section in ("model", "tokenizer", "spans")[: 1 if plain["init_tokenizer"] == "new" else 3]:
        own = [word for word in words if re.match(rf"[+~]*{section}([./@=]|$)", word)]
        if section not in start or any(parse(word).key_or_group in groups() for word in own):
            continue
        values[section] = copy.deepcopy(start[section])
        # Compared with OTHER, a word is a change also if it repeats the default.
        other = [f"{word.partition('=')[0]}={OTHER}" for word in own if re.match(r"[^~=]+=(?!\{)", word)]
        kept = [word for word in words if word not in own]
        without = compose("train", [*kept, *other])[section] if own else plain[section]
        for dotted, (_, now) in changes(without, plain[section]).items():
            place, _, key = dotted.rpartition(".")
            node = section_of(values[section], place)
            node.pop(key, None)
            node |= {} if now is NOTHING else {key: now}
    languages = start.get("data", {})  # for experiment=fine_tune
    taken = [key for key in ("source_lang", "target_lang") if values["data"][key] == f"{key}_of_init"]
    values["data"] |= {key: languages.get(key, key.partition("_")[0]) for key in taken}
    return values


# Words of a command line


def parse(word: str) -> Override:
    """Return a word as Hydra reads it. A value that Hydra cannot read is taken as a text, in a list each item.

    A regular expression (`spans.NAME`) is always a text, because a backslash has a meaning for Hydra. So is a path with
    commas, as in the name of a job's folder, if it exists or its folder does.
    """
    key, equals, value = word.partition("=")
    if not key.strip("~+") or not (equals or word.startswith("~")):
        example = f"data.path={word}" if os.path.exists(word) else "seed=2 or model=rnn"
        raise UserError(
            f"command line: got '{word}', expected key=value without spaces, as in {example}; --help lists the keys"
        )
    inside = value[1:-1].split(",") if value[:1] == "[" and value[-1:] == "]" else None
    text = quoted(value) if inside is None else f"[{','.join(quoted(item.strip()) for item in inside)}]"
    is_pattern = key.lstrip("+").startswith("spans.") and value not in ("", "null") and value[0] not in "'\""
    path = os.path.expanduser(value)
    is_path = "," in value and (os.path.exists(path) or os.path.isdir(os.path.dirname(path)))
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


# Mistakes: one line with the word, what was expected, and the nearest name


def _check_choices(overrides: Sequence[Override]) -> None:
    """Raise UserError for several values in a single run, and for words that mistake a group for a key."""
    known = groups()
    for override in overrides:
        key, line = override.key_or_group, override.input_line or ""
        if override.is_sweep_override():
            raise UserError(f"{line}: several values; {key}=[a,b] is a list; train.py -m makes a run for each value")
        if override.is_delete() or key.startswith("hydra"):
            continue
        if key in known:
            value = override.value()
            if not all(isinstance(each, str) for each in (value if isinstance(value, list) else [value])):
                raise UserError(f"{key}: got {shown(value)}, expected one of {', '.join(known[key])}")
        elif "/" in key:
            near = did_you_mean(key, known) or f"; groups: {', '.join(known)}"
            raise UserError(f"{key}: unknown group{near}")
        elif (group := key.replace(".", "/")) in known and isinstance(value := override.value(), str):
            raise UserError(f"{key}: '{value}' is an option of a group; write {group}={value}")


def _explain(error: Exception, overrides: Sequence[Override]) -> str:
    """Return one line for an error of Hydra, of OmegaConf or of a YAML file."""
    cause: Any = error.__cause__
    if isinstance(error, MissingMandatoryValue):
        return f"{error.full_key}: not given; set {error.full_key}=..."
    if isinstance(error, MissingConfigException) and error.missing_cfg_file:
        missing = str(error.missing_cfg_file)
        group = max((name for name in groups() if missing.startswith(f"{name}/")), key=len, default="")
        option, known = missing.removeprefix(f"{group}/"), groups().get(group, ())
        path = f"; for files: {group}.path={option}" if group == "data" and "/" in option else ""
        return f"{group}: got {shown(option)}, expected one of {', '.join(known)}{path}{did_you_mean(option, known)}"
    if isinstance(error, MarkedYAMLError) and error.problem_mark is not None:
        mark = error.problem_mark
        return f"{mark.name}, line {mark.line + 1}: cannot be read as YAML ({error.problem}); correct the file"
    if getattr(cause, "full_key", None) and OmegaConf.is_config(getattr(cause, "parent_node", None)):
        return _unknown_key(str(cause.full_key), cause.parent_node)
    for group in (override.key_or_group for override in overrides):
        parent, _, child = group.rpartition("/")
        if group in groups() and f"'{group}'" in str(error):
            with_parent = f"this {parent} has no {child} to choose; another {parent} may have it"
            return f"{group}: {with_parent if parent else 'this program has no such group'}"
    return f"{getattr(error, 'full_key', None) or 'config'}: {one_line(str(error).partition('full_key:')[0])}"


def _unknown_key(key: str, parent: Any) -> str:
    """Return what is said of a key that the section around it does not have."""
    section, _, last = key.rpartition(".")
    names = [str(name) for name in parent if name not in ("hydra", "_target_", "_partial_")]
    tree: Any = OmegaConf.to_container(parent._get_root(), resolve=False)
    near = did_you_mean(last, names, prefix=f"{section}." if section else "")
    if not near:
        elsewhere = {each.replace("/", ".").rpartition(".")[2]: each for each in [*dotted(tree), *groups()]}
        found = nearest(last, elsewhere)
        near = f"; did you mean '{elsewhere[found]}'?" if found else ""
    known = f"; known keys: {', '.join(names)}" if names else ""
    adds = f"; a plus adds a key: +{key}=..." if section else ""
    return f"{key}: unknown key{near or known + adds}"


def dotted(tree: Mapping[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield every dotted key of `tree`, without those of Hydra."""
    for key, value in tree.items():
        if key != "hydra":
            yield f"{prefix}{key}"
            yield from dotted(value, f"{prefix}{key}.") if isinstance(value, Mapping) else ()
