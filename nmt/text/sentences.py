"""Splits a text into sentences.

The rule is the same for all languages. It uses ideas of Unicode Standard Annex 29:

- A sentence ends after terminal marks (. ! ? and those of other scripts, and "…") and the closing quotes and brackets
  after them, if white space and no lowercase letter follow.
- A full stop after a single letter or after a number of one or two digits does not end a sentence: "J. Kim", "z. B.",
  "3. Mai". Nor does one after a year before a month: "2026. 5. 3.". But it does before a word that begins sentences:
  "It is 5. The", "in the U.S. She", unless the sentence begins with the number: "3. The".
- A full stop of an abbreviation does not end a sentence: "Dr. Kim", "No. 5". The lists are short, and all of them count
  in every text, because names and titles keep their form in other languages.
- An ellipsis after a word and white space does not end a sentence: "the ... button".
- A wide mark, as in Chinese and Japanese, needs no white space after it. Nor does one between Korean sentences.
- Korean has no capital letters. Polite verbs end a sentence without a mark ("시작합니다 늦지 마세요"), and particles
  begin none ("가자!" 라고).
"""

from __future__ import annotations

from collections.abc import Callable

import regex

from nmt.text.languages import WIDE
from nmt.text.protect import Segment
from nmt.text.terms import in_nfc


def _any(words: str) -> str:
    """Return a regular expression for all words. A small first letter also matches a capital, as in "Approx."."""
    every = dict.fromkeys(words.split())
    return "|".join(f"(?i:{word[0]}){word[1:]}" if word[0].islower() else word for word in every)


# Abbreviations of English, German and Hindi that never end a sentence: a name, an example or a unit follows.
_WITHIN = _any(
    "Mr Mrs Ms Messrs Dr Drs Prof Rev Hon Gen Col Maj Capt Lt Sgt Sen Rep Gov Pres St Mt cf vs viz approx incl "
    "Hr Hrn Fr Dipl Ing Mag Hl bzw bspw ca evtl exkl ggf inkl insb sog vgl zzgl Mio Mrd Tsd डॉ"
)
# Abbreviations that end no sentence if a number or a bracket follows: "No. 5". Otherwise they can: "No. It is not."
_BEFORE_NUMBERS = _any(
    "no nos fig figs eq eqs sec sect ch vol pp Art etc al Inc Ltd Jr Sr Jan Feb Apr Aug Sep Sept Oct Nov Dec "
    r"Nr Nrn Abb Tab Kap Abs Bd Anm Tel Str \w+str Febr Okt Dez usw usf"
)
# Words that often begin a sentence: "It is 5. The", "in C. It". Inside a sentence, they begin with a small letter.
_STARTERS = _any(
    "A After All An And As At Both But By Each For He Here How However If In It Its My No On Our Please See She So "
    "That The Their Then There These They This Those To Use We What When While You Your "
    "Aber Als Auch Auf Bei Da Das Dem Den Der Des Die Diese Dieser Dieses Doch Dort Ein Eine Er Es Hier Ich Im Ist "
    "Man Mit Nach Sein Seine Sie Sind Und Von Wenn Wir"
)

# Korean. The syllables that end in ㅂ, as 합 of 합니다: every 28th, from 갑 on.
_WITH_B = "".join(map(chr, range(ord("갑"), ord("힣") + 1, 28)))
# Polite endings of verbs. No other words end so, except 좋아요 as the name of a button.
_ENDING = (
    rf"(?: [{_WITH_B}](?:니다|니까|시다) | 십시오 | (?! (?<= \b좋 ) 아 ) [게군까나네돼봐세아어에여예와줘지해]요 | 죠 )"
)
_LAST_SYLLABLE = "[까다요죠]"  # of most sentences; "데이터베이스.표" is a name, and no end of a sentence
_UNFINISHED = "[건는를은을의]"  # particles that end no sentence, as in "그건... 좀 어렵다."
_PARTICLE = r"(?: 이?라[고는며] | 이?라면서 | [를을] ) (?! \p{Hangul} )"
_AFTER_QUOTE = r"(?: 하고 | 하는 | 하며 ) (?! \p{Hangul} )"

