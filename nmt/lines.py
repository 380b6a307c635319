"""Sentences as lines of a file, and the digest of such lines."""

from __future__ import annotations

import hashlib
import re

_LINE_BREAKS = re.compile(r"[\r\n]+")


def as_line(text: str) -> str:
    """Return `text` on one line: line breaks become spaces, and white space at the end is removed, as in sacreBLEU."""
    return _LINE_BREAKS.sub(" ", text).rstrip()


def digest(*texts: str) -> str:
    """Return the SHA-256 of `texts` in this order, in hexadecimal."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
