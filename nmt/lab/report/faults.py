"""Faults of single translations that can be seen without knowing the language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from nmt.data.normalization import normalized

# A space is put before the first word, so that "ha ha ha" has " ha" three times.
_LOOP = re.compile(r"(.{2,40}?)\1{2,}", re.DOTALL)
SHORT, LONG = 0.5, 2.0  # times the length of the reference in characters

FAULTS: Mapping[str, str] = {
    "empty": "no text, although the source has some",
    "copied": "the same text as the source, although the reference differs from it",
    "repeating": "a text three times in a row, although the reference repeats nothing",
    "too_short": "less than half as long as the reference",
    "too_long": "more than twice as long as the reference",
}


def faults(source: str, reference: str, hypothesis: str) -> list[str]:
    """Return the names of the faults of `hypothesis`, in the order of `FAULTS`, which explains them.

    Lengths are in characters. An empty translation has no other fault. No fault is found in the translation of an empty
    source.
    """
    if not source.strip():
        return []
    if not hypothesis.strip():
        return ["empty"]
    length = len(hypothesis.strip()) / max(1, len(reference.strip()))
    found = {
        "copied": normalized(hypothesis) == normalized(source) != normalized(reference),
        "repeating": repeats(hypothesis) and not repeats(reference),
        "too_short": length < SHORT,
        "too_long": length > LONG,
    }
    return [name for name, has in found.items() if has]


def shares(sources: Iterable[str], references: Iterable[str], hypotheses: Iterable[str]) -> dict[str, float]:
    """Return for each fault the share of the translations that have it, from 0 to 1. There is at least one."""
    found = [faults(*texts) for texts in zip(sources, references, hypotheses, strict=True)]
    return {name: sum(name in each for each in found) / len(found) for name in FAULTS}


def repeats(text: str) -> bool:
    """Return whether a text of 2 to 40 characters occurs three times in a row: " no no no", "하하하하하하"."""
    return any(re.search(r"\w", match[1]) for match in _LOOP.finditer(f" {text}"))
