"""The normalization of every text: no hidden hints, Unicode NFC, and one space for each run of white space.

Texts that look the same then have the same pieces: "football" with and without a soft hyphen, a letter and its accent
as one character and as two. A *hint* is a character that nobody sees and that no language needs where it stands, such
as a byte order mark, or a zero-width space between Latin letters. What a script needs stays (`_NEEDED`). NFKC,
SentencePiece's own rule, would go further and replace "½" and "…".

`normalized` is the definition. `rule_table` is the same rule as a table, which SentencePiece compiles into its model.
So every program that loads the model file normalizes texts as the training did. The table differs in two cases. If a
letter has several marks, and Unicode has no single character for all of them, the marks stay unchanged. And a table
cannot look at the script around a character, so characters that some script needs stay.
"""

from __future__ import annotations

import functools
import itertools
import re
import unicodedata
from collections.abc import Iterator

import regex

_nfc = functools.partial(unicodedata.normalize, "NFC")
LAST = 0x2FFFF  # no character after it has a decomposition
SURROGATES = range(0xD800, 0xE000)

# Hyphens, blanks, ligatures and wide letters, and the usual characters that each of them stands for
_SAME = {0x2010: "-", 0x2011: "-", 0x0F0C: "\u0f0b", **dict.fromkeys((0x2800, 0x3164, 0xFFA0), " ")}
_FORMS = (*range(0xFB00, 0xFB07), *range(0xFF10, 0xFF1A), *range(0xFF21, 0xFF3B), *range(0xFF41, 0xFF5B))
_SAME |= {code: unicodedata.normalize("NFKC", chr(code)) for code in _FORMS}
# The characters that nobody sees: those that are hints everywhere, the marks of direction, and those of some scripts
_HINTS = "\u00ad\u17b4\u17b5\u2060-\u2065\u206a-\u206f\ufeff\ufff0-\ufff8"
_DIRECTIONS = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
_UNSEEN = rf"{_HINTS}{_DIRECTIONS}\u034f\u115f\u1160\u180b-\u180f\u200b-\u200d\ufe00-\ufe0f\U000e0000-\U000e0fff"
_SPACES = "".join(chr(code) for code in range(0x3001) if chr(code).isspace() and chr(code) != " ")
_SPECIAL, _RUN = re.compile(f"[{_UNSEEN}{_SPACES}{''.join(map(chr, _SAME))}]"), re.compile(f"[{_UNSEEN}]+")

_RIGHT_TO_LEFT = regex.compile(r"[\p{bc=R}\p{bc=AL}--\p{DI}]", regex.V1)
_UNSPACED = r"[\p{LB=SA}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}]"
# Letters of scripts that join them or build clusters, as Arabic and those of India do. No such script has capitals.
_JOINING = r"[[\p{L}\p{M}]--[\p{LC}\p{Latin}\p{Han}\p{Hangul}\p{Hiragana}\p{Katakana}\p{Common}\p{Inherited}]]"
_NEEDED = regex.compile(  # an unseen character that is needed, between the characters beside it
    rf"""{_UNSPACED}\u200b{_UNSPACED}                                       # separates words of Thai, Khmer ...
    | {_JOINING}[\u034f\u200c]\w | \w[\u034f\u200c]{_JOINING}              # keeps letters apart, as in Persian
    | {_JOINING}\u200d | \u200d{_JOINING}                                  # joins them
    | [\p{{Emoji}}--\p{{ASCII}}]\u200d\p{{ExtPict}} | [#*0-9]\ufe0f\u20e3  # families, keycaps
    | \U0001f3f4[\U000e0020-\U000e007f]                                   # flags of regions
    | [[\p{{Emoji}}\p{{Sm}}\p{{So}}\p{{Han}}{_JOINING}]--\p{{ASCII}}][\u180b-\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef]
    | \p{{HST=L}}\u1160 | \u115f[\p{{HST=V}}\p{{HST=T}}] | \u1160\p{{HST=T}}  # letters of old Korean texts
    """,
    regex.V1 | regex.VERBOSE,
)


def normalized(text: str) -> str:
    """Return `text` without hints, in Unicode NFC, with one space for each run of white space and none at the ends."""
    if text.isascii():
        return " ".join(text.split())
    if _SPECIAL.search(text) or "  " in text or text != text.strip():  # most texts have nothing to change
        text = " ".join(without_hints(text).translate(_SAME).split())
    return _nfc(text)


def without_hints(text: str) -> str:
    """Return `text` without its hints. All that can be seen stays as it is.

    Marks of direction are no hints in a text with letters of a script from right to left, such as Hebrew and Arabic.
    """
    if text.isascii() or not _SPECIAL.search(text):
        return text
    directed = _DIRECTIONS if _RIGHT_TO_LEFT.search(text) else ""

    def needed(run: re.Match[str]) -> str:
        start, end, kept = *run.span(), ""
        before, after = run.string[max(0, start - 1) : start], run.string[end : end + 1]
        for each in run[0]:
            again = kept.endswith(each) and each in "\u200b\u200c\u200d"  # a second one changes nothing
            if not again and (each in directed or _NEEDED.search(f"{before}{each}{after}")):
                kept += each
        return kept

    return _RUN.sub(needed, text)


@functools.cache
def rule_table() -> str:
    """Return the rules for `normalization_rule_tsv` of SentencePiece: in each line a spelling and its replacement.

    Both are code points in hexadecimal. SentencePiece applies the longest rule at each place and drops repeated spaces.
    """
    rules = {chr(code): text for code, text in _SAME.items()}
    rules |= {chr(code): "" for code in range(LAST) if re.match(f"[{_HINTS}]", chr(code))}
    for each in map(chr, range(ord(" "), 0x7F)):  # a zero-width space beside ASCII is a hint, whatever follows
        rules |= {f"{each}\u200b": each, f"\u200b{each}": each}
    rules |= {**dict(_characters()), **dict.fromkeys(_SPACES, " ")}
    return "".join(f"{_codes(spelling)}\t{_codes(text)}\n" for spelling, text in sorted(rules.items()))


def _codes(text: str) -> str:
    return " ".join(f"{ord(character):X}" for character in text)


def _characters() -> Iterator[tuple[str, str]]:
    """Yield each spelling of a character that is not NFC, with its NFC.

    The marks of a spelling are in any order, and none, some or all of them are composed with the first character.
    """
    for character in map(chr, (code for code in range(LAST) if code not in SURROGATES)):
        composed, (first, *marks) = _nfc(character), list(unicodedata.normalize("NFD", character))
        if composed != character:
            yield character, composed
        for order in set(itertools.permutations(marks)) if marks else ():
            spelling = "".join([first, *order])
            if _nfc(spelling) == composed:
                others = (_nfc(spelling[:count]) + spelling[count:] for count in range(1, len(spelling) + 1))
                yield from ((each, composed) for each in others if each != composed)
