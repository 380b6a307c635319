"""Sentences as lines of a file, and the digest of such lines."""

from __future__ import annotations

import hashlib
import re

_LINE_BREAKS = re.compile(r"[\r\n]+")


def as_line(text: str) -> str:
    """Return `text` as one line: line breaks become blanks, white space at the end goes, as in sacreBLEU."""
    return _LINE_BREAKS.sub(" ", text).rstrip()


def digest(*texts: str) -> str:
    """Return the SHA-256 of `texts` in this order."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()
