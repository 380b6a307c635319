"""Reads a plain config into the dataclasses of `nmt.config.settings`, and checks keys, types, ranges and conflicts.

A plain config consists of dicts, lists, text, numbers, true, false and null, as in YAML or a checkpoint. This module
does not import torch, so that a misspelt word on the command line is reported at once.
"""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, TypeVar

from nmt.config.settings import TrainConfig, TrainerConfig
from nmt.errors import UserError, did_you_mean
from nmt.parameters import Others, expected, fits, near_choice, options, shown

T = TypeVar("T")

MISSING = "???"
DEEPEST = 20

MODEL_KEYS = ("encoder", "decoder", "attention", "positions", "tie_embeddings")

_TIME = re.compile(r"\d{1,3}:\d{2}:\d{2}:\d{2}")
_PACKAGE = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_NAME = re.compile(r"[\w][\w.+-]*")


def validate(plain: Mapping[str, Any]) -> TrainConfig:
    """Return the typed settings of a training run.

    Raises one UserError with all problems: unknown, missing or misspelt keys, values of the wrong type or out of range,
    and settings that contradict each other.
    """
    config = read(plain, TrainConfig)
    problems = list(_contradictions(config))
    if problems:
        raise UserError(*problems)
    return config


def read(plain: Mapping[str, Any], schema: type[T], path: str = "") -> T:
    """Return an instance of the dataclass `schema` with the values of `plain`.

    `path` is the dotted key of `plain` in the config, empty for the root. Raises one UserError with the problems of all
    fields.
    """
    problems: list[str] = []
    value = _read(plain, schema, path, problems)
    if problems:
        raise UserError(*problems)
    return typing.cast(T, value)


def _read(plain: Any, schema: Any, path: str, problems: list[str]) -> Any:
    if not isinstance(plain, Mapping):
        problems.append(f"{path or 'the config'}: got {shown(plain)}, expected a mapping of settings")
        return None
    hints = typing.get_type_hints(schema, include_extras=True)
    collecting = [name for name, hint in hints.items() if Others in getattr(hint, "__metadata__", ())]
    fields = {field.name: field for field in dataclasses.fields(schema) if field.name not in collecting}
    unknown = {str(key): value for key, value in plain.items() if key not in fields}
    if not collecting:
        problems += [f"{_join(path, key)}: unknown key{_near(key, fields, path)}" for key in unknown]
    values: dict[str, Any] = dict.fromkeys(collecting, unknown)
    for name, field in fields.items():
        where = _join(path, name)
        if name in plain:
            values[name] = _field(plain[name], hints[name], where, problems)
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            problems.append(f"{where}: missing; expected {expected_of(hints[name])}")
    return None if problems else schema(**values)


def _field(value: Any, hint: Any, where: str, problems: list[str]) -> Any:
    """Return the value of one field. Append a message to `problems` if the value does not fit."""
    if dataclasses.is_dataclass(hint):
        return _read(value, hint, where, problems)
    entry = _entry(hint)
    if entry is not None and isinstance(value, Mapping):
        return {str(key): _read(value[key], entry, _join(where, key), problems) for key in value}
    if value == MISSING:
        problems.append(f"{where}: not given; set {where}=... ({expected_of(hint)})")
    elif isinstance(value, int) and not isinstance(value, bool) and not fits(value, hint) and fits(str(value), hint):
        return str(value)  # YAML reads name=7 as a number
    elif not fits(value, hint):
        remedy = near_choice(value, hint) or _quotes(value, hint) or _brackets(value, hint, where)
        problems.append(f"{where}: got {shown(value)}, expected {expected_of(hint)}{remedy}")
    return value


def _entry(hint: Any) -> Any:
    """Return the settings class of the entries of a mapping, or None for another annotation."""
    kinds = [typing.get_args(option)[1] for option in options(hint) if typing.get_origin(option) is dict]
    return next(filter(dataclasses.is_dataclass, kinds), None)


def expected_of(hint: Any) -> str:
    """Describe the values that a field accepts: "an integer of at least 1 or null"."""
    if dataclasses.is_dataclass(hint) or typing.get_origin(hint) is dict:
        return "a mapping of settings"
    if _entry(hint) is not None:
        return "a mapping of names to settings, or null"
    return expected(hint)


