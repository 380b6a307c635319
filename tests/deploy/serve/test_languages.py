"""The languages of a server, and which one a text may be in."""

from __future__ import annotations

import time

import pytest
from starlette.exceptions import HTTPException

import nmt.text.languages
from nmt.deploy.serve.languages import Languages

LANGUAGES = Languages((("en", "de"), ("en", "ko"), ("ko", "en"), ("ja", "en"), ("zh", "en"), ("ru", "en")))


@pytest.mark.parametrize(
    ("text", "language", "confidence"),
    [
        ("Google에서 검색하세요", "ko", 75.0),
        ("日本語です", "ja", 100.0),
        ("안녕하세요 https://example.com/some/long/path me@example.com", "ko", 100.0),
        ("詳細はhttps://example.com/をご覧ください。", "ja", 100.0),
        ("Read https://ko.wikipedia.org/wiki/대한민국의_역사 first", "en", 72.0),
        ("Hello", "en", 50.0),  # it may be German
        ("สวัสดี", "en", 0.0),
    ],
)
def test_the_script_decides(text: str, language: str, confidence: float) -> None:
    found = LANGUAGES.detect(text)
    assert found["language"] == language and found["confidence"] == pytest.approx(confidence, abs=10)


def test_a_long_text_without_spaces_takes_no_long_time() -> None:
    started = time.process_time()
    assert LANGUAGES.detect("日本語です" + "It is so." * 9_000)["language"] == "en"
    assert time.process_time() - started < 2  # with the square of the length, half a minute


def test_codes_of_three_letters_and_of_no_language() -> None:
    assert Languages((("eng", "jpn"), ("jpn", "eng"))).detect("こんにちは世界")["language"] == "jpn"
    assert Languages((("copy", "reverse"),)).detect("text") == {"language": "copy", "confidence": 0.0}


def test_a_code_that_is_not_served_is_answered_with_those_that_are() -> None:
    languages = Languages((("en", "pt-BR"), ("en", "zh")))
    assert [languages.find(code) for code in ("EN", "pt_br", "pb", "zh-CN")] == ["en", "pt-BR", "pt-BR", "zh"]
    for code in ("zh-Hant", ["zh"], None):
        with pytest.raises(HTTPException, match="is not supported; expected one of en, pt-BR, zh"):
            languages.find(code)


TEXTS = {
    "en": "Two young men with dark hair are sitting in front of a house.",
    "de": "Zwei junge Männer mit dunklen Haaren sitzen vor einem Haus.",
    "pt-BR": "Dois homens jovens de cabelo escuro estão sentados em frente de uma casa.",
    "es": "Dos hombres jóvenes de pelo oscuro están sentados delante de una casa.",
    "nb": "To unge menn med mørkt hår sitter foran et hus og leser hver sin bok.",
    "da": "To unge mænd med mørkt hår sidder foran et hus og læser hver sin bog.",
}


@pytest.mark.parametrize("served", ["en de", "pt-BR es", "nb da", "en de pt-BR es nb da"])
def test_languages_of_one_script_are_told_apart(served: str) -> None:
    pytest.importorskip("py3langid")
    languages = Languages(tuple((code, "ko") for code in served.split()))
    assert [languages.detect(TEXTS[code])["language"] for code in languages.codes[:-1]] == served.split()
    sure = [languages.detect(text)["confidence"] for text in (TEXTS[served.split()[0]], "Hotel")]
    assert sure[0] > 80 and sure[1] < 65


def test_without_py3langid_the_first_language_is_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nmt.text.languages, "missing_packages", lambda *_, extra: "not installed")
    assert LANGUAGES.detect(TEXTS["de"]) == {"language": "en", "confidence": 50.0}
