"""Checks of the values that a model is built with."""

from __future__ import annotations

from collections.abc import Iterable

from nmt.errors import ParameterError, did_you_mean


def require_positive(**sizes: int) -> None:
    """Raise ParameterError for a size that is less than 1."""
    for name, size in sizes.items():
        if size < 1:
            raise ParameterError(name, f"got {size}, expected at least 1")


def require_dropout(**probabilities: float) -> None:
    """Raise ParameterError for a dropout probability that is not at least 0 and less than 1."""
    for name, p in probabilities.items():
        if not 0.0 <= p < 1.0:
            raise ParameterError(name, f"got {p}, expected at least 0 and less than 1")


def require_choice(known: Iterable[str], **choices: str) -> None:
    """Raise ParameterError for a choice that is not one of `known`."""
    known = list(known)
    for name, choice in choices.items():
        if choice not in known:
            near = did_you_mean(choice, known)
            raise ParameterError(name, f"got '{choice}', expected one of {', '.join(known)}{near}")
