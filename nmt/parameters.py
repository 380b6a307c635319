"""Checks plain values against the annotations of parameters, and describes annotations in words.

Settings and constructors use standard annotations: `int`, `float`, `bool`, `str`, `None`, `Literal["a", "b"]`,
`Annotated[int, Range(low=1)]`, `Annotated[str, Form("[a-z]+", "small letters")]`, and lists, tuples and unions of
these. A mapping fits `dict` and `Mapping`, and an instance fits its class. If the annotation is of another kind or is
missing, every value fits, and the constructor must check it.

Values from YAML are checked before anything is built, by `nmt.config.nodes`.
"""

from __future__ import annotations

import functools
import inspect
import math
import re
import types
import typing
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from typing import Annotated, Any

from nmt.errors import one_line, printable

MAX_SHOWN = 300  # characters of a value in a message


@dataclass(frozen=True, kw_only=True)
class Range:
    """The numbers that a setting accepts: at least `low`, more than `above`, less than `below`, at most `high`."""

    low: float | None = None
    above: float | None = None
    below: float | None = None
    high: float | None = None

    def __contains__(self, value: float) -> bool:
        """Return whether `value` is within the limits. NaN and infinity never are."""
        return (
            math.isfinite(value)
            and (self.low is None or value >= self.low)
            and (self.above is None or value > self.above)
            and (self.below is None or value < self.below)
            and (self.high is None or value <= self.high)
        )

    def __str__(self) -> str:
        if self.low is not None and self.low == self.high:
            return f"exactly {self.low:g} (this version has no other)"
        limits = (("at least", self.low), ("more than", self.above), ("less than", self.below), ("at most", self.high))
        # 1.0 is written as 1: equal annotations are one object in Python, so a limit may be either.
        given = ((words, int(n) if n == int(n) else n) for words, n in limits if n is not None)
        return " and ".join(f"{words} {limit}" for words, limit in given)


@dataclass(frozen=True)
class Form:
    """The texts that a setting accepts: `words`. The complete text must match the regular expression `pattern`."""

    pattern: str
    words: str

    def __contains__(self, value: str) -> bool:
        """Return whether `value` has the form."""
        return re.fullmatch(self.pattern, value) is not None

    def __str__(self) -> str:
        return self.words


PositiveInt = Annotated[int, Range(low=1)]
NonNegativeInt = Annotated[int, Range(low=0)]
NonNegative = Annotated[float, Range(low=0)]
Fraction = Annotated[float, Range(low=0, below=1)]  # as a dropout probability must be
# No machine trains larger models. The limits stop a mistyped number before it takes all memory or time.
Width = Annotated[int, Range(low=1, high=65_536)]
Layers = Annotated[int, Range(low=1, high=256)]
Heads = Annotated[int, Range(low=1, high=4_096)]
Length = Annotated[int, Range(low=1, high=1_000_000)]  # tokens
LanguageCode = Annotated[str, Form(r"[\w-]{1,32}", "at most 32 letters, digits, - and _")]  # a part of file names


class Others:
    """Marks the field of a settings class that collects all keys without a field."""


OtherKeys = Annotated[dict[str, Any], Others]


def options(annotation: Any) -> tuple[Any, ...]:
    """Return the members of a union, or a tuple with the annotation itself."""
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return typing.get_args(annotation)
    return (annotation,)


def value_problem(value: Any, annotation: Any) -> str | None:
    """Return the problem of a value, as in "got 0, expected an integer of at least 1", or None if it fits."""
    if fits(value, annotation):
        return None
    return f"got {shown(value)}, expected {expected(annotation)}"


def fits(value: Any, annotation: Any) -> bool:
    """Return whether a plain value has the annotated type and is within its range."""
    return any(_fits_one(value, option) for option in options(annotation))


