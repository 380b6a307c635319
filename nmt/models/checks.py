"""Checks of what a config gives a model; each message begins with the parameter, so that its key can be named."""

from __future__ import annotations


def require_positive(**sizes: int) -> None:
    """Raise ValueError for a size that is less than 1."""
    for name, size in sizes.items():
        if size < 1:
            raise ValueError(f"{name}: got {size}, expected at least 1")


def require_dropout(**shares: float) -> None:
    """Raise ValueError for a share of dropped values that is not at least 0 and less than 1."""
    for name, share in shares.items():
        if not 0.0 <= share < 1.0:
            raise ValueError(f"{name}: got {share}, expected at least 0 and less than 1")
