"""The languages of a server, and which one a text may be in."""

from __future__ import annotations

import time

import pytest
from starlette.exceptions import HTTPException

from nmt.deploy.serve.languages import Languages

LANGUAGES = Languages((("en", "de"), ("en", "ko"), ("ko", "en"), ("ja", "en"), ("zh", "en"), ("ru", "en")))


@pytest.mark.parametrize(
    ("text", "language", "confidence"),
    [
        ("Google에서 검색하세요", "ko", 75.0),
        ("日本語です", "ja", 100.0),
        ("안녕하세요 https://example.com/some/long/path me@example.com", "ko", 100.0),
        ("詳細はhttps://example.com/をご覧ください。", "ja", 100.0),
        ("Read https://ko.wikipedia.org/wiki/대한민국의_역사 first", "en", 50.0),
        ("Hello", "en", 50.0),  # or German
        ("สวัสดี", "en", 0.0),
    ],
)
def test_the_script_decides(text: str, language: str, confidence: float) -> None:
    found = LANGUAGES.detect(text)
    assert found["language"] == language and found["confidence"] == pytest.approx(confidence, abs=10)


def test_a_long_text_without_spaces_takes_no_long_time() -> None:
    started = time.process_time()
    assert LANGUAGES.detect("日本語です" + "abc." * 20_000)["language"] == "en"
    assert time.process_time() - started < 2  # with the square of the length, half a minute


def test_codes_of_three_letters_and_of_no_language() -> None:
    assert Languages((("eng", "jpn"), ("jpn", "eng"))).detect("こんにちは世界")["language"] == "jpn"
    assert Languages((("copy", "reverse"),)).detect("text") == {"language": "copy", "confidence": 0.0}


def test_codes_are_found_in_capitals_and_with_an_underscore() -> None:
    languages = Languages((("en", "pt-BR"),))
    assert [languages.find(code) for code in ("EN", "pt_br", "PT-BR")] == ["en", "pt-BR", "pt-BR"]
    with pytest.raises(HTTPException):
        languages.find("pt")
