"""The normalization of every text: Unicode NFC, and one space for each run of white space.

A sentence typed with combining accents or single Hangul letters then has the same pieces as the usual spelling. NFKC,
SentencePiece's own rule, would go further and replace "½" and "…".

`normalized` is the definition. `rule_table` is the same rule as a table, which SentencePiece compiles into its model.
So every program that loads the model file normalizes texts as the training did. The table differs from NFC in one case:
if a letter has several marks, and Unicode has no single character for all of them, the marks stay unchanged.
"""

from __future__ import annotations

import functools
import itertools
import unicodedata
from collections.abc import Iterator

LAST = 0x2FFFF  # no character after it has a decomposition
SURROGATES = range(0xD800, 0xE000)


def normalized(text: str) -> str:
    """Return `text` in Unicode NFC, with one space for each run of white space, and none at both ends."""
    return " ".join(unicodedata.normalize("NFC", text).split())


@functools.cache
def rule_table() -> str:
    """Return the rules for `normalization_rule_tsv` of SentencePiece: in each line a spelling and its replacement.

    Both are code points in hexadecimal. SentencePiece applies the longest rule at each place of a text. It removes
    repeated spaces itself.
    """
    spaces = {chr(code): " " for code in range(LAST) if chr(code).isspace() and chr(code) != " "}
    rules = dict(_characters()) | spaces
    return "".join(f"{_codes(spelling)}\t{_codes(text)}\n" for spelling, text in sorted(rules.items()))


def _codes(text: str) -> str:
    return " ".join(f"{ord(character):X}" for character in text)


def _characters() -> Iterator[tuple[str, str]]:
    """Yield each spelling of a character that is not NFC, with its NFC."""
    for code in range(LAST):
        if code in SURROGATES:
            continue
        character = chr(code)
        composed, (first, *marks) = _nfc(character), list(unicodedata.normalize("NFD", character))
        if composed != character:
            yield character, composed
        for order in set(itertools.permutations(marks)) if marks else ():
            spelling = "".join([first, *order])
            if _nfc(spelling) == composed:
                yield from ((each, composed) for each in _spellings(spelling) if each != composed)


def _spellings(decomposed: str) -> Iterator[str]:
    """Yield the spellings of a character in which none, some or all of its marks are composed with the first."""
    return (_nfc(decomposed[:count]) + decomposed[count:] for count in range(1, len(decomposed) + 1))


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)
