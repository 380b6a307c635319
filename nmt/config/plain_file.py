"""Reads the JSON and YAML files that this project writes. Anyone may have sent them, so they may hold anything.

A shape says what a file must hold: an annotation of `nmt.parameters` for a value, a dict of shapes for a mapping that
has at least these keys, and a list with one shape for a list. In a dict, a key such as "val?" may be missing from the
file, and the key `...` stands for every key.
"""

from __future__ import annotations

import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from nmt.config.schema import DEEPEST
from nmt.errors import UserError, one_line
from nmt.parameters import LanguageCode, NonNegativeInt, Range, expected, fits, shown

MOST_JSON, MOST_YAML = 16_000_000, 1_000_000  # bytes
MOST_PARTS = 1_000_000  # texts, lists and mappings of JSON: the smallest take ten to thirty times the bytes in memory
LEAVE_OUT, OTHER_FOLDER = "restore the file, or leave out this run", "remove it, or name another folder: out=FOLDER"

Number = Annotated[float, Range(low=-1e300, high=1e300)]
Count = Annotated[int, Range(low=0, high=2**63)]
Amount = Annotated[float, Range(low=0.0, high=1e15)]

METRICS_FILE = {  # of a metrics.json, as far as programs use it
    **{"search": {}, "parameters": Count, "updates": Count, "wall_seconds": Amount},
    "target_tokens_per_second": Amount,
}
CONFIG_FILE = {  # of a config.yaml, as far as a comparison uses it
    **{"name": str, "seed": NonNegativeInt, "data": {"source_lang": LanguageCode, "target_lang": LanguageCode}},
    **{"model": {"encoder": {}, "decoder": {}}, "scores": {...: {}}, "trainer": {"max_time": Any}},
}


def read_json(path: Path, shape: Any, *, remedy: str, most: int = MOST_JSON) -> Any:
    """Return the value in a JSON file of at most `most` bytes.

    Raises UserError, which names the file and ends with `remedy`, for a file that cannot be read, is no JSON, is nested
    too deeply, has a number or text that no program of ours writes, or does not have the shape.
    """
    return parse_json(_text(path, most, remedy), shape, where=str(path), remedy=remedy)


def parse_json(text: str, shape: Any, *, where: str, remedy: str) -> Any:
    """As `read_json`, for the text of a file; `where` names it."""
    if sum(map(text.count, '"[{')) > MOST_PARTS:
        raise _damaged(where, f"more than {MOST_PARTS:,} texts, lists and mappings", remedy)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise _damaged(where, f"not JSON: {one_line(error)}", remedy) from error
    return _checked(value, shape, where, remedy)


def read_yaml(path: Path, shape: Any, *, remedy: str) -> Any:
    """As `read_json`, for the config.yaml of a run. It also refuses what makes YAML huge: anchors, aliases and tags."""
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    text = _text(path, MOST_YAML, remedy)
    try:
        problem = _strange_yaml(text)
        value = None if problem else OmegaConf.to_container(OmegaConf.create(text), resolve=False)
    except (YAMLError, OmegaConfBaseException, ValueError, RecursionError) as error:
        raise _damaged(str(path), f"not YAML: {one_line(error)}", remedy) from error
    if problem:
        raise _damaged(str(path), f"{problem}; a program writes plain values", remedy)
    return _checked(value, shape, str(path), remedy)


def check_shape(value: Any, shape: Any, *, where: str, remedy: str) -> None:
    """Raise UserError, as `read_json` does, unless a value that it has returned has the shape."""
    if problem := _misshapen(value, shape, ""):
        raise _damaged(where, problem, remedy)


def _text(path: Path, most: int, remedy: str) -> str:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # to open a pipe would wait for ever
            raise _damaged(str(path), "a folder, pipe or device", remedy)
        with path.open("rb") as file:
            content = file.read(most + 1)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); {remedy}") from error
    if len(content) > most:
        raise _damaged(str(path), f"more than {most // 1_000_000} MB", remedy)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise _damaged(str(path), one_line(error), remedy) from error


def _damaged(where: str, problem: str, remedy: str) -> UserError:
    return UserError(f"{where}: damaged ({problem}); {remedy}")


def _checked(value: Any, shape: Any, where: str, remedy: str) -> Any:
    if problem := _strange(value):
        raise _damaged(where, problem, remedy)
    check_shape(value, shape, where=where, remedy=remedy)
    return value


def _strange(value: Any, depth: int = 0) -> str | None:
    """Return what in a value no program of ours writes, or None."""
    if isinstance(value, dict | list):
        if depth == DEEPEST:
            return f"more than {DEEPEST} levels"
        inside = [*value, *value.values()] if isinstance(value, dict) else value
        found = (_strange(each, depth + 1) for each in inside if type(each) is not float)  # the weights of a map
        return next(filter(None, found), None)
    if isinstance(value, str):
        try:
            value.encode()
        except UnicodeEncodeError:
            return "a text with half a character"
    elif isinstance(value, int) and value.bit_length() > 64:
        return f"a number of {value.bit_length()} bits"
    elif value is not None and not isinstance(value, int | float):  # YAML has dates
        return f"{value} is no text, number, true, false or null"
    return None


def _misshapen(value: Any, shape: Any, where: str) -> str | None:
    """Return the first problem of a value that has not the shape, or None. `where` is its dotted place."""
    if isinstance(shape, Mapping):
        if not isinstance(value, dict):
            return f"{where}: got {shown(value)}, expected a mapping" if where else "no mapping"
        inside, lacking = [], []
        for key, kind in shape.items():
            if key is ...:
                inside += [(name, each, kind) for name, each in value.items()]
            elif (name := key.removesuffix("?")) in value:
                inside.append((name, value[name], kind))
            elif name == key:
                lacking.append(f"{where}.{key}".removeprefix("."))
        if lacking:
            return f"no {', '.join(lacking)}"
    elif isinstance(shape, list):
        if not isinstance(value, list):
            return f"{where}: got {shown(value)}, expected a list" if where else "no list"
        inside = [(number, each, shape[0]) for number, each in enumerate(value)]
    else:
        return None if fits(value, shape) else f"{where}: got {shown(value)}, expected {expected(shape)}"
    found = (_misshapen(each, kind, f"{where}.{key}".removeprefix(".")) for key, each, kind in inside)
    return next(filter(None, found), None)


def _strange_yaml(text: str) -> str | None:
    """Return what a YAML text has that can make it huge or run code, or None. Nothing is constructed from it."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        line = f"in line {event.start_mark.line + 1}"
        if depth == 0 and isinstance(event, yaml.NodeEvent) and not isinstance(event, yaml.MappingStartEvent):
            return f"no mapping {line}"
        if getattr(event, "anchor", None) is not None:
            return f"an anchor or alias (& or *) {line}"
        if getattr(event, "tag", None) is not None:
            return f"a tag ({event.tag}) {line}"
        if "${" in getattr(event, "value", ""):
            return f"${{...}} {line}"
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > DEEPEST:
            return f"more than {DEEPEST} levels {line}"
    return None
