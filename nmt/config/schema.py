"""Reads a plain config into the dataclasses of `nmt.config.settings`, and checks keys, types, ranges and conflicts.

Plain means dicts, lists, text, numbers, true, false and null: what YAML or a checkpoint holds. Nothing here imports
torch, so that a misspelt word on the command line is answered at once.
"""

from __future__ import annotations

import dataclasses
import re
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from nmt.config.settings import BLEU_TOKENIZERS, DataConfig, TrainConfig, TrainerConfig
from nmt.config.typed import expected, fits, options, shown
from nmt.errors import UserError, did_you_mean

T = TypeVar("T")

MISSING = "???"

ACCELERATORS = ("auto", "cpu", "gpu", "cuda", "mps", "tpu")
PRECISIONS = ("32-true", "bf16-mixed", "16-mixed")
MODEL_KEYS = ("encoder", "decoder", "attention", "tie_embeddings")

_TIME = re.compile(r"\d{1,3}:\d{2}:\d{2}:\d{2}")
_NAME = re.compile(r"[\w][\w.+-]*")


def validate(plain: Mapping[str, Any]) -> TrainConfig:
    """Return the typed settings of a training run.

    Raises UserError once, with every problem: unknown, missing and misspelt keys, values of the wrong type, out of
    range or not among the choices, and settings that contradict each other.
    """
    config = read(plain, TrainConfig)
    problems = list(_contradictions(config))
    if problems:
        raise UserError("; ".join(problems))
    return config


def read(plain: Mapping[str, Any], schema: type[T], path: str = "") -> T:
    """Return the dataclass `schema` filled from `plain`; `path` is the dotted key of `plain`, empty for the root.

    Raises UserError once, with every problem that a single field can have.
    """
    problems: list[str] = []
    value = _read(plain, schema, path, problems)
    if problems:
        raise UserError("; ".join(problems))
    return typing.cast(T, value)


def _read(plain: Any, schema: Any, path: str, problems: list[str]) -> Any:
    if not isinstance(plain, Mapping):
        problems.append(f"{path or 'the config'}: got {shown(plain)}, expected a mapping of settings")
        return None
    hints = typing.get_type_hints(schema)
    fields = {field.name: field for field in dataclasses.fields(schema)}
    for key in plain:
        if key not in fields:
            problems.append(f"{_join(path, key)}: unknown key{_near(str(key), fields, path)}")
    values = {}
    for name, field in fields.items():
        where = _join(path, name)
        if name in plain:
            values[name] = _field(plain[name], hints[name], field.metadata, where, problems)
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            problems.append(f"{where}: missing; expected {expected_of(hints[name], field.metadata)}")
    return None if problems else schema(**values)


def _field(value: Any, hint: Any, metadata: Mapping[str, Any], where: str, problems: list[str]) -> Any:
    """Return the value of one field, adding to `problems` what is wrong with it."""
    if dataclasses.is_dataclass(hint):
        return _read(value, hint, where, problems)
    if value == MISSING:
        problems.append(f"{where}: not given; set {where}=... ({expected_of(hint, metadata)})")
    elif isinstance(value, int) and not isinstance(value, bool) and str in options(hint) and not fits(value, hint):
        return str(value)  # a run named 7 and precision=32 are clear enough
    elif not fits(value, hint):
        problems.append(f"{where}: got {shown(value)}, expected {expected_of(hint, metadata)}{_quotes(value, hint)}")
    elif "choices" in metadata and value not in metadata["choices"]:
        near = did_you_mean(str(value), metadata["choices"])
        problems.append(f"{where}: got {shown(value)}, expected {expected_of(hint, metadata)}{near}")
    elif isinstance(value, int | float) and not _in_range(value, metadata):
        problems.append(f"{where}: got {shown(value)}, expected {expected_of(hint, metadata)}")
    return value


def _in_range(value: float, metadata: Mapping[str, Any]) -> bool:
    """Tell whether a number is within a field's limits; NaN never is."""
    low, high, above = (metadata.get(limit) for limit in ("low", "high", "above"))
    return (
        value == value
        and (low is None or value >= low)
        and (high is None or value <= high)
        and (above is None or value > above)
    )


