"""Reads plain values into typed ones: settings into a dataclass, the content of a stored file into a TypedDict.

Plain values consist of dicts, lists, text, numbers, true, false and null, as in YAML, JSON or a checkpoint. Anyone may
have sent a file or a checkpoint, so it may hold anything. This module does not import torch, so that a misspelt word on
the command line is reported at once.
"""

from __future__ import annotations

import dataclasses
import json
import typing
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, NotRequired, TypedDict, TypeVar

import yaml

from nmt.errors import UserError, did_you_mean, one_line
from nmt.parameters import Others, Range, expected, fits, options, value_problem
from nmt.system.run_files import require_regular

T = TypeVar("T")

MAX_JSON, MAX_YAML = 16_000_000, 1_000_000  # bytes

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
    epochs: NotRequired[Amount]
    by_chance: NotRequired[bool]
    best_update: NotRequired[Count]
    wall_seconds: Amount
    target_tokens_per_second: Amount


# Values


def read(plain: Any, schema: type[T], path: str = "") -> T:
    """Return the values of `plain` as `schema` says: a dataclass, a TypedDict, or a list or mapping of these.

    A dataclass refuses other keys, unless a field collects them (`OtherKeys`). A TypedDict keeps them. `path` is the
    dotted key of `plain` in the config, empty for the root. Raises UserError for the first value that does not fit.
    """
    return typing.cast(T, _value(plain, schema, path))


def _value(value: Any, hint: Any, where: str) -> Any:
    if typing.get_origin(hint) is NotRequired:
        hint = typing.get_args(hint)[0]
    for option in options(hint):
        if _is_record(option) and isinstance(value, Mapping):
            return _record(value, option, where)
        kind, entry = typing.get_origin(option), (typing.get_args(option) or (None,))[-1]
        if kind is dict and entry is not Any and isinstance(value, dict):
            return {str(key): _value(each, entry, _join(where, key)) for key, each in value.items()}
        if _is_record(entry) and kind is list and isinstance(value, list):
            return [_value(each, entry, _join(where, number)) for number, each in enumerate(value)]
    problem = value_problem(value, hint)
    if problem is None:
        return value
    if isinstance(value, int) and not isinstance(value, bool) and fits(str(value), hint):
        return str(value)  # YAML reads name=7 as a number
    if isinstance(value, bool) and fits("no", hint):
        problem += "; YAML reads a bare no, off, yes or on as false or true: put it in quotes"
    raise UserError(f"{where or 'the content'}: {problem}")


def _is_record(hint: Any) -> bool:
    return dataclasses.is_dataclass(hint) or typing.is_typeddict(hint)


def _record(plain: Mapping[Any, Any], schema: Any, where: str) -> Any:
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
        if others and not collecting:
            key = next(iter(others))
            near = did_you_mean(key, known, prefix=f"{where}." if where else "")
            names = f"; known keys: {', '.join(known)}"
            raise UserError(f"{_join(where, key)}: unknown key{near or names}")
    for name in known:
        key = _join(where, name)
        if name in plain:
            values[name] = _value(plain[name], hints[name], key)
        elif name not in optional:
            raise UserError(f"{key}: missing; expected {expected(hints[name])}")
    return schema(**values)


def _join(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)


# Files


def read_json(path: Path, schema: type[T], *, remedy: str, max_bytes: int = MAX_JSON) -> T:
    """Return the value in a JSON file, as `read` does.

    Raises UserError, which names the file and ends with `remedy`, for a file that cannot be read, is no JSON, is nested
    too deeply, or does not hold what `schema` says.
    """
    with _reading(path, remedy):
        return read(json.loads(_text(path, max_bytes)), schema)


def parse_json(text: str, schema: type[T], *, where: str, remedy: str) -> T:
    """As `read_json`, for the text of a file; `where` names it."""
    with _reading(where, remedy):
        return read(json.loads(text), schema)


def read_yaml(path: Path, schema: type[T], *, remedy: str) -> T:
    """As `read_json`, for the config.yaml of a run."""
    with _reading(path, remedy):
        return read(yaml.safe_load(_text(path, MAX_YAML)), schema)


@contextmanager
def _reading(where: object, remedy: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(f"{where}: cannot be read ({error.strerror}); {remedy}") from error
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise UserError(f"{where}: damaged ({one_line(error)}); {remedy}") from error


def _text(path: Path, most: int) -> str:
    require_regular(path, most)
    return path.read_text("utf-8")
