"""Accelerators: the letters that are underlined in menus, as the texts of programs mark them.

"_" (GTK) or "&" (Qt) stands before the letter: _File, E_xit; or before a letter in parentheses where the language's
script has no such letter: 파일(_F).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

MARKS = "_&"
_WITHOUT_LATIN = "[\uac00-\ud7a3\u3040-\u30ff\u4e00-\u9fff\u0e00-\u0e7f]"  # Hangul, Kana, Han, Thai


def marks_of(texts: Iterable[str]) -> str:
    """Return the marks of accelerators in a catalogue, "_" or "&" or both: it has a text such as "_File" or "파일(&F)".

    In other catalogues these characters are parts of names, such as "pg_dump" and "LC_ALL".
    """
    texts = [unicodedata.normalize("NFC", text) for text in texts]
    return "".join(mark for mark in MARKS if any(_is_marked(text, mark) for text in texts))


def _is_marked(text: str, mark: str) -> bool:
    """Return whether a whole text has the form of "_File" or of "파일(_F)"."""
    return bool(re.fullmatch(rf"{mark}[A-Z][a-z]+\W*|.*{_WITHOUT_LATIN}\s?\({mark}[A-Z]\)\W*", text))


def without_accelerators(text: str, translation: str, mark: str) -> tuple[str, str]:
    """Return a text and its translation without the mark, if it is the only one in its text and stands before a word.

    A mark inside a word ("E_xit") is removed only if the other text has a mark too, and in a different word.
    Otherwise it belongs to a name that both texts have.
    """
    texts = [_without_parentheses(each, mark) for each in (text, translation)]
    words = [re.findall(rf"\S*{mark}\w\S*", each) for each in (text, translation)]
    inside = all(len(found) == 1 for found in words) and words[0] != words[1]
    inside = inside and not re.search(rf"\w{mark}[A-Z]", text)  # Page_Up, a name
    pattern = _before_letter(mark) if inside else _before_word(mark)
    cleaned = [re.sub(pattern, "", each) if _is_single(each, mark) else each for each in texts]
    return cleaned[0], cleaned[1]


def _without_parentheses(text: str, mark: str) -> str:
    return re.sub(rf"\s?\({mark}\w\)", "", text)


def _before_word(mark: str) -> str:
    return rf"(?<![^\s(\"'“«]){_before_letter(mark)}(?=[^\W\d_]+(?![\w(]))"


def _before_letter(mark: str) -> str:
    """Return the pattern of a mark before a letter or digit, but not of the "&" of an entity, as in "&amp;"."""
    return rf"{mark}(?=\w)(?!\w+;)"


def _is_single(text: str, mark: str) -> bool:
    return len(re.findall(_before_letter(mark), text)) == 1
