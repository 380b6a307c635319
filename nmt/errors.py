"""The one exception for mistakes a user can make and mend."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class UserError(ValueError):
    """A mistake in the input: one line that says what, where, got, expected and what to do.

    The programs print it without a traceback and end with exit status 2.
    """


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return `"; did you mean 'x'?"` for the known word nearest to `word`, or an empty string."""
    near = difflib.get_close_matches(word, list(known), n=1, cutoff=0.6)
    return f"; did you mean '{near[0]}'?" if near else ""


def one_line(value: object) -> str:
    """Return the text of `value` with every run of white space as one blank."""
    return " ".join(str(value).split())
