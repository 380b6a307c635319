"""Guesses are made only where they are near."""

from __future__ import annotations

import pytest

from nmt.errors import UserError, counted, did_you_mean


@pytest.mark.parametrize(
    ("word", "known"),
    [
        ("modle", "model"),
        ("trnsformer", "transformer"),
        ("sed", "seed"),
        ("tre", "ter"),
        ("chff", "chrf"),
        ("epochs", "max_epochs"),
        ("beam", "beam_size"),
    ],
)
def test_a_near_word_is_guessed(word: str, known: str) -> None:
    assert did_you_mean(word, ["unlike", known]) == f"; did you mean '{known}'?"
    assert did_you_mean(word, [known], prefix="a.") == f"; did you mean 'a.{known}'?"


@pytest.mark.parametrize(
    ("word", "known"), [("kr", "skr"), ("max_parts", "max_ratio"), ("batch_size", "beam_size"), ("kind", "train")]
)
def test_a_far_word_is_not(word: str, known: str) -> None:
    assert did_you_mean(word, [known]) == ""


def test_the_first_part_of_several_words_is_near_to_none() -> None:
    assert did_you_mean("max", ["max_length", "max_ratio"]) == ""


def test_one_thing_is_singular() -> None:
    assert [counted(number, "pair") for number in (0, 1, 2, 1000)] == ["0 pairs", "1 pair", "2 pairs", "1,000 pairs"]


def test_a_mistake_of_several_problems_is_one_line() -> None:
    error = UserError("seed: got -1", "name: got a/b")
    assert (str(error), error.problems) == ("seed: got -1; name: got a/b", ("seed: got -1", "name: got a/b"))
