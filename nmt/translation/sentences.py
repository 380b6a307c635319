"""Splits a text into sentences.

The rule is the same for all languages. It uses the Unicode properties of characters and ideas of Unicode Standard Annex
29:

- A sentence ends after terminal marks (. ! ? and those of other scripts, and "…") and the closing quotes and brackets
  after them, if white space and no lowercase letter follow.
- A full stop after a single letter or after a number of one or two digits does not end a sentence: "J. Kim", "z. B.",
  "3. Mai". Nor does one after a year before a month: "2026. 5. 3.". But it does before a word that begins sentences:
  "It is 5. The", "in the U.S. She", unless the sentence begins with the number: "3. The".
- A full stop of an abbreviation does not end a sentence: "Dr. Kim", "No. 5". `abbreviations.py` lists them.
- An ellipsis after a word and white space does not end a sentence: "the ... button".
- A wide mark, as in Chinese and Japanese, needs no white space after it. Nor does one between Korean sentences.
- `korean.py` lists polite verbs, which end a sentence without a mark ("시작합니다 늦지 마세요"), and particles, which
  begin none ("가자!" 라고).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import pairwise

import regex

from nmt.spans import MARK, WIDE
from nmt.terms import in_nfc
from nmt.translation import korean
from nmt.translation.abbreviations import BEFORE_NUMBERS, STARTERS, WITHIN

_DECIMAL = r"(?<=\p{N})[\uff0e\uff0c\uff1a](?=\p{N})"  # a wide full stop, comma or colon inside a number
# Brackets and quotes. Marks of direction may stand among them, and French has a space before »
_CLOSING = r"""(?:[\p{Close_Punctuation}\p{Final_Punctuation}"'\u200e\u200f]|[\ \u00a0\u202f]»(?=[\s.,;:!?]|\Z))*+"""
# A single letter and its accents, as in "د." and "พ.ศ.". With a vowel sign of its own script it is a word, as "है.".
_LETTER = r"[\p{L}--[\p{Hangul}\p{Han}\p{Hiragana}\p{Katakana}]] [\p{M}&&\p{sc=Inherited}]*+"
_LETTER_OR_NUMBER = rf"{_LETTER} | (?<! \d[,:] ) \d{{1,2}}"
# The same inside a sentence. Its full stop ends the sentence if a word follows that begins sentences.
_LAST_WORD = rf"""
    [^\s\p{{Sentence_Terminal}}…] \s? (?: \p{{Lu}} | \d{{1,2}} )
    | \p{{Lu}}\.\p{{Lu}} | \b[ap]\.m | \d\.\d{{1,2}} | \b(?:{BEFORE_NUMBERS})\.\s?\d{{1,2}}
"""
_LABEL = rf"(?: ^ | [\p{{Sentence_Terminal}}…]\s ) {korean.LABEL}"
_STOP = rf"""
    (?:
      (?<! \b (?: {_LETTER_OR_NUMBER} | {WITHIN} ) | {_LABEL} )
      | (?<= {_LAST_WORD} ) (?= \. {_CLOSING} \s++ (?: {STARTERS} ) [\s\p{{Pf}},'] )
    )
    \. (?!\.) (?! (?= \s+ [\d(\[] ) (?<= \b (?: {BEFORE_NUMBERS} ) \. ) ) (?! (?<= \b \d{{4}}\. ) \s* \d{{1,2}}\. )
    (?! (?<= & \s? Co\. ) \s+ (?:KG|OHG)\b )
"""
_QUOTED = r"(?<= [」』] ) (?: と[\p{Han}い、] | って )"  # in 「はい。」と言った, the sentence goes on
_ELLIPSIS = rf"(?<! [^\s\p{{Sentence_Terminal}}…]\s | {korean.UNFINISHED} ) (?: \.\.++ | … )"
# Georgian sentences begin with small letters. So do Korean ones with a foreign word: "한다. npm을 ..."
_SMALL = rf"""(?<! {korean.LAST_SYLLABLE} [.!?]+ [\p{{Pe}}\p{{Pf}}"']* \s+ ) [\p{{Ll}}--\p{{Georgian}}]"""
_GOES_ON = rf"""\s++ (?: {_SMALL} | {korean.PARTICLE} | (?<= [\p{{Pf}}"']\s+ ) {korean.AFTER_QUOTE} )"""
_END = regex.compile(
    rf"""
    (?! {_DECIMAL} ) [\p{{Sentence_Terminal}}&&{WIDE}]++ {_CLOSING} (?! {_QUOTED} )
    | (?<! [\p{{Sentence_Terminal}}…] )  # from the first mark only: long runs of marks take no longer
      (?: {_STOP} | {_ELLIPSIS} | (?![.…]) \p{{Sentence_Terminal}} )++
      (?:
        {_CLOSING} \p{{Pi}}?+ (?=\s) (?! {_GOES_ON} )  # a German quotation ends with a mark of \p{{Pi}}
        | (?<= {korean.LAST_SYLLABLE}\.+ | \p{{Hangul}}[!?]+ ) (?= \p{{Hangul}} ) (?! {korean.PARTICLE} )
      )
    | {korean.ENDING} (?= \s++ ["'\p{{Pi}}]? [\p{{L}}\p{{N}}] ) (?! \s++ {korean.PARTICLE} )
    """,
    regex.VERBOSE | regex.V1,
)
_CLAUSE_END = regex.compile(
    rf"\p{{Terminal_Punctuation}}\s|(?!{_DECIMAL})[\p{{Terminal_Punctuation}}&&{WIDE}]", regex.V1
)
_SPACE = regex.compile(r"\s+")


def split(text: str, spans: Iterable[tuple[int, int]] = ()) -> list[str]:
    """Return the sentences of `text`, without white space at their ends. A blank text has no sentence.

    No sentence ends inside one of the `spans`, which are places where a part of the text begins and ends.
    """
    inside = {place for start, end in spans for place in range(start + 1, end)}
    composed, places = in_nfc(text)  # Hangul of single letters has the same sentences as syllables
    ends = [place for place in (places[match.end()] for match in _END.finditer(composed)) if place not in inside]
    found = (text[start:end].strip() for start, end in pairwise([0, *ends, len(text)]))
    return [sentence for sentence in found if sentence]


def split_to_fit(text: str, fits: Callable[[str], bool]) -> list[str]:
    """Return the sentences of `text`, each halved until every part fits or is a single character or mark of a span."""
    return [part for sentence in split(text) for part in _halves(sentence, fits)]


def _halves(text: str, fits: Callable[[str], bool]) -> list[str]:
    if fits(text) or len(text) < 2 or MARK.fullmatch(text):
        return [text]
    middle = _middle(text)
    for mark in MARK.finditer(text):  # half of a mark would be translated as text
        if mark.start() < middle < mark.end():
            middle = mark.start() or mark.end()
    halves = text[:middle].strip(), text[middle:].strip()
    return [part for half in halves if half for part in _halves(half, fits)]


def _middle(text: str) -> int:
    """Return the best place to divide `text`: after a mark between clauses, or else after white space, or else between
    two characters as a reader sees them.

    Marks and white space count only in the second and third quarter of the text, so that repeated halving ends soon.
    The place that is nearest to the middle is taken.
    """
    half, quarter = len(text) // 2, len(text) // 4
    for pattern in (_CLAUSE_END, _SPACE):
        ends: list[int] = [match.end() for match in pattern.finditer(text, quarter, len(text) - quarter)]
        if places := [end for end in ends if end < len(text)]:  # a short text may end with the mark
            return min(places, key=lambda place: abs(place - half))
    characters = [match.end() for match in regex.finditer(r"\X", text)]  # a letter together with its accents
    return min(characters[:-1], key=lambda place: abs(place - half), default=half)
