"""The words in which two texts differ."""

from __future__ import annotations

from collections.abc import Sequence
from difflib import SequenceMatcher
from typing import Any

import regex

from nmt.attention_map import UNSPACED

# A word is a run of letters and digits, a single other character, or a character of a script without spaces.
_UNSPACED = "".join(f"{chr(low)}-{chr(high)}" for low, high in UNSPACED)
_WORD = regex.compile(rf"(?V1)[{_UNSPACED}]\p{{M}}*|[\w--[{_UNSPACED}]]+|[^\s\w]")

Part = tuple[str, bool]  # a text, and whether it differs


def differing(one: str, other: str) -> tuple[list[Part], list[Part]]:
    """Return both texts as parts that alternate between equal and different words.

    The parts of a text give the text again. In scripts without spaces between words, each character is a word.
    """
    ones, others = (list(_WORD.finditer(text)) for text in (one, other))
    matcher = SequenceMatcher(None, [word[0] for word in ones], [word[0] for word in others], autojunk=False)
    changes = [code for code in matcher.get_opcodes() if code[0] != "equal"]
    return (
        _parts(one, [ones[first:last] for _, first, last, _, _ in changes]),
        _parts(other, [others[first:last] for _, _, _, first, last in changes]),
    )


def _parts(text: str, changes: Sequence[Sequence[Any]]) -> list[Part]:
    """Return the parts of a text, in which the words (matches of a pattern) of each change differ."""
    parts, done = [], 0
    for words in changes:
        if words:
            start, end = words[0].start(), words[-1].end()
            parts += [(text[done:start], False), (text[start:end], True)]
            done = end
    parts.append((text[done:], False))
    return [part for part in parts if part[0]]