def expected_of(hint: Any, metadata: Mapping[str, Any]) -> str:
    """Return the words for what a field takes: "an integer of at least 1 or null"."""
    if dataclasses.is_dataclass(hint) or typing.get_origin(hint) is dict:
        return "a mapping of settings"
    if "choices" in metadata:
        return f"one of {', '.join(metadata['choices'])}"
    low, high, above = (metadata.get(limit) for limit in ("low", "high", "above"))
    limits = [
        *([f"at least {low}"] if low is not None else []),
        *([f"more than {above}"] if above is not None else []),
        *([f"at most {high}"] if high is not None else []),
    ]
    words = expected(hint)
    if not limits:
        return words
    kind, null, _ = words.partition(" or null")
    return f"{kind} of {' and '.join(limits)}{null}"


def _quotes(value: Any, hint: Any) -> str:
    if isinstance(value, bool) and str in options(hint):
        return "; YAML reads a bare no, off, yes or on as false or true: put it in quotes"
    return ""


def _near(key: str, known: Iterable[str], path: str) -> str:
    near = did_you_mean(key, known)
    return near.replace("mean '", f"mean '{path}.") if near and path else near or f"; there is {', '.join(known)}"


def _join(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)


# What fits together


def _contradictions(config: TrainConfig) -> Iterator[str]:
    if not _NAME.fullmatch(config.name):
        yield f"name: got {shown(config.name)}, expected letters, digits and _ . + - only: it names the run's folder"
    if config.bleu_tokenize is not None:
        yield from _one_of("bleu_tokenize", config.bleu_tokenize, BLEU_TOKENIZERS)
    yield from _data(config.data)
    yield from _trainer(config.trainer)
    if config.optimizer.get("fused") and config.trainer.precision == "16-mixed":
        yield (
            "optimizer.fused: got true with trainer.precision=16-mixed, whose scaled gradients it cannot clip; "
            "use optimizer.fused=false, or trainer.precision=bf16-mixed"
        )
    for key in config.model:
        if key not in MODEL_KEYS:
            yield f"model.{key}: unknown key{_near(key, MODEL_KEYS, 'model')}"
    decoder = config.model.get("decoder")
    if config.model.get("attention") is not None and isinstance(decoder, Mapping) and "attention" not in decoder:
        yield "model.attention: this decoder takes none; it goes with model=rnn or model=hybrid"
    for key in ("encoder", "decoder", "tie_embeddings"):
        if key not in config.model:
            yield f"model.{key}: missing; a model has encoder, decoder and tie_embeddings"


def _data(data: DataConfig) -> Iterator[str]:
    if data.source_lang == data.target_lang:
        yield f"data.target_lang: got {shown(data.target_lang)}, which is data.source_lang too; they must differ"
    if data.kind == "hub" and data.path is None and data.train is None and data.name is None:
        yield "data.name: not given; name a data set of the Hub (data.name=...), or local files (data.path=FOLDER)"


def _trainer(trainer: TrainerConfig) -> Iterator[str]:
    if trainer.max_time is not None and not _TIME.fullmatch(trainer.max_time):
        yield f"trainer.max_time: got {shown(trainer.max_time)}, expected DD:HH:MM:SS, as in 00:00:40:00 (40 minutes)"
    if trainer.max_steps == 0:
        yield "trainer.max_steps: got 0, expected at least 1, or -1 for no limit"
    if trainer.max_epochs is None and trainer.max_steps == -1 and trainer.max_time is None:
        yield "trainer: the run has no end; set one of trainer.max_epochs, trainer.max_steps and trainer.max_time"
    yield from _one_of("trainer.accelerator", trainer.accelerator, ACCELERATORS)
    yield from _one_of("trainer.precision", trainer.precision, PRECISIONS)
    yield from _checked("trainer.devices", trainer.devices, _is_devices, "a number of at least 1, auto, or a list")
    if trainer.check_val_every_n_epoch is None and not _is_count(trainer.val_check_interval):
        yield "trainer.check_val_every_n_epoch: got null, expected trainer.val_check_interval=BATCHES beside it"
    interval = "a number of batches, a share of an epoch above 0 and at most 1.0, or null"
    yield from _checked("trainer.val_check_interval", trainer.val_check_interval, _is_interval, interval)


def _one_of(where: str, value: str, known: tuple[str, ...]) -> Iterator[str]:
    if value not in known:
        yield f"{where}: got {shown(value)}, expected one of {', '.join(known)}{did_you_mean(value, known)}"


def _checked(where: str, value: Any, good: Callable[[Any], bool], words: str) -> Iterator[str]:
    if not good(value):
        yield f"{where}: got {shown(value)}, expected {words}"


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_devices(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(isinstance(item, int) and item >= 0 for item in value)
    return _is_count(value) or value in ("auto", -1)


def _is_interval(value: Any) -> bool:
    return value is None or _is_count(value) or (isinstance(value, float) and 0.0 < value <= 1.0)
