"""The texts of a picture of attention: its caption, its legend, and the labels of pieces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from nmt.errors import printable
from nmt.page import words
from nmt.tokens import WORD_MARK

if TYPE_CHECKING:
    from nmt.attention_map import Origin

_WORDS = words("en")
TEXTS: dict[str, list[str]] = _WORDS["kinds"]  # kind: title, name of the rows, name of the columns
SPACE = "␣"  # a word mark alone would look like a line under an empty label
BYTE = re.compile("<[0-9A-F]{2}>")
MAX_LABEL = 26  # characters


def shown(label: str) -> str:
    """Return the label of a piece as pictures show it."""
    label = printable(label.replace(WORD_MARK, SPACE) if not label.strip(WORD_MARK) else label)
    return label if len(label) <= MAX_LABEL else label[: MAX_LABEL - 1] + "…"


def legend(labels: Iterable[str]) -> str:
    """Return an explanation of the marks in the shown labels; empty if there are none."""
    labels = set(labels)
    found = {label: label for label in labels & {"<s>", "</s>"}}
    found |= {label[0]: label[0] for label in labels if label.startswith((WORD_MARK, SPACE))}
    if bytes_of := list(filter(BYTE.fullmatch, labels)):
        found["byte"] = min(bytes_of)
    return "    ".join(f"{found[name]}: {text}" for name, text in _WORDS["marks"].items() if name in found)


def details(origin: Origin) -> str:
    """Return model, update and score in one line, as far as they are known."""
    return ", ".join(_details(origin))


def _details(origin: Origin) -> Iterator[str]:
    if origin.model is not None:
        yield printable(origin.model)
    if origin.update is not None:
        yield f"update {origin.update:,}"
    if origin.score is not None:
        yield f"score {origin.score:.2f}"
    if origin.log_prob is not None:
        yield f"log P {origin.log_prob:.2f}"
