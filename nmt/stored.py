"""Checks of what a checkpoint file holds, before it is used: a file from a stranger may hold anything.

Each function describes the first problem that it finds, and returns None if there is none.
"""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor

SCALARS = (str, int, float, bool, type(None))
MOST_VALUES, DEEPEST = 100_000, 50  # of a config, which can contain itself in a file
DTYPES = (
    *(torch.float32, torch.float64, torch.float16, torch.bfloat16),
    *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool),
)


def damage(archive: zipfile.ZipFile) -> str | None:
    """Check the bytes of a file that torch.save wrote.

    torch does not compress. A compressed member is refused, so that a file never needs more memory than its own size.
    """
    for member in archive.infolist():
        if member.compress_type != zipfile.ZIP_STORED or member.file_size != member.compress_size:
            return f"{member.filename} is compressed"
    broken = archive.testzip()
    return None if broken is None else f"{broken} does not match its checksum"


def wrong_types(values: Mapping[str, Any], types: Mapping[str, type]) -> str | None:
    """Check that `values` has the names in `types`, each with a value of exactly that type."""
    for name, kind in types.items():
        if name not in values:
            return f"it has no {name}"
        if type(values[name]) is not kind:
            return f"{name}: got {type(values[name]).__name__}, expected {kind.__name__}"
    return None


def wrong_config(config: Mapping[str, Any]) -> str | None:
    """Check that a config consists of mappings, lists and plain values, and ends somewhere."""
    found: list[tuple[Any, int]] = [(config, 0)]
    count = 0
    while found:
        value, depth = found.pop()
        inside = _inside(value)
        count += len(inside)
        if count > MOST_VALUES or depth > DEEPEST:
            return f"config: got more than {MOST_VALUES:,} values or {DEEPEST} levels"
        if type(value) not in (*SCALARS, dict, list, tuple):
            return f"config: got {type(value).__name__}, expected plain values"
        if type(value) is int and value.bit_length() > 64:
            return f"config: got a number of {value.bit_length()} bits"
        found += [(each, depth + 1) for each in inside]
    return None


def _inside(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return list(value) if isinstance(value, list | tuple) else []


def wrong_weights(weights: Mapping[Any, Any]) -> str | None:
    """Check that every entry is a whole tensor. A small file can describe a huge tensor that repeats one number."""
    for name, value in weights.items():
        if not isinstance(name, str) or not isinstance(value, Tensor):
            return f"state_dict: got {type(value).__name__} as {name!r:.80}, expected a tensor with a name"
        plain = value.layout == torch.strided and value.device.type == "cpu" and value.dtype in DTYPES
        if not plain or value.numel() * value.element_size() > value.untyped_storage().nbytes():
            return f"state_dict: {name:.80} is not stored as a whole tensor of numbers"
    return None


def wrong_shapes(weights: Mapping[str, Tensor], expected: Mapping[str, Tensor]) -> str | None:
    """Check that names and shapes are the `expected` ones."""
    for name, value in expected.items():
        if name not in weights:
            return f"{name} is missing"
        if weights[name].shape != value.shape:
            return f"{name}: got shape {tuple(weights[name].shape)}, expected {tuple(value.shape)}"
    unknown = next((name for name in weights if name not in expected), None)
    return None if unknown is None else f"{unknown:.80} is not a weight of this model"


def non_finite(weights: Mapping[str, Tensor]) -> str | None:
    """Return the name of the first weight that has an infinite value or NaN."""
    return next((name for name, value in weights.items() if not bool(torch.isfinite(value).all())), None)
