"""Korean particles, whose form depends on the last sound of the word before them: 파일을, but 메뉴를."""

from __future__ import annotations

import unicodedata

import regex

# The form after a consonant, and the form after a vowel.
FORMS = {"을": "를", "은": "는", "이": "가", "과": "와", "으로": "로", "이나": "나", "이라": "라", "이란": "란"}

# The suffixes that may follow three of the particles, as 는 in 메뉴로는. The others have none: in 메뉴이고,
# 이고 is a form of the verb 이다.
SUFFIXES = {"과": "의|는|도|만", "으로": "의|는|도|만|서|써|부터", "이라": "는|도|고|면|서"}

_VARIABLE = "|".join(sorted([*FORMS, *FORMS.values()], key=len, reverse=True))
_ALONE = "|".join(form for pair in FORMS.items() if pair[0] not in SUFFIXES for form in pair)
# A particle ends before another letter. Both forms together, as in 을(를) and 은/는, already fit every word.
_END = rf"(?!\p{{Hangul}}|[(/](?:{_VARIABLE})(?!\p{{Hangul}}))"
_CONTINUED = "|".join(f"(?:{form}|{FORMS[form]})(?=(?:{suffixes})?{_END})" for form, suffixes in SUFFIXES.items())
_AFTER = regex.compile(rf"((?:{_ALONE}){_END}|{_CONTINUED})")
# Particles, and forms of the verb 이다, that may stand behind a noun of a glossary. At most four of them count, as in
# 파일들로부터의: without a limit, a long row would take exponential time.
_SINGLE = (
    "에서|에게|에|의|도|만|부터|까지|들|처럼|보다|마다|뿐|별|하고|으로서|로서|으로써|로써|인|일|임|이다|이며|이고|이면|입니다|입니까|한테서|한테"
    "|에게서|께서|께|엔|에선|이랑|랑|만큼|대로|밖에|조차|마저|씩|쯤|당|끼리|이든|이라고|라고|이라면|라면|이지만|이므로|이거나|인지|인데|이니까"
    "|이었다|이었습니다|였다|였습니다|이에요|예요"
)
AFTER_A_NOUN = rf"(?=(?:{_VARIABLE}|{_SINGLE}){{0,4}}(?!\p{{Hangul}}))"  # for a regular expression

_PAIRS = {form: pair for pair in FORMS.items() for form in pair}
_BRACKETS = regex.compile(r"(?<=.)[(\uff08][^()\uff08\uff09]*[)\uff09][\"'\p{Pf}]*\Z")
_PLACEHOLDER = regex.compile(r"(?:\{[^{}]*\}|\$\([^()]*\)|[%$][A-Za-z0-9_]+%?)\W*\Z")  # {0}, $(brand), %1, $1, %A1%
_PERCENT = "퍼센트"
_SILENT = regex.compile(r"(?<![\s\p{P}\p{Sk}\p{Cf}<>™®])[\s\p{P}\p{Sk}\p{Cf}<>™®]+\Z")  # other signs are spoken: 10€
_NO_CONSONANT, _L = 0, 8  # finals of a syllable, as Unicode numbers them
_FINALS_OF_DIGITS = dict(zip("0123456789", (21, 8, 0, 16, 0, 0, 1, 8, 8, 0), strict=True))  # 영, 일, 이, 삼 ...


def agreed(word: str, text: str) -> str:
    """Return the `text` behind a word with the particle at its beginning in the form that the word asks for.

    Only a word that ends in a Korean syllable, a digit or a percent sign changes the particle: the sound of other words
    and signs, and of what takes the place of a placeholder, is unknown. Brackets at the end of the word do not count.
    """
    particle, final = _AFTER.match(text), _final(word)
    if particle is None or final is None:
        return text
    after_consonant, after_vowel = _PAIRS[particle[1]]
    vowel = final == _NO_CONSONANT or (final == _L and after_vowel == "로")
    return (after_vowel if vowel else after_consonant) + text[particle.end() :]


def _final(word: str) -> int | None:
    """Return the number of the consonant that ends a word, 0 for none, and None if the sound is unknown."""
    word = unicodedata.normalize("NFC", word)  # macOS writes the letters of a syllable one by one
    if _PLACEHOLDER.search(word):
        return None
    spoken = regex.sub("[%\uff05]", _PERCENT, _BRACKETS.sub("", word.rstrip()))
    last = _SILENT.sub("", spoken)[-1:]
    if "가" <= last <= "힣":
        return (ord(last) - ord("가")) % 28
    return _FINALS_OF_DIGITS.get(last)
