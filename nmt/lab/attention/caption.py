"""The texts of a picture of attention: its caption, its legend, and the labels of pieces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from nmt.errors import printable
from nmt.tokens import WORD_MARK

if TYPE_CHECKING:
    from nmt.attention_map import Origin

# kind: title, name of the rows, name of the columns
TEXTS = {
    "cross": ("Attention to the source", "translation", "source"),
    "encoder_self": ("Self-attention of the encoder", "source, from", "source, to"),
    "rollout": ("Attention rollout of the encoder", "source, from", "source, to"),
    "decoder_self": ("Self-attention of the decoder", "translation, being written", "translation, read so far"),
}
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
    byte = min((label for label in labels if BYTE.fullmatch(label)), default=None)
    found = [
        (f"{WORD_MARK}: a space before a word", any(label.startswith(WORD_MARK) for label in labels)),
        (f"{SPACE}: a space alone", any(label.startswith(SPACE) for label in labels)),
        (f"{byte}: one byte of a character", byte is not None),
        ("<s>: start of the sentence", "<s>" in labels),
        ("</s>: end of the sentence", "</s>" in labels),
    ]
    return "    ".join(text for text, present in found if present)


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