def _quotes(value: Any, hint: Any) -> str:
    if isinstance(value, bool) and fits("no", hint):
        return "; YAML reads a bare no, off, yes or on as false or true: put it in quotes"
    return ""


def _brackets(value: Any, hint: Any, where: str) -> str:
    return f", as in {where}=[{value}]" if fits([value], hint) else ""


def _near(key: str, known: Iterable[str], path: str) -> str:
    near = did_you_mean(key, known, prefix=f"{path}." if path else "")
    return near or f"; known keys: {', '.join(known)}"


def _join(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)


def check_plain(plain: Mapping[str, Any]) -> None:
    """Raise UserError for values that no setting has: integers of more than 64 bits, `${`, and endless nesting.

    A resolved config has no interpolations. config.yaml is read as it is, so one that is written there would be text.
    """
    problems = list(_strange(plain, "", 0))
    if problems:
        raise UserError(*problems)


def _strange(value: Any, path: str, depth: int) -> Iterator[str]:
    if isinstance(value, Mapping | list) and depth == DEEPEST:
        yield f"{path[:80]}...: got more than {DEEPEST} levels of settings; write fewer"
    elif isinstance(value, Mapping):
        for key, inside in value.items():
            yield from _strange(inside, _join(path, key), depth + 1)
    elif isinstance(value, list):
        for inside in value:
            yield from _strange(inside, path, depth + 1)
    elif isinstance(value, int) and value.bit_length() > 64:
        yield f"{path}: got an integer of {value.bit_length()} bits, expected at most 64"
    elif isinstance(value, str) and "${" in value:
        yield f"{path}: got {shown(value)}, expected a value without ${{...}}; write the value itself"


# Contradictions between settings


def _contradictions(config: TrainConfig) -> Iterator[str]:
    if not _NAME.fullmatch(config.name):
        yield f"name: got {shown(config.name)}, expected only letters, digits and _ . + - (it names the run's folder)"
    for package in config.allow:
        if not _PACKAGE.fullmatch(package):
            yield f"allow: got {shown(package)}, expected names of Python packages, as in allow=[my_package]"
    if config.data.both_directions and not config.tokenizer.joint:
        yield (
            "data.both_directions: got true with tokenizer.joint=false, expected a joint vocabulary, as each "
            "language is on both sides; use tokenizer.joint=true"
        )
    yield from _trainer(config.trainer)
    if config.optimizer.get("fused") and config.trainer.precision == "16-mixed":
        yield (
            "optimizer.fused: got true with trainer.precision=16-mixed, whose gradients a fused optimizer cannot clip; "
            "use optimizer.fused=false, or trainer.precision=bf16-mixed"
        )
    for key in config.model:
        if key not in MODEL_KEYS:
            yield f"model.{key}: unknown key{_near(key, MODEL_KEYS, 'model')}"
    sides = [side for side in (config.model.get("encoder"), config.model.get("decoder")) if isinstance(side, Mapping)]
    for key, models in (("attention", "rnn or model=hybrid"), ("positions", "transformer or model=hybrid")):
        if config.model.get(key) is not None and not any(key in side for side in sides):
            yield f"model.{key}: this model has no {key}; use it with model={models}"
    for key in ("encoder", "decoder", "tie_embeddings"):
        if key not in config.model:
            yield f"model.{key}: missing; a model has encoder, decoder and tie_embeddings"


def _trainer(trainer: TrainerConfig) -> Iterator[str]:
    if trainer.max_time is not None and not _TIME.fullmatch(trainer.max_time):
        yield f"trainer.max_time: got {shown(trainer.max_time)}, expected DD:HH:MM:SS; three minutes are 00:00:03:00"
    if trainer.max_steps == 0:
        yield "trainer.max_steps: got 0, expected at least 1, or -1 for no limit"
    interval, epochs = trainer.val_check_interval, trainer.check_val_every_n_epoch
    if interval is not None and epochs not in (None, 1):
        yield (
            f"trainer.val_check_interval: got {shown(interval)} beside trainer.check_val_every_n_epoch={epochs}, which "
            f"leaves out the other epochs; add trainer.check_val_every_n_epoch=null, or set val_check_interval to null"
        )
    if trainer.devices == []:
        yield "trainer.devices: got [], expected the index of at least one device, as in [0]"
