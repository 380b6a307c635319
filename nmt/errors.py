"""The one exception for mistakes a user can make and mend."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(ValueError):
    """A mistake in the input: one line that says what, where, got, expected and what to do.

    The programs print it without a traceback and end with exit status 2.
    """


class ParameterError(ValueError):
    """A value that a constructor does not accept.

    `parameter` is the name of the constructor's parameter and `problem` says what it got and what it expects. Whoever
    built the object from a config puts the config's dotted key in front.
    """

    def __init__(self, parameter: str, problem: str) -> None:
        super().__init__(f"{parameter}: {problem}")
        self.parameter = parameter
        self.problem = problem


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `"; did you mean 'x'?"` for the known word nearest to `word`, or an empty string."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean '{near[0]}'?" if near else ""


def one_line(value: object) -> str:
    """Return the text of `value` with every run of white space as one blank."""
    return " ".join(str(value).split())
