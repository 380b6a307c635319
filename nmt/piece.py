"""The label of a token, as pictures and lists show it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Piece:
    """One token as it is shown.

    `label` is readable text: "▁" stands for a space, "</s>" for the end of the sentence, "<9F>" for a byte. Several
    byte tokens can spell one character. Then the first has the character as its label, and `continues` is True for the
    others.
    """

    label: str
    continues: bool = False
