"""What CLDR and num2words know of a language."""

from __future__ import annotations

import pytest

from nmt.languages import english_name, locale_of, main_part, number_words_key, script_of, scripts_in


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
    keys = {code: number_words_key(locale) for code in ("pt_BR", "de_AT", "el") if (locale := locale_of(code))}
    assert keys == {"pt_BR": "pt_BR", "de_AT": "de", "el": None}


def test_scripts_of_languages() -> None:
    codes = ("en", "sr", "sr-Latn", "sr_Latn", "zh-TW", "got", "xx", "copy", "en-Abcd", "a long name")
    assert [script_of(code) for code in codes] == [*("Latn", "Cyrl", "Latn", "Latn", "Hant", "Goth", "", "", "", "")]
    assert scripts_in(script_of("ko")) == ("Hang", "Hani") and scripts_in("Goth") == ("Goth",) and scripts_in("") == ()
