"""Intermediate results of a model, noted by name while someone records them.

A module writes `scores = note(self, "scores", query @ keys, "BQS")`. This returns the scores, and outside of `record`
it does nothing else. The last argument names the axes: B sentences, H heads, Q queries, S tokens that can be read, and
any other letter for the components of a vector. H is left out by an attention with one head.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from torch import Tensor, nn

Value = TypeVar("Value", Tensor, float, Tensor | float)


@dataclass(frozen=True, eq=False)
class Note:
    """An intermediate result: the module that noted it (None: a function), its name, its value and the value's axes."""

    owner: nn.Module | None
    name: str
    value: Tensor | float
    axes: str


_notes: list[Note] | None = None


def note(owner: nn.Module | None, name: str, value: Value, axes: str) -> Value:
    """Return `value`, after it was noted if someone records."""
    if _notes is not None:
        _notes.append(Note(owner, name, value, axes))
    return value


def recording() -> bool:
    """Return whether someone records: for a note of something that the model itself does not need."""
    return _notes is not None


@contextmanager
def record() -> Iterator[list[Note]]:
    """Record the notes of all models in the block, in their order."""
    global _notes
    before, _notes = _notes, []
    try:
        yield _notes
    finally:
        _notes = before
