"""What CLDR and num2words know of a language, and the codes that mean one."""

from __future__ import annotations

import pytest

from nmt.data.sources.cldr import number_words_key
from nmt.text.languages import argos_code, bcp47, english_name, find_language, locale_of, scripts_in, scripts_of


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("en", "English"),
        ("pt-BR", "Portuguese (Brazil)"),
        ("sr_Latn", "Serbian (Latin)"),
        ("zt", "Chinese (Traditional)"),
        ("xx", "xx"),
        ("a long name", "a long name"),
    ],
)
def test_names_of_codes(code: str, name: str) -> None:
    assert english_name(code) == name
    assert (locale_of(bcp47(code)) is None) == (name == code)


@pytest.mark.parametrize(
    ("known", "same", "other"),
    [
        ("zh", "zh-Hans zh-CN zh_Hans zh-SG cmn zho_Hans ZH", "zh-Hant zh-TW zh-HK zht zt yue ja"),
        ("zh_TW", "zt zht zh-Hant zh-HK zh_Hant_HK", "zh zh-CN cmn"),
        ("pt_BR", "pt pb pt-BR PT-br por_Latn", "pt-PT es"),
        ("pt pt_PT pt_BR", "pt", ""),
        ("pt_PT pt_BR", "pt-PT", "pt"),
        ("nb", "no nb-NO nob_Latn nor", "nn da"),
        ("he", "iw he-IL heb", "yi"),
        ("fil", "tl tgl fil-PH", "in"),
        ("sr", "sr-Cyrl sr_RS.UTF-8 srp", "sr-Latn sr@latin sr_RS@latin sh"),
        ("ko", "kor ko-KR kor_Hang ko_KR.UTF-8", "kok"),
        ("en", "en-US EN eng en-Latn-GB en-UK", "ang auto"),
        ("en_US en_GB", "en-us", "en en-AU"),
        ("copy", "Copy", "reverse a-long-name ['copy']"),
    ],
)
def test_a_code_is_found_by_what_other_programs_call_it(known: str, same: str, other: str) -> None:
    assert {find_language(code, known.split()) for code in same.split()} == {known.split()[0]}
    assert not any(find_language(code, known.split()) for code in other.split())


def test_codes_of_web_pages_and_of_argos() -> None:
    codes = ["pt_BR", "zh_TW", "zh_CN", "iw", "tl", "no", "de_AT", "kor_Hang", "sr_Latn", "copy"]
    assert list(map(bcp47, codes)) == ["pt-BR", "zh-Hant", "zh-CN", "he", "fil", "nb", "de-AT", "ko", "sr-Latn", "copy"]
    assert list(map(argos_code, codes)) == ["pb", "zt", "zh", "he", "tl", "nb", "de", "ko", "sr-Latn", "copy"]


def test_number_words_of_a_locale_are_its_own_or_those_of_its_language() -> None:
    codes = ("pt_BR", "de_AT", "el", "sr_Cyrl", "srp_Latn")
    keys = {code: number_words_key(locale) for code in codes if (locale := locale_of(code))}
    assert keys == {"pt_BR": "pt_BR", "de_AT": "de", "el": None, "sr_Cyrl": None, "srp_Latn": "sr"}  # they are Latin


def test_scripts_of_languages() -> None:
    codes = ("en", "sr-Latn", "srp_Latn", "zh-TW", "got", "jpn", "cmn")
    assert [scripts_of(code) for code in codes] == [
        (script,) for script in ("Latn", "Latn", "Latn", "Hant", "Goth", "Jpan", "Hans")
    ]
    assert scripts_of("sr") == ("Cyrl", "Latn"), "people write both"
    assert not any(map(scripts_of, ("xx", "copy", "en-Abcd", "a long name")))
    assert scripts_in("Kore") == ("Hang", "Hani") and scripts_in("Goth") == ("Goth",)
