"""Korean particles agree with the word before them."""

from __future__ import annotations

import unicodedata

import pytest

from nmt.text.particles import FORMS, agreed


@pytest.mark.parametrize(
    ("word", "text", "expected"),
    [
        ("파일", "를 엽니다", "을 엽니다"),
        ("메뉴", "을", "를"),
        (unicodedata.normalize("NFD", "/홈/파일"), "를", "을"),  # as macOS writes a path
        ("길", "으로", "로"),  # after ㄹ
        ("메뉴", "으로는", "로는"),
        ("파일", "라는", "이라는"),
        ("3", "를", "을"),  # 삼
        ("2", "이 아닌", "가 아닌"),  # 이
        ('"파일"', "는", "은"),
        ("50%", "을", "를"),  # 퍼센트
        ("10€", "를", "를"),  # not known
        ("메뉴(목록)", "을", "를"),  # what stands in brackets does not count
        *((f"메뉴{sign}", "을", "를") for sign in (" ", "`", ">", "™", "\u200b", "(목록) ")),
        ("URL", "을", "을"),  # how it is said is not known
        ("메뉴", " 을", " 을"),
        ("메뉴", "이름", "이름"),  # a word of its own
        ("메뉴", "입니다", "입니다"),
        ("메뉴", "이고", "이고"),  # forms of 이다, which is no particle
        ("4", "이면", "이면"),
        ("파일", "가고", "가고"),  # forms of other verbs
        ("메뉴", "이라고", "라고"),
        ("메뉴", "으로부터", "로부터"),
        ("파일", "와는", "과는"),
        ("", "를", "를"),
        *(("메뉴", both, both) for both in ("을(를) 엽니다", "이(가)", "은/는", "과(와)", "이라(라)", "으로(로)도")),
        *(("파일", both, both) for both in ("를(을)", "가(이)", "는/은 ", "와(과)")),
        ("%1 메뉴", "을", "를"),
        ("%메뉴", "을", "를"),
        ("메뉴", "을(선택)", "를(선택)"),  # what stands in these brackets is no particle
        ("메뉴", "이(가능)", "가(가능)"),
        *((word, "를", "를") for word in ("{0}", "%1", "$1", "%L1", "${A1}", "$(v1)", "%A1%", '"{0}"', "%{1}")),
        *((word, "을", "을") for word in ("{2}", "%2", "$2")),
    ],
)
def test_a_particle_gets_the_form_that_the_word_asks_for(word: str, text: str, expected: str) -> None:
    assert agreed(word, text) == expected
    assert agreed(word, agreed(word, text)) == expected


@pytest.mark.parametrize("form", [each for pair in FORMS.items() for each in pair])
def test_the_form_depends_on_the_final_of_every_syllable(form: str) -> None:
    pair = next(pair for pair in FORMS.items() if form in pair)
    for code in range(ord("가"), ord("힣") + 1, 29):  # each of the 28 finals
        final = (code - ord("가")) % 28
        vowel = final == 0 or (final == 8 and "로" in pair)
        assert agreed(chr(code), form) == pair[vowel]
