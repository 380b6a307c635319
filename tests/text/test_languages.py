"""What CLDR and num2words know of a language."""

from __future__ import annotations

import pytest

from nmt.data.sources.cldr import number_words_key
from nmt.text.languages import english_name, locale_of, main_part, scripts_in, scripts_of


@pytest.mark.parametrize(
    ("code", "name", "part"),
    [
        ("en", "English", "en"),
        ("ko", "Korean", "ko"),
        ("pt-BR", "Portuguese (Brazil)", "pt"),
        ("sr_Latn", "Serbian (Latin)", "sr"),
        ("xx", "xx", "xx"),
        ("a long name", "a long name", "a long name"),
    ],
)
def test_names_and_parts_of_codes(code: str, name: str, part: str) -> None:
    assert (english_name(code), main_part(code)) == (name, part)
    assert (locale_of(code) is None) == (name == code)


def test_number_words_of_a_locale_are_its_own_or_those_of_its_language() -> None:
    codes = ("pt_BR", "de_AT", "el", "sr_Cyrl", "srp_Latn")
    keys = {code: number_words_key(locale) for code in codes if (locale := locale_of(code))}
    assert keys == {"pt_BR": "pt_BR", "de_AT": "de", "el": None, "sr_Cyrl": None, "srp_Latn": "sr"}, (
        "Serbian ones are Latin"
    )


def test_scripts_of_languages() -> None:
    codes = ("en", "sr-Latn", "srp_Latn", "zh-TW", "got", "jpn", "cmn")
    assert [scripts_of(code) for code in codes] == [
        (script,) for script in ("Latn", "Latn", "Latn", "Hant", "Goth", "Jpan", "Hans")
    ]
    assert scripts_of("sr") == ("Cyrl", "Latn"), "people write both"
    assert not any(map(scripts_of, ("xx", "copy", "en-Abcd", "a long name")))
    assert scripts_in("Kore") == ("Hang", "Hani") and scripts_in("Goth") == ("Goth",)
