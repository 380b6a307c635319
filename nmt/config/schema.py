"""Reads plain values into typed ones: settings into a dataclass, the content of a stored file into a TypedDict.

Plain values consist of dicts, lists, text, numbers, true, false and null, as in YAML, JSON or a checkpoint. Anyone may
have sent a file or a checkpoint, so it may hold anything. This module does not import torch, so that a misspelt word on
the command line is reported at once.
"""

from __future__ import annotations

import dataclasses
import json
import re
import stat
import typing
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict, TypeVar

from nmt.errors import UserError, did_you_mean, one_line, raise_if_any
from nmt.parameters import Others, Range, expected, fits, options, shown, value_problem

T = TypeVar("T")

MISSING = "???"
MAX_DEPTH = 20  # levels of mappings and lists
MAX_PROBLEMS = 3  # of a file, in a message
MAX_JSON, MAX_YAML = 16_000_000, 1_000_000  # bytes
MAX_PARTS = 1_000_000  # texts, lists and mappings of JSON: in memory, the smallest take ten to thirty times their bytes
_HALF = re.compile("[\ud800-\udfff]")
LEAVE_OUT, OTHER_FOLDER = "restore the file, or leave out this run", "remove it, or name another folder: out=FOLDER"

Number = Annotated[float, Range(low=-1e300, high=1e300)]
Count = Annotated[int, Range(low=0, high=2**63)]
Amount = Annotated[float, Range(low=0.0, high=1e15)]


class _Score(TypedDict):
    label: str
    value: float


class MetricsFile(TypedDict):
    """The entries of a metrics.json that programs read. `val` and `test` are the scores at the end of the run."""

    val: NotRequired[dict[str, _Score]]
    test: NotRequired[dict[str, _Score]]
    search: dict[str, Any]
    parameters: Count
    updates: Count
    best_update: NotRequired[Count]
    wall_seconds: Amount
    target_tokens_per_second: Amount


# Values


def read(plain: Any, schema: type[T], path: str = "") -> T:
    """Return the values of `plain` as `schema` says: a dataclass, a TypedDict, or a list or mapping of these.

    A dataclass refuses other keys, unless a field collects them (`OtherKeys`). A TypedDict keeps them. `path` is the
    dotted key of `plain` in the config, empty for the root. Raises one UserError with the problems of all fields.
    """
    problems: list[str] = []
    value = _value(plain, schema, path, problems)
    raise_if_any(problems)
    return typing.cast(T, value)


def _value(value: Any, hint: Any, where: str, problems: list[str]) -> Any:
    """Return one value as its annotation says. Append a message to `problems` for everything that does not fit."""
    if typing.get_origin(hint) is NotRequired:
        hint = typing.get_args(hint)[0]
    for option in options(hint):
        if _is_record(option) and isinstance(value, Mapping):
            return _record(value, option, where, problems)
        kind, entry = typing.get_origin(option), (typing.get_args(option) or (None,))[-1]
        if kind is dict and entry is not Any and isinstance(value, dict):
            return {str(key): _value(each, entry, _join(where, key), problems) for key, each in value.items()}
        if _is_record(entry) and kind is list and isinstance(value, list):
            return [_value(each, entry, _join(where, number), problems) for number, each in enumerate(value)]
    if value == MISSING:
        problems.append(f"{where}: not given; set {where}=... ({expected(hint)})")
    elif isinstance(value, int) and not isinstance(value, bool) and not fits(value, hint) and fits(str(value), hint):
        return str(value)  # YAML reads name=7 as a number
    elif problem := value_problem(value, hint):
        if isinstance(value, bool) and fits("no", hint):
            problem += "; YAML reads a bare no, off, yes or on as false or true: put it in quotes"
        elif fits([value], hint):
            problem += f", as in {where}=[{value}]"
        problems.append(f"{where or 'the content'}: {problem}")
    return value


def _is_record(hint: Any) -> bool:
    return dataclasses.is_dataclass(hint) or typing.is_typeddict(hint)


def _record(plain: Mapping[Any, Any], schema: Any, where: str, problems: list[str]) -> Any:
    hints = typing.get_type_hints(schema, include_extras=True)
    collecting = [name for name, hint in hints.items() if Others in getattr(hint, "__metadata__", ())]
    known = [name for name in hints if name not in collecting]
    others = {str(key): value for key, value in plain.items() if key not in known}
    if typing.is_typeddict(schema):
        optional = {name for name, hint in hints.items() if typing.get_origin(hint) is NotRequired}
        values = others
    else:
        defaults = ((field.name, field.default, field.default_factory) for field in dataclasses.fields(schema))
        optional = {name for name, *found in defaults if found != [dataclasses.MISSING] * 2}
        values = dict.fromkeys(collecting, others)
        if not collecting:
            problems += [f"{_join(where, key)}: unknown key{near_key(key, known, where)}" for key in others]
    for name in known:
        key = _join(where, name)
        if name in plain:
            values[name] = _value(plain[name], hints[name], key, problems)
        elif name not in optional:
            problems.append(f"{key}: missing; expected {expected(hints[name])}")
    return None if problems else schema(**values)


def near_key(key: str, known: Iterable[str], path: str) -> str:
    """Return the known key of the section `path` that resembles `key`, or else all of them, as a part of a message."""
    near = did_you_mean(key, known, prefix=f"{path}." if path else "")
    return near or f"; known keys: {', '.join(known)}"


def _join(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)