_DECIMAL = r"(?<=\p{N})[\uff0e\uff0c\uff1a](?=\p{N})"  # a wide full stop, comma or colon inside a number
# Closing brackets and quotes. Marks of direction may stand among them, and French has a space before ».
_CLOSING = r"""(?:[\p{Close_Punctuation}\p{Final_Punctuation}"'\u200e\u200f]|[\ \u00a0\u202f]»(?=[\s.,;:!?]|\Z))*+"""
# A single letter and its accents, as in "د." and "พ.ศ.". With a vowel sign of its own script it is a word, as "है.".
_LETTER = r"[\p{L}--[\p{Hangul}\p{Han}\p{Hiragana}\p{Katakana}]] [\p{M}&&\p{sc=Inherited}]*+"
_LETTER_OR_NUMBER = rf"{_LETTER} | (?<! \d[,:] ) \d{{1,2}}"
# A capital letter, a number and the like. Their full stop ends a sentence only if a word of `_STARTERS` follows.
_LAST_WORD = rf"""
    [^\s\p{{Sentence_Terminal}}…] \s? (?: \p{{Lu}} | \d{{1,2}} )
    | \p{{Lu}}\.\p{{Lu}} | \b[ap]\.m | \d\.\d{{1,2}} | \b(?:{_BEFORE_NUMBERS})\.\s?\d{{1,2}}
"""
# The letters of a Korean list, as in "가. 목적을 적는다. 나. 범위를 적는다.".
_LABEL = r"(?: ^ | [\p{Sentence_Terminal}…]\s ) [가나다라마바사아자차카타파하]"
_STOP = rf"""
    (?:
      (?<! \b (?: {_LETTER_OR_NUMBER} | {_WITHIN} ) | {_LABEL} )
      | (?<= {_LAST_WORD} ) (?= \. {_CLOSING} \s++ (?: {_STARTERS} ) [\s\p{{Pf}},'] )
    )
    \. (?!\.) (?! (?= \s+ [\d(\[] ) (?<= \b (?: {_BEFORE_NUMBERS} ) \. ) ) (?! (?<= \b \d{{4}}\. ) \s* \d{{1,2}}\. )
    (?! (?<= & \s? Co\. ) \s+ (?:KG|OHG)\b )
"""
_QUOTED = r"(?<= [」』] ) (?: と[\p{Han}い、] | って )"  # in 「はい。」と言った, the sentence goes on
_ELLIPSIS = rf"(?<! [^\s\p{{Sentence_Terminal}}…]\s | {_UNFINISHED} ) (?: \.\.++ | … )"
# Georgian sentences begin with small letters. So do Korean ones with a foreign word: "한다. npm을 ..."
_SMALL = rf"""(?<! {_LAST_SYLLABLE} [.!?]+ [\p{{Pe}}\p{{Pf}}"']* \s+ ) [\p{{Ll}}--\p{{Georgian}}]"""
_GOES_ON = rf"""\s++ (?: {_SMALL} | {_PARTICLE} | (?<= [\p{{Pf}}"']\s+ ) {_AFTER_QUOTE} )"""
_END = regex.compile(
    rf"""
    (?! {_DECIMAL} ) [\p{{Sentence_Terminal}}&&{WIDE}]++ {_CLOSING} (?! {_QUOTED} )
    | (?<! [\p{{Sentence_Terminal}}…] )  # from the first mark only: long runs of marks take no longer
      (?: {_STOP} | {_ELLIPSIS} | (?![.…]) \p{{Sentence_Terminal}} )++
      (?:
        {_CLOSING} \p{{Pi}}?+ (?=\s) (?! {_GOES_ON} )  # a German quotation ends with a mark of \p{{Pi}}
        | (?<= {_LAST_SYLLABLE}\.+ | \p{{Hangul}}[!?]+ ) (?= \p{{Hangul}} ) (?! {_PARTICLE} )
      )
    | {_ENDING} (?= \s++ ["'\p{{Pi}}]? [\p{{L}}\p{{N}}] ) (?! \s++ {_PARTICLE} )
    """,
    regex.VERBOSE | regex.V1,
)
_CLAUSE_END = regex.compile(
    rf"\p{{Terminal_Punctuation}}\s|(?!{_DECIMAL})[\p{{Terminal_Punctuation}}&&{WIDE}]", regex.V1
)
_SPACE = regex.compile(r"\s+")


def split(text: str | Segment) -> list[Segment]:
    """Return the sentences of a text, without white space at their ends. A blank text has no sentence.

    No sentence ends inside a slot.
    """
    segment = text if isinstance(text, Segment) else Segment.of([text])
    composed, places = in_nfc(segment.plain)  # Hangul of single letters has the same sentences as syllables
    return segment.cut(places[match.end()] for match in _END.finditer(composed))


def split_to_fit(text: Segment, fits: Callable[[Segment], bool]) -> list[Segment]:
    """Return the sentences of a text, each halved until every part fits or is a single character or slot."""
    return [part for sentence in split(text) for part in _halves(sentence, fits)]


def _halves(text: Segment, fits: Callable[[Segment], bool]) -> list[Segment]:
    if fits(text):
        return [text]
    halves = text.cut([_middle(text.plain)])
    if len(halves) == 1 and len(text.parts) > 1:  # the middle is inside a slot
        middle = len(text.parts) // 2
        halves = [Segment.of(text.parts[:middle]), Segment.of(text.parts[middle:])]
    halves = [half for half in halves if half.parts]
    return [part for half in halves for part in _halves(half, fits)] if len(halves) > 1 else [text]


def _middle(text: str) -> int:
    """Return where to divide `text` near its middle: after a mark between clauses, or else after white space.

    If there is neither, the place is between two characters as a reader sees them. Marks and white space count only in
    the second and third quarter of the text, so that repeated halving ends soon.
    """
    half, quarter = len(text) // 2, len(text) // 4
    for pattern in (_CLAUSE_END, _SPACE):
        ends: list[int] = [match.end() for match in pattern.finditer(text, quarter, len(text) - quarter)]
        if places := [end for end in ends if end < len(text)]:  # a short text may end with the mark
            return min(places, key=lambda place: abs(place - half))
    characters = [match.end() for match in regex.finditer(r"\X", text)]  # a letter together with its accents
    return min(characters[:-1], key=lambda place: abs(place - half), default=half)
