"""Hydra's grammar for values in overrides."""

from __future__ import annotations


def quoted(value: str) -> str:
    """Return `value` quoted for Hydra's grammar, in which a backslash is special only before a quote and at the end."""
    escaped, backslashes = "", 0
    for character in value:
        if character == "'":
            escaped += "\\" * backslashes + "\\"
        backslashes = backslashes + 1 if character == "\\" else 0
        escaped += character
    return f"'{escaped}{chr(92) * backslashes}'"