def _fits_one(value: Any, option: Any) -> bool:
    origin, arguments = typing.get_origin(option), typing.get_args(option)
    if origin is Annotated:
        kind, *limits = arguments
        return fits(value, kind) and all(value in limit for limit in limits if _concerns(limit, value))
    if origin is typing.Literal:
        return any(value == choice and type(value) is type(choice) for choice in arguments)
    if origin is tuple and isinstance(value, list | tuple):
        if len(arguments) == 2 and arguments[1] is Ellipsis:
            return all(fits(item, arguments[0]) for item in value)
        return len(value) == len(arguments) and all(map(fits, value, arguments))
    if origin in (list, Sequence) and isinstance(value, list | tuple):
        return all(fits(item, arguments[0]) for item in value)
    if origin in (dict, Mapping) and isinstance(value, Mapping):
        return all(fits(item, arguments[1]) for item in value.values())
    if origin in (tuple, list, Sequence, dict, Mapping):
        return False
    if origin is Callable:
        return callable(value)
    if typing.is_typeddict(option):
        return isinstance(value, Mapping)
    if option is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    if option is int:
        return isinstance(value, int) and not isinstance(value, bool) and value.bit_length() < 64  # as in torch
    if option is tuple and isinstance(value, list):  # no config can hold a tuple
        return True
    if inspect.isclass(option) and option not in (inspect.Parameter.empty, typing.Any):
        return issubclass(value, option) if inspect.isclass(value) else isinstance(value, option)
    return True


def _concerns(limit: Any, value: Any) -> bool:
    """Return whether a limit is about this value: null and true, or the text "auto" beside numbers, have no range."""
    if isinstance(limit, Range):
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(limit, Form) and isinstance(value, str)


_WORDS = {
    int: "an integer",
    float: "a number",
    bool: "true or false",
    str: "text",
    dict: "a mapping",
    list: "a list",
    tuple: "a list",
    type(None): "null",
}


def expected(annotation: Any) -> str:
    """Describe the values that an annotation accepts: "an integer or null". No config can hold a tensor."""
    plain = [option for option in options(annotation) if getattr(option, "__name__", "") != "Tensor"]
    return " or ".join(map(_expected_one, plain or options(annotation)))


def _expected_one(option: Any) -> str:
    origin, arguments = typing.get_origin(option), typing.get_args(option)
    if option in _WORDS:
        return _WORDS[option]
    if origin is Annotated:
        kind, *limits = arguments
        return " of ".join([expected(kind), *(str(limit) for limit in limits if isinstance(limit, Range | Form))])
    if origin is typing.Literal:
        return f"{'one of ' * (len(arguments) > 1)}{', '.join(map(str, arguments))}"
    if origin is tuple and Ellipsis not in arguments:
        return f"a list [{', '.join(map(expected, arguments))}]"
    if origin in (tuple, list, Sequence):
        return f"a list (each {expected(arguments[0])})"
    if origin in (dict, Mapping):
        return "a mapping of names to settings" if is_dataclass(arguments[1]) else "a mapping"
    if origin is Callable:
        return "a mapping with _target_"
    if typing.is_typeddict(option) or is_dataclass(option):
        return "a mapping of settings"
    return option.__name__ if inspect.isclass(option) else str(option)


def shown(value: Any) -> str:
    """Return `value` on one line, as it is written in YAML; only the beginning of a long value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    text = value if isinstance(value, str) else one_line(value)
    text = text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}..."
    return printable(f"'{text}'" if isinstance(value, str) else text)


@functools.cache
def annotations_of(kind: type) -> dict[str, Any]:
    """Return the annotations of the parameters of a constructor; those of a dataclass include its bases'.

    There are none if Python cannot read one of them. Often its name is imported only under TYPE_CHECKING.
    """
    owner: Any = next(each for each in kind.__mro__ if "__init__" in vars(each))
    owner = owner if "__dataclass_fields__" in vars(owner) else owner.__init__
    try:
        return typing.get_type_hints(owner, include_extras=True)
    except Exception:  # whatever the text of an annotation raises
        return {}