def check_plain(plain: Any, *, free_text: bool = False) -> None:
    """Raise UserError for values that no program of ours writes, such as endless nesting or integers of 64 bits.

    A resolved config and a config.yaml must not contain `${` or the character NUL. Other files may (`free_text`).
    """
    raise_if_any(_strange(plain, "", 0, free_text))


def _strange(value: Any, path: str, depth: int, free_text: bool) -> Iterator[str]:
    if isinstance(value, Mapping | list) and depth == MAX_DEPTH:
        yield f"{path[:80]}...: got more than {MAX_DEPTH} levels of settings; write fewer"
    elif isinstance(value, Mapping):
        for key, inside in value.items():
            yield from _strange(key, path, depth, free_text)
            yield from _strange(inside, _join(path, key), depth + 1, free_text)
    elif isinstance(value, list):
        for inside in value:
            if type(inside) is not float:  # as the many weights of an attention map are
                yield from _strange(inside, path, depth + 1, free_text)
    elif isinstance(value, str):
        if "${" in value and not free_text:
            yield f"{path}: got {shown(value)}, expected a value without ${{...}}; write the value itself"
        if "\0" in value and not free_text:
            yield f"{path}: got {shown(value)}, a text with the character NUL; in a pattern, write \\x00 for it"
        if _HALF.search(value):
            yield f"{path}: got {shown(value)}, a text with half a character"
    elif isinstance(value, int) and value.bit_length() > 63:
        yield f"{path}: got an integer of {value.bit_length()} bits, expected at most 63"
    elif value is not None and not isinstance(value, int | float):  # YAML has dates
        yield f"{path}: got {shown(value)}, expected text, a number, true, false or null"


# Files


def read_json(path: Path, schema: type[T], *, remedy: str, max_bytes: int = MAX_JSON) -> T:
    """Return the value in a JSON file, as `read` does.

    Raises UserError, which names the file and ends with `remedy`, for a file that cannot be read, is no JSON, is nested
    too deeply, has a number or text that no program of ours writes, or does not hold what `schema` says.
    """
    return parse_json(_text(path, max_bytes, remedy), schema, where=str(path), remedy=remedy)


def parse_json(text: str, schema: type[T], *, where: str, remedy: str) -> T:
    """As `read_json`, for the text of a file; `where` names it."""
    if sum(map(text.count, '"[{')) > MAX_PARTS:
        raise _damaged(where, f"more than {MAX_PARTS:,} texts, lists and mappings", remedy)
    try:
        value = json.loads(text)
        check_plain(value, free_text=True)
    except (ValueError, RecursionError) as error:
        raise _damaged(where, _problem(error, "JSON"), remedy) from error
    return read_stored(value, schema, where=where, remedy=remedy)


def read_yaml(path: Path, schema: type[T], *, remedy: str) -> T:
    """As `read_json`, for the config.yaml of a run. It also refuses anchors, aliases and tags."""
    from omegaconf import OmegaConf
    from omegaconf.errors import OmegaConfBaseException
    from yaml import YAMLError

    text = _text(path, MAX_YAML, remedy)
    try:
        _check_yaml(text)
        value = OmegaConf.to_container(OmegaConf.create(text), resolve=False)
        check_plain(value)
    except (YAMLError, OmegaConfBaseException, ValueError, RecursionError) as error:
        raise _damaged(str(path), _problem(error, "YAML"), remedy) from error
    return read_stored(value, schema, where=str(path), remedy=remedy)


def read_stored(value: Any, schema: type[T], *, where: str, remedy: str) -> T:
    """As `read_json`, for the value that a file holds; `where` names it."""
    try:
        return read(value, schema)
    except UserError as error:
        raise _damaged(where, "; ".join(error.problems[:MAX_PROBLEMS]), remedy) from error


def _text(path: Path, max_bytes: int, remedy: str) -> str:
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # to open a pipe would wait for ever
            raise _damaged(str(path), "a folder, pipe or device", remedy)
        with path.open("rb") as file:
            content = file.read(max_bytes + 1)
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror}); {remedy}") from error
    if len(content) > max_bytes:
        raise _damaged(str(path), f"more than {max_bytes // 1_000_000} MB", remedy)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise _damaged(str(path), one_line(error), remedy) from error


def _check_yaml(text: str) -> None:
    """Raise UserError for YAML that can become huge or run code, without constructing anything from it."""
    import yaml

    depth = 0
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        where = f"in line {event.start_mark.line + 1}; a program writes plain values"
        if depth == 0 and isinstance(event, yaml.NodeEvent) and not isinstance(event, yaml.MappingStartEvent):
            raise UserError(f"no mapping {where}")
        if getattr(event, "anchor", None) is not None:
            raise UserError(f"an anchor or alias (& or *) {where}")
        if getattr(event, "tag", None) is not None:
            raise UserError(f"a tag ({event.tag}) {where}")
        if "${" in getattr(event, "value", ""):
            raise UserError(f"${{...}} {where}")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:  # to read on would take time that grows with the square of the depth
            raise UserError(f"more than {MAX_DEPTH} levels {where}")


def _problem(error: Exception, language: str) -> str:
    """Return the problem of a text that is not valid JSON or YAML."""
    if isinstance(error, UserError):
        return error.problems[0]
    deep = isinstance(error, RecursionError)
    return f"more than {MAX_DEPTH} levels" if deep else f"not {language}: {one_line(error)}"


def _damaged(where: str, problem: str, remedy: str) -> UserError:
    return UserError(f"{where}: damaged ({problem}); {remedy}")
