"""What the annotations of a constructor accept, and what is said of other values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from torch import nn

from nmt.parameters import Form, Fraction, Layers, Range, annotations_of, value_problem


class Block(nn.Module):
    def __init__(
        self,
        layers: Layers,
        *,
        dropout: Fraction = 0.0,
        norm: Literal["pre", "post"] = "pre",
        inner: nn.Module | None = None,
    ) -> None:
        super().__init__()
        self.layers, self.dropout, self.norm, self.inner = layers, dropout, norm, inner


@dataclass(frozen=True)
class Search:
    beam_size: Annotated[int, Range(low=1)] = 5
    alpha: float | None = None
    sizes: tuple[int, ...] = ()
    top: Annotated[int | Literal["auto"] | None, Range(low=1)] = None
    name: Annotated[str | None, Form("[a-z]+", "small letters")] = None


@pytest.mark.parametrize(
    ("kind", "parameter", "value", "words"),
    [
        (Block, "layers", True, ["true", "an integer"]),
        (Block, "layers", 2.0, ["2.0", "an integer"]),
        (Block, "layers", 257, ["257", "at least 1", "at most 256"]),
        (Block, "dropout", 1.0, ["1.0", "less than 1"]),
        (Block, "dropout", float("nan"), ["nan"]),
        (Block, "norm", "pree", ["pree", "one of pre, post"]),
        (Search, "beam_size", 0, ["0", "at least 1"]),
        (Search, "alpha", "high", ["high", "a number or null"]),
        (Search, "sizes", (1, "2"), ["an integer"]),
        (Search, "top", 0, ["0", "of at least 1"]),
        (Search, "name", "A", ["A", "small letters"]),
    ],
)
def test_a_value_that_does_not_fit_is_told(kind, parameter, value, words):
    problem = value_problem(value, annotations_of(kind)[parameter])
    assert problem is not None and all(word in problem for word in words), problem


def test_values_and_objects_that_fit():
    fitting = {"layers": 2, "dropout": 0, "norm": "post", "inner": nn.Linear(2, 2)}
    assert all(value_problem(value, annotations_of(Block)[name]) is None for name, value in fitting.items())
    others = (("sizes", (1, 2)), ("name", "a"), ("top", None), ("top", "auto"), ("top", 4))  # a range is one of numbers
    assert all(value_problem(value, annotations_of(Search)[name]) is None for name, value in others)
    assert value_problem([3, 4], tuple) is None and value_problem(3, tuple) == "got 3, expected a list"
    assert value_problem(Block, Callable[..., Block]) is None
    assert value_problem("dot", Callable[..., Block]) == "got 'dot', expected a mapping with _target_"
    assert value_problem({"width": 8}, Callable[..., Block]) == "got {'width': 8}, expected a mapping with _target_"
    assert value_problem(7.5, Annotated[float, Range(low=1, high=1)]).endswith("exactly 1 (this version has no other)")


def test_the_annotations_are_those_of_the_constructor_that_runs():
    class Own(Search):
        def __init__(self, depth: Layers) -> None:
            super().__init__(depth)

    class Inherited(Search):
        pass

    assert annotations_of(Own)["depth"] == Layers and "sizes" not in annotations_of(Own)
    assert annotations_of(Inherited) == annotations_of(Search)
