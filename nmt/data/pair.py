"""What a parallel corpus is made of."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SentencePair:
    """A sentence and its translation, as plain text."""

    source: str
    target: str
