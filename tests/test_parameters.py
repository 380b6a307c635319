"""A checked class refuses in plain Python what its annotations refuse in YAML."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import pytest
from torch import nn

from nmt.errors import ParameterError
from nmt.parameters import Form, Fraction, Layers, Range, annotations_of, checked, value_problem


@checked
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


class Wider(Block):
    """A class of one's own without a check of its own."""


@checked
@dataclass(frozen=True)
class Search:
    beam_size: Annotated[int, Range(low=1)] = 5
    alpha: float | None = None
    sizes: tuple[int, ...] = ()
    top: Annotated[int | Literal["auto"] | None, Range(low=1)] = None
    name: Annotated[str | None, Form("[a-z]+", "small letters")] = None


@pytest.mark.parametrize(
    ("construct", "parameter", "words"),
    [
        (lambda: Block(0), "layers", ["0", "at least 1", "at most 256"]),
        (lambda: Block(True), "layers", ["true", "an integer"]),
        (lambda: Block(2.0), "layers", ["2.0", "an integer"]),
        (lambda: Block(layers=257), "layers", ["257"]),
        (lambda: Wider(2, dropout=1.0), "dropout", ["1.0", "less than 1"]),
        (lambda: Block(2, dropout=float("nan")), "dropout", ["nan"]),
        (lambda: Block(2, norm="pree"), "norm", ["pree", "one of pre, post", "did you mean 'pre'"]),
        (lambda: Search(0), "beam_size", ["0", "at least 1"]),
        (lambda: Search(alpha="high"), "alpha", ["high", "a number or null"]),
        (lambda: Search(alpha=float("inf"), beam_size=2.5), "beam_size", ["2.5"]),
        (lambda: Search(sizes=(1, "2")), "sizes", ["an integer"]),
        (lambda: Search(top=0), "top", ["0", "of at least 1"]),
        (lambda: Search(name="A"), "name", ["A", "small letters"]),
    ],
)
def test_a_wrong_value_is_refused_by_the_name_of_its_parameter(construct, parameter, words):
    with pytest.raises(ParameterError) as caught:
        construct()
    assert caught.value.parameter == parameter
    assert all(word in caught.value.problem for word in words), caught.value.problem


def test_fitting_values_and_objects_are_taken_as_they_are():
    inner = nn.Linear(2, 2)
    block = Block(2, dropout=0, norm="post", inner=inner)
    assert (block.layers, block.dropout, block.norm, block.inner) == (2, 0, "post", inner)
    assert Search(3, sizes=(1, 2)) == Search(beam_size=3, sizes=(1, 2))
    for top in (None, "auto", 4):  # a range is one of numbers
        assert Search(top=top).top == top
    assert Search(name="a").name == "a"
    assert value_problem([3, 4], tuple) is None and value_problem(3, tuple) == "got 3, expected a list"


def test_the_annotations_are_those_of_the_constructor_that_runs():
    class Own(Search):
        def __init__(self, depth: Layers) -> None:
            super().__init__(depth)

    class Inherited(Search):
        pass

    assert annotations_of(Own)["depth"] == Layers and "sizes" not in annotations_of(Own)
    assert annotations_of(Inherited) == annotations_of(Search)
