"""Checks of the values that a constructor gets. Each raises ParameterError that names the parameter."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable, Mapping

from nmt.errors import ParameterError, did_you_mean

# More than any machine trains. They stop a mistyped number before it takes the memory or the time of the machine.
MOST_LAYERS, MOST_HEADS, WIDEST, LONGEST = 256, 4_096, 65_536, 1_000_000

_COMPARISONS = {"at least": operator.ge, "more than": operator.gt, "less than": operator.lt, "at most": operator.le}


def require_integer(*, at_least: int, at_most: int | None = None, **values: int) -> None:
    """Raise ParameterError for a value that is not an integer or is outside the limits."""
    _require("an integer", int, values, {"at least": at_least, "at most": at_most})


def require_number(
    *,
    at_least: float | None = None,
    above: float | None = None,
    below: float | None = None,
    at_most: float | None = None,
    **values: float,
) -> None:
    """Raise ParameterError for a value that is not a finite number or is outside the limits."""
    limits = {"at least": at_least, "more than": above, "less than": below, "at most": at_most}
    _require("a number", (int, float), values, limits)


def require_fraction(**values: float) -> None:
    """Raise ParameterError for a value that is not at least 0 and less than 1, as a dropout probability must be."""
    require_number(at_least=0.0, below=1.0, **values)


def require_choice(known: Iterable[str], **choices: str) -> None:
    """Raise ParameterError for a choice that is not one of `known`."""
    known = list(known)
    for name, choice in choices.items():
        if choice not in known:
            near = did_you_mean(str(choice), known)
            raise ParameterError(name, f"got {choice!r}, expected one of {', '.join(known)}{near}")


def _require(
    kind: str, types: type | tuple[type, ...], values: Mapping[str, float], limits: Mapping[str, float | None]
) -> None:
    given = {word: limit for word, limit in limits.items() if limit is not None}
    for name, value in values.items():
        number = isinstance(value, types) and not isinstance(value, bool) and abs(value) < math.inf
        if not number or not all(_COMPARISONS[word](value, limit) for word, limit in given.items()):
            words = " and ".join(f"{word} {limit}" for word, limit in given.items())
            raise ParameterError(name, f"got {value!r}, expected {kind} of {words}")
