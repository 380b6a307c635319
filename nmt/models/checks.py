"""Checks of the sizes and shares that a model is built with."""

from __future__ import annotations

from nmt.errors import ParameterError


def require_positive(**sizes: int) -> None:
    """Raise ParameterError for a size that is less than 1."""
    for name, size in sizes.items():
        if size < 1:
            raise ParameterError(name, f"got {size}, expected at least 1")


def require_dropout(**shares: float) -> None:
    """Raise ParameterError for a share of dropped values that is not at least 0 and less than 1."""
    for name, share in shares.items():
        if not 0.0 <= share < 1.0:
            raise ParameterError(name, f"got {share}, expected at least 0 and less than 1")
